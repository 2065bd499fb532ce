/* Writes the bytes of samples that others exchange to files, as fixtures. It knows no types: it
 * reads with our serdata under whatever type name it is told. Discovery's user data goes to stdout.
 *
 *   sniff SECONDS FOLDER [DDS_TOPIC=DDS_TYPE=FILE[@DURABLE]]...
 *
 * The first sample of each topic is kept: FOLDER/FILE. With @DURABLE the reader is transient local,
 * and the last one is kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ros2/ros2.h"

#define WANTED_MAX 32

typedef struct wanted {
    char *topic, *type, *file;
    bool durable;
    rclite_type_view view;
    rclite_type typed;
    ros2_reader reader;
    bool kept;
} wanted;

static void keep(const wanted *want, const char *folder, const ros2_serdata *serdata) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, want->file);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(serdata->bytes, 1, serdata->size_bytes, file) != serdata->size_bytes) {
        perror(path);
    }
    if (file) {
        fclose(file);
    }
    printf("%s: %u bytes\n", want->file, serdata->size_bytes);
}

static bool parse(wanted *want, char *text) {
    want->topic = strtok(text, "=");
    want->type = strtok(NULL, "=");
    want->file = strtok(NULL, "=");
    if (!want->topic || !want->type || !want->file) {
        return false;
    }
    char *mark = strchr(want->file, '@');
    want->durable = mark != NULL;
    if (mark) {
        *mark = '\0';
    }
    want->view = (rclite_type_view){.wire_name = want->type, .fingerprint = ""};
    want->typed = (rclite_type){.name = want->type, .ros2 = &want->view};
    return true;
}

static rclite_result open_reader(wanted *want, ros2_context *context) {
    const rclite_qos qos = want->durable ? rclite_qos_action_status() : rclite_qos_default();
    const ros2_endpoint_options options = {.prefix = "",
        .name = want->topic,
        .suffix = "",
        .type = &want->typed,
        .qos = &qos,
        .identity = ""};
    return ros2_reader_init(&want->reader, context, &options, NULL);
}

static void print_user_data(const char *what, const char *name, const dds_qos_t *qos) {
    void *data = NULL;
    size_t size = 0;
    if (dds_qget_userdata(qos, &data, &size)) {
        printf("%s %s: %.*s\n", what, name, (int)size, data ? (const char *)data : "");
        dds_free(data);
    }
}

static void print_builtin(ros2_context *context, dds_entity_t topic, const char *what) {
    const dds_entity_t reader = dds_create_reader(context->participant, topic, NULL, NULL);
    void *sample = NULL;
    dds_sample_info_t info;
    while (dds_take(reader, &sample, &info, 1, 1) == 1) {
        if (info.valid_data && topic == DDS_BUILTIN_TOPIC_DCPSPARTICIPANT) {
            print_user_data(what, "", ((dds_builtintopic_participant_t *)sample)->qos);
        } else if (info.valid_data) {
            const dds_builtintopic_endpoint_t *endpoint = sample;
            char name[256];
            snprintf(name, sizeof name, "%s %s", endpoint->topic_name, endpoint->type_name);
            print_user_data(what, name, endpoint->qos);
        }
        dds_return_loan(reader, &sample, 1);
    }
    dds_delete(reader);
}

int main(int argc, char **argv) {
    static wanted wants[WANTED_MAX];
    if (argc < 3 || argc - 3 > WANTED_MAX) {
        fputs("usage: sniff SECONDS FOLDER [DDS_TOPIC=DDS_TYPE=FILE[@DURABLE]]...\n", stderr);
        return 2;
    }
    const rclite_context_options options = RCLITE_CONTEXT_OPTIONS_INIT;
    rclite_context *base = NULL;
    rclite_error error;
    if (rclite_context_create(&options, &base, &error) != RCLITE_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    ros2_context *context = (ros2_context *)base;
    const int count = argc - 3;
    for (int i = 0; i < count; i++) {
        if (!parse(&wants[i], argv[3 + i]) || open_reader(&wants[i], context) != RCLITE_OK) {
            fprintf(stderr, "%s: not TOPIC=TYPE=FILE\n", argv[3 + i]);
            return 2;
        }
    }
    const int64_t end_ns = rclite_monotonic_ns() + atol(argv[1]) * INT64_C(1000000000);
    while (rclite_monotonic_ns() < end_ns) {
        for (int i = 0; i < count; i++) {
            dds_sample_info_t info;
            ros2_serdata *serdata = ros2_reader_take(wants[i].reader.entity, &info);
            if (serdata && !wants[i].kept) {
                keep(&wants[i], argv[2], serdata);
                wants[i].kept = !wants[i].durable;
            }
            if (serdata) {
                ros2_serdata_unref(serdata);
            }
        }
        dds_sleepfor(DDS_MSECS(5));
    }
    print_builtin(context, DDS_BUILTIN_TOPIC_DCPSPARTICIPANT, "participant");
    print_builtin(context, DDS_BUILTIN_TOPIC_DCPSPUBLICATION, "writer");
    print_builtin(context, DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION, "reader");
    for (int i = 0; i < count; i++) {
        ros2_reader_done(&wants[i].reader);
    }
    rclite_context_free(base);
    return 0;
}
