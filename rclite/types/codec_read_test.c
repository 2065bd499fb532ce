/* Reading: bytes that no honest writer sends, views into the buffer, and buffers that are used
 * again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/codec.h"
#include "std_msgs/msg/Header.h"
#include "std_msgs/msg/UInt8MultiArray.h"
#include "tf2_msgs/msg/TFMessage.h"
#include "types/invented_type.h"
#include "types/test_allocator.h"

/* Lengths that promise more than there is: refused before memory is asked for. */
static void hostile_lengths(void **state) {
    (void)state;
    rclite_loader *loader;
    const rclite_type *type = invented_type(RCLITE_ROS2,
        "string s\nfloat64[] d\nstring[] t\ngeometry_msgs/Point[] p\n"
        "diagnostic_msgs/KeyValue[] k\nstd_msgs/Empty[] e\n",
        &loader);
    for (size_t field = 0; field < 6; field++) {
        for (uint32_t length = 3; length != 0; length = length == 3            ? 0x7fffffff
                                                        : length == 0x7fffffff ? 0xffffffff
                                                                               : 0) {
            uint8_t bytes[4 + 24 + 2] = {0, 1, 0, 0};
            memcpy(bytes + 4 + 4 * field, &length, sizeof length);
            test_allocator counting = {.fail_at = SIZE_MAX};
            rclite_allocator allocator = test_allocator_interface(&counting);
            void *message = calloc(1, type->size_bytes);
            assert_int_equal(
                rclite_message_deserialize(type, RCLITE_ROS2, bytes,
                    field == 5 ? sizeof bytes : 4 + 4 * (field + 1), message, &allocator),
                RCLITE_ERR_MALFORMED);
            assert_true(counting.largest_bytes <= 1 << 14); /* the codec's own; no message data */
            rclite_message_done(type, message, &allocator);
            free(message);
            assert_int_equal(counting.live, 0);
        }
    }
    rclite_loader_free(loader);
}

static void strings_need_their_nul(void **state) {
    (void)state;
    std_msgs__msg__Header header = {0};
    const rclite_type *type = &std_msgs__msg__Header__type;
    uint8_t bytes[] = {0, 1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 'm', 'a'};
    assert_int_equal(
        rclite_message_deserialize(type, RCLITE_ROS2, bytes, sizeof bytes, &header, NULL),
        RCLITE_ERR_MALFORMED);
    bytes[17] = 0;
    assert_int_equal(
        rclite_message_deserialize(type, RCLITE_ROS2, bytes, sizeof bytes, &header, NULL), 0);
    assert_string_equal(header.frame_id.data, "m");
    bytes[12] = 0; /* no NUL at all: taken as empty; and up to 3 bytes may follow a body */
    assert_int_equal(
        rclite_message_deserialize(type, RCLITE_ROS2, bytes, sizeof bytes, &header, NULL), 0);
    assert_int_equal(header.frame_id.size, 0);
    bytes[1] = 3; /* a parameter list */
    assert_int_equal(
        rclite_message_deserialize(type, RCLITE_ROS2, bytes, sizeof bytes, &header, NULL),
        RCLITE_ERR_MALFORMED);
    assert_int_equal(rclite_message_deserialize(type, RCLITE_ROS2, bytes, 3, &header, NULL),
        RCLITE_ERR_MALFORMED);
    const uint8_t too_long[] = {7, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 'x'};
    assert_int_equal(
        rclite_message_deserialize(type, RCLITE_ROS1, too_long, sizeof too_long, &header, NULL),
        RCLITE_ERR_MALFORMED);
    rclite_message_done(type, &header, NULL);
}

static void negative_durations_of_ros1(void **state) {
    (void)state;
    rclite_loader *loader;
    const rclite_type *type = invented_type(RCLITE_ROS1, "duration d\nduration[] more\n", &loader);
    struct {
        rclite_duration d;
        rclite_duration_sequence more;
    } m = {0};
    /* 0 s - 1 ns; and one whose seconds cannot go lower. */
    const uint8_t bytes[] = {
        0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0xff, 0xff, 0xff};
    assert_int_equal(
        rclite_message_deserialize(type, RCLITE_ROS1, bytes, sizeof bytes, &m, NULL), 0);
    assert_int_equal(m.d.sec, -1);
    assert_int_equal(m.d.nanosec, 999999999);
    assert_int_equal(m.more.data[0].sec, INT32_MIN);
    rclite_message_done(type, &m, NULL);
    rclite_loader_free(loader);
}

static void views_show_the_buffer(void **state) {
    (void)state;
    const rclite_type *type = &std_msgs__msg__UInt8MultiArray__type;
    std_msgs__msg__UInt8MultiArray sent, got;
    assert_int_equal(rclite_message_init(type, &sent, NULL), 0);
    assert_int_equal(rclite_message_init(type, &got, NULL), 0);
    assert_int_equal(rclite_message_sequence_resize(
                         &std_msgs__msg__MultiArrayDimension__type, &sent.layout.dim, 3, NULL),
        0);
    assert_int_equal(rclite_string_assign(&sent.layout.dim.data[1].label, "width", NULL), 0);
    assert_int_equal(rclite_sequence_resize(&sent.data, 1, 100, NULL), 0);
    sent.data.data[99] = 7;
    rclitei_codec *codec;
    assert_int_equal(rclitei_codec_create(type, RCLITE_ROS2, NULL, &codec), 0);
    size_t size = rclitei_codec_size(codec, &sent, 16);
    uint8_t *buffer = malloc(size);
    size_t written;
    assert_int_equal(rclitei_codec_write(codec, &sent, 16, buffer, size, &written), 0);
    assert_int_equal(written, size);
    const rclitei_codec_read_options options = {.origin = 16, .views = true};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rclitei_codec_read(codec, buffer, size, &options, &got, NULL), 0);
        assert_true(rclite_message_equal(type, RCLITE_ROS2, &sent, &got));
        assert_int_equal(got.data.capacity, 0);
        assert_true(got.data.data >= buffer && got.data.data + 100 == buffer + size);
        assert_true(got.layout.dim.capacity >= 3);
        assert_int_equal(got.layout.dim.data[1].label.capacity, 0);
    }
    std_msgs__msg__UInt8MultiArray copy = {0};
    assert_int_equal(rclite_message_copy(type, &copy, &got, NULL), 0);
    free(buffer);
    assert_true(rclite_message_equal(type, RCLITE_ROS2, &sent, &copy));
    assert_true(copy.data.capacity >= 100);
    rclite_message_done(type, &copy, NULL);
    rclite_message_done(type, &got, NULL);
    rclite_message_done(type, &sent, NULL);
    rclitei_codec_free(codec);
}

/* Publishing and taking the same size again: no allocation. */
static void reading_again_allocates_nothing(void **state) {
    (void)state;
    const rclite_type *type = &tf2_msgs__msg__TFMessage__type;
    tf2_msgs__msg__TFMessage sent = {0}, got = {0};
    assert_int_equal(rclite_message_sequence_resize(
                         &geometry_msgs__msg__TransformStamped__type, &sent.transforms, 5, NULL),
        0);
    assert_true(sent.transforms.data[4].transform.rotation.w == 1.0); /* ROS 2's default */
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(
            rclite_string_assign(&sent.transforms.data[i].child_frame_id, "tool", NULL), 0);
    }
    test_allocator counting = {.fail_at = SIZE_MAX};
    rclite_allocator allocator = test_allocator_interface(&counting);
    for (rclite_generation g = RCLITE_ROS1; g <= RCLITE_ROS2; g++) {
        rclitei_codec *codec;
        assert_int_equal(rclitei_codec_create(type, g, NULL, &codec), 0);
        size_t size = rclitei_codec_size(codec, &sent, 0), written;
        uint8_t *buffer = malloc(size);
        assert_int_equal(rclitei_codec_write(codec, &sent, 0, buffer, size, &written), 0);
        const rclitei_codec_read_options options = {0};
        assert_int_equal(rclitei_codec_read(codec, buffer, size, &options, &got, &allocator), 0);
        size_t calls = counting.calls;
        for (int i = 0; i < 3; i++) {
            sent.transforms.size = 5 - (size_t)i;
            assert_int_equal(rclitei_codec_write(codec, &sent, 0, buffer, size, &written), 0);
            assert_int_equal(
                rclitei_codec_read(codec, buffer, written, &options, &got, &allocator), 0);
            assert_true(rclite_message_equal(type, g, &sent, &got));
        }
        assert_int_equal(counting.calls, calls);
        sent.transforms.size = 5;
        free(buffer);
        rclitei_codec_free(codec);
    }
    rclite_message_done(type, &got, &allocator);
    assert_int_equal(counting.live, 0);
    rclite_message_done(type, &sent, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_lengths),
        cmocka_unit_test(strings_need_their_nul),
        cmocka_unit_test(negative_durations_of_ros1),
        cmocka_unit_test(views_show_the_buffer),
        cmocka_unit_test(reading_again_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
