/* Creating and deleting the DDS readers and writers behind every kind of endpoint, and taking from
 * readers. Sending is in writer.c. */
#include <string.h>

#include "core/memory.h"
#include "ros2/edges.h"
#include "ros2/ros2.h"

/* A topic entity is needed only while the reader or writer is created. */
static dds_entity_t create_topic(ros2_context *context, const ros2_endpoint_options *options,
    struct ddsi_sertype **ret_type, rclite_error *reterr) {
    const rclite_allocator *allocator = &context->base.allocator;
    char *name =
        rclitei_format(allocator, "%s%s%s", options->prefix, options->name, options->suffix);
    struct ddsi_sertype *type =
        name ? ros2_sertype_create(context->pool, options->type->ros2->wire_name) : NULL;
    if (!type) {
        rclitei_release(allocator, name);
        rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for topic %s", options->name);
        return DDS_RETCODE_OUT_OF_RESOURCES;
    }
    const dds_entity_t topic =
        dds_create_topic_sertype(context->participant, name, &type, NULL, NULL, NULL);
    if (topic < 0) {
        ddsi_sertype_unref(type);
        rclitei_fail(reterr, RCLITE_ERR_TRANSPORT, topic,
            "Cyclone DDS refused topic %s, type %s: %s", name, options->type->name,
            dds_strretcode(topic));
    }
    rclitei_release(allocator, name);
    *ret_type = type;
    return topic;
}

static dds_qos_t *create_qos(
    ros2_context *context, const ros2_endpoint_options *options, bool writer) {
    ros2_text user_data = {.allocator = &context->base.allocator};
    ros2_text_add(&user_data, "%s", options->identity);
    const char *hash = options->type->ros2->fingerprint;
    if (hash && *hash) {
        ros2_text_add(&user_data, "typehash=%s;", hash);
    }
    dds_qos_t *qos = NULL;
    if (!user_data.failed) {
        const ros2_qos_extra extra = {
            .user_data = user_data.data, .ignore_local = options->ignore_local, .writer = writer};
        qos = ros2_qos_create(options->qos, &extra);
    }
    ros2_text_done(&user_data);
    return qos;
}

/* The type's own reference stays with the entity. */
static rclite_result create_entity(ros2_context *context, const ros2_endpoint_options *options,
    bool writer, dds_entity_t *ret_entity, const struct ddsi_sertype **ret_type,
    rclite_error *reterr) {
    if (!options->type->ros2) {
        return rclitei_fail(
            reterr, RCLITE_ERR_TYPE, 0, "%s is not a type of ROS 2", options->type->name);
    }
    dds_qos_t *qos = create_qos(context, options, writer);
    if (!qos) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for %s", options->name);
    }
    struct ddsi_sertype *type = NULL;
    const dds_entity_t topic = create_topic(context, options, &type, reterr);
    dds_entity_t entity = topic;
    if (topic > 0) {
        ros2_leave(options->owner);
        entity = writer ? dds_create_writer(context->participant, topic, qos, options->listener)
                        : dds_create_reader(context->participant, topic, qos, options->listener);
        dds_delete(topic);
        if (entity < 0) {
            rclitei_fail(reterr, RCLITE_ERR_TRANSPORT, entity,
                "Cyclone DDS refused the %s of %s: %s", writer ? "writer" : "reader", options->name,
                dds_strretcode(entity));
        }
    }
    dds_delete_qos(qos);
    if (entity < 0) {
        return entity == DDS_RETCODE_OUT_OF_RESOURCES ? RCLITE_ERR_NO_MEMORY : RCLITE_ERR_TRANSPORT;
    }
    *ret_entity = entity;
    *ret_type = type;
    return RCLITE_OK;
}

rclite_result ros2_reader_init(ros2_reader *reader, ros2_context *context,
    const ros2_endpoint_options *options, rclite_error *reterr) {
    const struct ddsi_sertype *type = NULL;
    reader->owner = options->owner;
    const rclite_result result =
        create_entity(context, options, false, &reader->entity, &type, reterr);
    if (result == RCLITE_OK) {
        dds_get_guid(reader->entity, &reader->guid);
        ros2_leave(reader->owner);
    }
    return result;
}

void ros2_reader_done(ros2_reader *reader) {
    if (reader->entity > 0) {
        dds_delete(reader->entity);
        ros2_enter(reader->owner);
    }
    reader->entity = 0;
}

rclite_result ros2_writer_init(ros2_writer *writer, ros2_context *context,
    const ros2_endpoint_options *options, rclite_error *reterr) {
    writer->owner = options->owner;
    const rclite_result result =
        create_entity(context, options, true, &writer->entity, &writer->type, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    ros2_writer_start(writer, context, options->qos);
    dds_get_guid(writer->entity, &writer->guid);
    dds_get_instance_handle(writer->entity, &writer->handle);
    ros2_leave(writer->owner);
    return RCLITE_OK;
}

/* ---- taking --------------------------------------------------------------------------------- */

#define DRAIN_COUNT 8u

void ros2_reader_drain(dds_entity_t reader, ros2_sample_handler each, void *user) {
    struct ddsi_serdata *taken[DRAIN_COUNT];
    dds_sample_info_t infos[DRAIN_COUNT];
    dds_return_t count;
    do {
        count = dds_takecdr(reader, taken, DRAIN_COUNT, infos, DDS_ANY_STATE);
        for (dds_return_t i = 0; i < count; i++) {
            ros2_enter(taken[i]);
            if (infos[i].valid_data) {
                each(user, (const ros2_serdata *)taken[i], &infos[i]);
            }
            ros2_serdata_unref((ros2_serdata *)taken[i]);
        }
    } while (count == (dds_return_t)DRAIN_COUNT);
}

ros2_serdata *ros2_reader_take(dds_entity_t reader, dds_sample_info_t *ret_info) {
    struct ddsi_serdata *taken = NULL;
    while (dds_takecdr(reader, &taken, 1, ret_info, DDS_ANY_STATE) == 1) {
        ros2_enter(taken);
        if (ret_info->valid_data) {
            return (ros2_serdata *)taken;
        }
        ros2_serdata_unref((ros2_serdata *)taken);
    }
    return NULL;
}

bool ros2_reader_has_data(dds_entity_t reader) {
    struct ddsi_serdata *seen = NULL;
    dds_sample_info_t info;
    if (dds_readcdr(reader, &seen, 1, &info, DDS_ANY_STATE) != 1) {
        return false;
    }
    ros2_serdata_unref((ros2_serdata *)seen);
    return info.valid_data;
}

void ros2_unreadable(ros2_context *context, const char *name, rclite_result why) {
    const bool malformed = why != RCLITE_ERR_NO_MEMORY;
    atomic_fetch_add_explicit(
        malformed ? &context->base.malformed : &context->base.dropped, 1, memory_order_relaxed);
    rclitei_context_log(&context->base, malformed ? RCLITE_LOG_WARN : RCLITE_LOG_ERROR,
        malformed ? "%s: a sample's bytes do not parse (%s); dropped"
                  : "%s: a sample could not be read (%s); dropped",
        name, rclite_result_string(why));
}
