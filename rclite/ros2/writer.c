/* Sending. A write is tried at once, by whoever publishes; what Cyclone does not take because a
 * reliable reader is behind waits in the writer's backlog, in order, for the sender thread (from a
 * callback), or makes the caller wait (from a plain thread). Cyclone itself never blocks: its
 * writers have max_blocking_time 0, as a listener that blocked would hold up the very thread that
 * receives the acknowledgement. */
#include <string.h>
#include <time.h>

#include "ros2/edges.h"
#include "ros2/ros2.h"

/* Bounds of a keep-all backlog; beyond them publish says RCLITE_ERR_OVERFLOW. */
#define BACKLOG_COUNT_MAX 10000u
#define BACKLOG_BYTES_MAX ((size_t)256 << 20)
/* How long the sender waits for one writer's acknowledgements before it looks at the others. */
#define SLICE_ALONE_NS DDS_MSECS(5)
#define SLICE_SHARED_NS DDS_MSECS(1)
/* How long deleting a writer waits for its backlog. */
#define LINGER_NS INT64_C(100000000)

static bool send_backlog(ros2_task *task, bool alone);

void ros2_writer_start(ros2_writer *writer, ros2_context *context, const rclite_qos *qos) {
    writer->context = context;
    writer->depth = qos->history == RCLITE_QOS_KEEP_ALL ? 0 : qos->depth;
    writer->task.run = send_backlog;
    pthread_mutex_init(&writer->lock, NULL);
    writer->lock_ready = true;
}

static rclite_result result_of(dds_return_t code) {
    switch (code) {
    case DDS_RETCODE_OK:
        return RCLITE_OK;
    case DDS_RETCODE_TIMEOUT:
        return RCLITE_ERR_TIMEOUT;
    default:
        return RCLITE_ERR_TRANSPORT;
    }
}

/* writer->lock held. Consumes the reference unless it says TIMEOUT. */
static dds_return_t try_write(ros2_writer *writer, ros2_serdata *serdata) {
    ros2_leave(serdata);
    ddsi_serdata_ref(&serdata->base);
    const dds_return_t code = dds_writecdr(writer->entity, &serdata->base);
    if (code != DDS_RETCODE_TIMEOUT) {
        ddsi_serdata_unref(&serdata->base);
    }
    return code;
}

/* Waits until the readers have caught up, without any lock; true when it is worth trying again. */
static void wait_acknowledged(ros2_writer *writer, int64_t timeout_ns) {
    const int64_t start_ns = rclite_monotonic_ns();
    dds_wait_for_acks(writer->entity, timeout_ns);
    if (rclite_monotonic_ns() - start_ns < 100000) {
        /* All is acknowledged and yet the writer does not go on: it is finishing a retransmit. */
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}

/* ---- backlog -------------------------------------------------------------------------------- */

/* sender.lock held, backlog not empty. */
static ros2_serdata *pop_backlog(ros2_writer *writer) {
    ros2_serdata *serdata = writer->backlog_first;
    writer->backlog_first = serdata->next;
    if (!writer->backlog_first) {
        writer->backlog_last = NULL;
    }
    writer->backlog_bytes -= serdata->size_bytes;
    return serdata;
}

/* Whether another one fits without dropping. sender.lock held. */
static bool backlog_has_room(const ros2_writer *writer) {
    if (writer->depth == 0) {
        return writer->backlog_count < BACKLOG_COUNT_MAX &&
               writer->backlog_bytes < BACKLOG_BYTES_MAX;
    }
    return writer->backlog_count < writer->depth;
}

/* Room by keep-last's rule: the oldest gives way. The one that the sender is just writing is
 * counted but no longer in the list. sender.lock held. */
static bool drop_oldest(ros2_writer *writer) {
    if (writer->depth == 0) {
        return false;
    }
    if (writer->backlog_first) {
        ros2_serdata_unref(pop_backlog(writer));
        atomic_fetch_sub(&writer->backlog_count, 1);
        atomic_fetch_add_explicit(&writer->context->base.dropped, 1, memory_order_relaxed);
    }
    return true;
}

static rclite_result push_backlog(ros2_writer *writer, ros2_serdata *serdata, bool may_wait) {
    ros2_sender *sender = &writer->context->sender;
    const int64_t until_ns = rclite_monotonic_ns() + ROS2_PUBLISH_BLOCKS_NS;
    pthread_mutex_lock(&sender->lock);
    bool in_time = may_wait;
    while (in_time && !backlog_has_room(writer)) {
        in_time = ros2_sender_wait_locked(sender, until_ns);
    }
    const bool room = backlog_has_room(writer) || (!may_wait && drop_oldest(writer));
    if (room) {
        serdata->next = NULL;
        if (writer->backlog_last) {
            writer->backlog_last->next = serdata;
        } else {
            writer->backlog_first = serdata;
        }
        writer->backlog_last = serdata;
        writer->backlog_bytes += serdata->size_bytes;
        atomic_fetch_add(&writer->backlog_count, 1);
        ros2_sender_push_locked(sender, &writer->task);
    }
    pthread_mutex_unlock(&sender->lock);
    if (!room) {
        ros2_serdata_unref(serdata);
        return may_wait ? RCLITE_ERR_TIMEOUT : RCLITE_ERR_OVERFLOW;
    }
    return RCLITE_OK;
}

/* Puts back what could not be sent, in front. */
static void return_to_backlog(ros2_writer *writer, ros2_serdata *serdata) {
    pthread_mutex_lock(&writer->context->sender.lock);
    serdata->next = writer->backlog_first;
    writer->backlog_first = serdata;
    if (!writer->backlog_last) {
        writer->backlog_last = serdata;
    }
    writer->backlog_bytes += serdata->size_bytes;
    pthread_mutex_unlock(&writer->context->sender.lock);
}

static bool send_backlog(ros2_task *task, bool alone) {
    ros2_writer *writer = (ros2_writer *)((char *)task - offsetof(ros2_writer, task));
    ros2_sender *sender = &writer->context->sender;
    while (true) {
        pthread_mutex_lock(&sender->lock);
        ros2_serdata *serdata = writer->backlog_first ? pop_backlog(writer) : NULL;
        pthread_mutex_unlock(&sender->lock);
        if (!serdata) {
            return false;
        }
        pthread_mutex_lock(&writer->lock);
        const dds_return_t code = try_write(writer, serdata);
        pthread_mutex_unlock(&writer->lock);
        if (code == DDS_RETCODE_TIMEOUT) {
            return_to_backlog(writer, serdata);
            wait_acknowledged(writer, alone ? SLICE_ALONE_NS : SLICE_SHARED_NS);
            return true;
        }
        if (code != DDS_RETCODE_OK) {
            atomic_fetch_add(&writer->context->base.send_failures, 1);
        }
        /* Last, so that whoever sees 0 knows that all of it is written. */
        atomic_fetch_sub(&writer->backlog_count, 1);
        pthread_mutex_lock(&sender->lock);
        pthread_cond_broadcast(&sender->changed);
        pthread_mutex_unlock(&sender->lock);
    }
}

/* ---- sending -------------------------------------------------------------------------------- */

static rclite_result send_without_waiting(ros2_writer *writer, ros2_serdata *serdata) {
    /* The lock may be held by a thread that is delivering to a local reader of ours, even by this
     * one. */
    if (pthread_mutex_trylock(&writer->lock) != 0) {
        return push_backlog(writer, serdata, false);
    }
    const dds_return_t code = try_write(writer, serdata);
    pthread_mutex_unlock(&writer->lock);
    return code == DDS_RETCODE_TIMEOUT ? push_backlog(writer, serdata, false) : result_of(code);
}

static rclite_result send_and_wait(ros2_writer *writer, ros2_serdata *serdata) {
    int64_t end_ns = 0;
    while (true) {
        pthread_mutex_lock(&writer->lock);
        const dds_return_t code = try_write(writer, serdata);
        pthread_mutex_unlock(&writer->lock);
        if (code != DDS_RETCODE_TIMEOUT) {
            return result_of(code);
        }
        const int64_t now_ns = rclite_monotonic_ns();
        if (end_ns == 0) {
            end_ns = now_ns + ROS2_PUBLISH_BLOCKS_NS;
        }
        if (now_ns >= end_ns) {
            ros2_serdata_unref(serdata);
            return RCLITE_ERR_TIMEOUT;
        }
        wait_acknowledged(writer, end_ns - now_ns);
    }
}

rclite_result ros2_writer_offer(ros2_writer *writer, ros2_serdata *serdata) {
    const bool behind = atomic_load(&writer->backlog_count) > 0;
    return behind ? push_backlog(writer, serdata, false) : send_without_waiting(writer, serdata);
}

rclite_result ros2_writer_send(ros2_writer *writer, ros2_serdata *serdata) {
    if (rclitei_in_callback(&writer->context->base)) {
        return ros2_writer_offer(writer, serdata);
    }
    const bool behind = atomic_load(&writer->backlog_count) > 0;
    return behind ? push_backlog(writer, serdata, true) : send_and_wait(writer, serdata);
}

rclite_result ros2_writer_serialize(const ros2_writer *writer, const rclitei_codec *codec,
    const void *header, size_t header_bytes, const void *message, ros2_serdata **ret_serdata) {
    const size_t lead = ROS2_ENCAPSULATION_BYTES + header_bytes;
    const size_t body = rclitei_codec_size(codec, message, header_bytes);
    ros2_serdata *serdata = ros2_serdata_create(writer->type, lead + body);
    if (!serdata) {
        return RCLITE_ERR_NO_MEMORY;
    }
    if (header_bytes > 0) {
        memcpy(serdata->bytes + ROS2_ENCAPSULATION_BYTES, header, header_bytes);
    }
    size_t written = 0;
    const rclite_result result =
        rclitei_codec_write(codec, message, header_bytes, serdata->bytes + lead, body, &written);
    if (result != RCLITE_OK) {
        ros2_serdata_unref(serdata);
        return result;
    }
    *ret_serdata = serdata;
    return RCLITE_OK;
}

rclite_result ros2_writer_send_message(ros2_writer *writer, const rclitei_codec *codec,
    const void *header, size_t header_bytes, const void *message) {
    ros2_serdata *serdata = NULL;
    const rclite_result result =
        ros2_writer_serialize(writer, codec, header, header_bytes, message, &serdata);
    return result == RCLITE_OK ? ros2_writer_send(writer, serdata) : result;
}

bool ros2_writer_probe(ros2_writer *writer) {
    ros2_serdata *serdata = ros2_serdata_create_unregister(writer->type);
    if (!serdata) {
        return true; /* the call itself will tell */
    }
    pthread_mutex_lock(&writer->lock);
    ros2_leave(serdata);
    const dds_return_t code = dds_forwardcdr(writer->entity, &serdata->base);
    pthread_mutex_unlock(&writer->lock);
    return code != DDS_RETCODE_TIMEOUT;
}

/* ---- ending --------------------------------------------------------------------------------- */

static bool wait_backlog(ros2_writer *writer, int64_t until_ns) {
    ros2_sender *sender = &writer->context->sender;
    pthread_mutex_lock(&sender->lock);
    bool in_time = true;
    while (in_time && atomic_load(&writer->backlog_count) > 0) {
        in_time = ros2_sender_wait_locked(sender, until_ns);
    }
    pthread_mutex_unlock(&sender->lock);
    return atomic_load(&writer->backlog_count) == 0;
}

rclite_result ros2_writer_wait_sent(ros2_writer *writer, int64_t timeout_ns) {
    if (rclitei_in_callback(&writer->context->base)) {
        return RCLITE_ERR_STATE;
    }
    const int64_t now_ns = rclite_monotonic_ns();
    const int64_t until_ns = timeout_ns > INT64_MAX - now_ns ? INT64_MAX : now_ns + timeout_ns;
    if (!wait_backlog(writer, until_ns)) {
        return RCLITE_ERR_TIMEOUT;
    }
    const int64_t left_ns = until_ns - rclite_monotonic_ns();
    return result_of(dds_wait_for_acks(writer->entity, left_ns > 0 ? left_ns : 0));
}

void ros2_writer_done(ros2_writer *writer) {
    if (!writer->lock_ready) {
        return;
    }
    if (!rclitei_in_callback(&writer->context->base)) {
        wait_backlog(writer, rclite_monotonic_ns() + LINGER_NS);
    }
    ros2_sender_remove(&writer->context->sender, &writer->task);
    while (writer->backlog_first) {
        ros2_serdata_unref(pop_backlog(writer));
        atomic_fetch_add(&writer->context->base.send_failures, 1);
    }
    dds_delete(writer->entity);
    ros2_enter(writer->owner);
    pthread_mutex_destroy(&writer->lock);
    writer->lock_ready = false;
}
