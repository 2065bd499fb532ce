/* Fuzzes what a stranger can put into discovery: the user data of an entity (the first byte says
 * how the input is split), and the body of a ros_discovery_info message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/codec.h"
#include "rmw_dds_common/msg/ParticipantEntitiesInfo.h"
#include "ros2/ros2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(const uint8_t *data, size_t size) {
    static const char *const keys[] = {"enclave", "serviceid", "clientid", "typehash"};
    dds_qos_t *qos = dds_create_qos();
    dds_qset_userdata(qos, data, size);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char value[64];
        memset(value, 'x', sizeof value);
        if (ros2_user_data_get(qos, keys[i], value, sizeof value) &&
            memchr(value, '\0', sizeof value) == NULL) {
            abort(); /* a value that was found is a string */
        }
    }
    dds_delete_qos(qos);
}

/* What was read can be written, and reads back to as many bytes. A text may come without its
 * terminator, as a length of zero: it is written with one, hence the factor two. */
static void write_back(
    const rclitei_codec *codec, const rclite_type *type, const void *info, size_t size_read) {
    const rclitei_codec_read_options options = {0};
    rmw_dds_common__msg__ParticipantEntitiesInfo again;
    size_t size = rclitei_codec_size(codec, info, 0);
    size_t written = 0;
    uint8_t *bytes = malloc(size);
    if (!bytes || size > 2 * size_read + 8 ||
        rclitei_codec_write(codec, info, 0, bytes, size, &written) != RCLITE_OK ||
        written != size || rclite_message_init(type, &again, NULL) != RCLITE_OK ||
        rclitei_codec_read(codec, bytes, size, &options, &again, NULL) != RCLITE_OK ||
        rclitei_codec_size(codec, &again, 0) != size) {
        abort();
    }
    rclite_message_done(type, &again, NULL);
    free(bytes);
}

static void read_info(const uint8_t *data, size_t size) {
    static rclitei_codec *codec; /* as long as the process */
    const rclite_type *type = &rmw_dds_common__msg__ParticipantEntitiesInfo__type;
    if (!codec && rclitei_codec_create(type, RCLITE_ROS2, NULL, &codec) != RCLITE_OK) {
        abort();
    }
    rmw_dds_common__msg__ParticipantEntitiesInfo info;
    const rclitei_codec_read_options options = {0};
    if (rclite_message_init(type, &info, NULL) != RCLITE_OK) {
        abort();
    }
    if (rclitei_codec_read(codec, data, size, &options, &info, NULL) == RCLITE_OK) {
        write_back(codec, type, &info, size);
    }
    rclite_message_done(type, &info, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 0 && data[0] % 2 == 0) {
        look_up(data + 1, size - 1);
    } else if (size > 0) {
        read_info(data + 1, size - 1);
    }
    return 0;
}
