/* The serializer against bytes written by hand from the two specifications. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/codec.h"
#include "nav_msgs/srv/GetMap.h"
#include "std_msgs/msg/Header.h"
#include "types/invented_type.h"

/* Serializes, compares with the expected bytes, reads them back and compares the messages. */
static void check_bytes(const rclite_type *type, rclite_generation generation, const void *message,
    const uint8_t *expected, size_t expected_size) {
    uint8_t buffer[1024];
    memset(buffer, 0xcc, sizeof buffer);
    size_t size = 0, announced = 0;
    assert_int_equal(rclite_message_serialized_size(type, generation, message, &announced), 0);
    assert_int_equal(announced, expected_size);
    assert_int_equal(
        rclite_message_serialize(type, generation, message, buffer, expected_size, &size), 0);
    assert_int_equal(size, expected_size);
    assert_memory_equal(buffer, expected, expected_size);
    assert_int_equal(buffer[expected_size], 0xcc);
    assert_int_equal(
        rclite_message_serialize(type, generation, message, buffer, expected_size - 1, &size),
        RCLITE_ERR_OVERFLOW);
    void *read = calloc(1, type->size_bytes);
    assert_non_null(read);
    assert_int_equal(
        rclite_message_deserialize(type, generation, expected, expected_size, read, NULL), 0);
    assert_true(rclite_message_equal(type, generation, message, read));
    rclite_message_done(type, read, NULL);
    free(read);
}

static void header_on_both_generations(void **state) {
    (void)state;
    char frame[] = "map";
    std_msgs__msg__Header header = {
        .seq = 7, .stamp = {1, 2}, .frame_id = {.data = frame, .size = 3}};
    const uint8_t ros1[] = {7, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 'm', 'a', 'p'};
    const uint8_t ros2[] = {0, 1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 'm', 'a', 'p', 0};
    check_bytes(&std_msgs__msg__Header__type, RCLITE_ROS1, &header, ros1, sizeof ros1);
    check_bytes(&std_msgs__msg__Header__type, RCLITE_ROS2, &header, ros2, sizeof ros2);
}

static void empty_struct(void **state) {
    (void)state;
    const rclite_type *type = &nav_msgs__srv__GetMap_Request__type;
    nav_msgs__srv__GetMap_Request request = {0};
    const uint8_t ros2[] = {0, 1, 0, 0, 0};
    check_bytes(type, RCLITE_ROS2, &request, ros2, sizeof ros2);
    size_t size = 99;
    uint8_t byte = 0;
    assert_int_equal(rclite_message_serialize(type, RCLITE_ROS1, &request, &byte, 0, &size), 0);
    assert_int_equal(size, 0);
    assert_int_equal(rclite_message_deserialize(type, RCLITE_ROS1, NULL, 0, &request, NULL), 0);
}

/* Every primitive kind, in an order that needs padding before most of them. */
static const char every_kind[] =
    "bool b\nint8 i8\nint16 i16\nuint8 u8\nuint32 u32\nuint8 again\nint64 i64\nfloat32 f\n"
    "float64 d\nuint16 u16\nint32 i32\nuint64 u64\nstring s\nfloat64 last\n";

static void set(const rclite_type *type, rclite_generation generation, void *message,
    const char *path, const void *value) {
    const rclite_field *field;
    void *address;
    assert_int_equal(
        rclite_message_field(type, generation, message, path, &field, &address, NULL), 0);
    memcpy(address, value, field->element_bytes);
}

static void fill_every_kind(
    const rclite_type *type, rclite_generation generation, void *message, char *text) {
    rclite_string string = {.data = text, .size = 2};
    set(type, generation, message, "b", &(bool){true});
    set(type, generation, message, "i8", &(int8_t){-2});
    set(type, generation, message, "i16", &(int16_t){0x0304});
    set(type, generation, message, "u8", &(uint8_t){5});
    set(type, generation, message, "u32", &(uint32_t){0x06070809});
    set(type, generation, message, "again", &(uint8_t){10});
    set(type, generation, message, "i64", &(int64_t){-1});
    set(type, generation, message, "f", &(float){1.0f});
    set(type, generation, message, "d", &(double){-2.0});
    set(type, generation, message, "u16", &(uint16_t){0x0b0c});
    set(type, generation, message, "i32", &(int32_t){-3});
    set(type, generation, message, "u64", &(uint64_t){0x0102030405060708});
    set(type, generation, message, "s", &string);
    set(type, generation, message, "last", &(double){1.0});
}

static void every_kind_ros2(void **state) {
    (void)state;
    rclite_loader *loader;
    const rclite_type *type = invented_type(RCLITE_ROS2, every_kind, &loader);
    const uint8_t expected[] = {0, 1, 0, 0,             /* encapsulation: little-endian CDR */
        1, 0xfe, 4, 3,                                  /* bool, int8, int16 */
        5, 0, 0, 0, 9, 8, 7, 6,                         /* uint8, padding, uint32 */
        10, 0, 0, 0,                                    /* uint8, padding to 16 */
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* int64 */
        0, 0, 0x80, 0x3f, 0, 0, 0, 0,                   /* float32, padding to 32 */
        0, 0, 0, 0, 0, 0, 0, 0xc0,                      /* float64 */
        0x0c, 0x0b, 0, 0, 0xfd, 0xff, 0xff, 0xff,       /* uint16, padding, int32 */
        8, 7, 6, 5, 4, 3, 2, 1,                         /* uint64 */
        3, 0, 0, 0, 'h', 'i', 0, 0,                     /* string with its NUL, padding */
        0, 0, 0, 0, 0, 0, 0xf0, 0x3f};                  /* float64 */
    void *message = calloc(1, type->size_bytes);
    char text[] = "hi";
    fill_every_kind(type, RCLITE_ROS2, message, text);
    check_bytes(type, RCLITE_ROS2, message, expected, sizeof expected);
    free(message);
    rclite_loader_free(loader);
}

static void every_kind_ros1(void **state) {
    (void)state;
    rclite_loader *loader;
    const rclite_type *type = invented_type(RCLITE_ROS1, every_kind, &loader);
    const uint8_t expected[] = {1, 0xfe, 4, 3, 5, 9, 8, 7, 6, 10, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0, 0, 0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0x0c, 0x0b, 0xfd, 0xff, 0xff,
        0xff, 8, 7, 6, 5, 4, 3, 2, 1, 2, 0, 0, 0, 'h', 'i', 0, 0, 0, 0, 0, 0, 0xf0, 0x3f};
    void *message = calloc(1, type->size_bytes);
    char text[] = "hi";
    fill_every_kind(type, RCLITE_ROS1, message, text);
    check_bytes(type, RCLITE_ROS1, message, expected, sizeof expected);
    free(message);
    rclite_loader_free(loader);
}

static void big_endian(void **state) {
    (void)state;
    rclite_loader *loader;
    const rclite_type *type = invented_type(RCLITE_ROS2, every_kind, &loader);
    const uint8_t bytes[] = {0, 0, 0, 0, 1, 0xfe, 3, 4, 5, 0, 0, 0, 6, 7, 8, 9, 10, 0, 0, 0, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f, 0x80, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0,
        0, 0, 0x0b, 0x0c, 0, 0, 0xff, 0xff, 0xff, 0xfd, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 3, 'h',
        'i', 0, 0, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0};
    void *expected = calloc(1, type->size_bytes);
    void *read = calloc(1, type->size_bytes);
    char text[] = "hi";
    fill_every_kind(type, RCLITE_ROS2, expected, text);
    assert_int_equal(
        rclite_message_deserialize(type, RCLITE_ROS2, bytes, sizeof bytes, read, NULL), 0);
    assert_true(rclite_message_equal(type, RCLITE_ROS2, expected, read));
    rclite_message_done(type, read, NULL);
    free(read);
    free(expected);
    rclite_loader_free(loader);
}

static void big_endian_arrays(void **state) {
    (void)state;
    rclite_loader *loader;
    const rclite_type *type = invented_type(RCLITE_ROS2,
        "uint16[] s\nint32[2] a\nbuiltin_interfaces/Time[] t\ngeometry_msgs/Point[] p\nbool[] b\n",
        &loader);
    const uint8_t bytes[] = {0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 3, 4, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff,
        0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 1, /* now at 32 */
        0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        2, 7, 0};
    struct {
        rclite_uint16_sequence s;
        int32_t a[2];
        rclite_time_sequence t;
        struct {
            double (*data)[3];
            size_t size, capacity;
        } p;
        rclite_bool_sequence b;
    } m = {0};
    assert_int_equal(sizeof m, type->size_bytes);
    assert_int_equal(
        rclite_message_deserialize(type, RCLITE_ROS2, bytes, sizeof bytes, &m, NULL), 0);
    assert_int_equal(m.s.size, 2);
    assert_int_equal(m.s.data[0], 0x0102);
    assert_int_equal(m.s.data[1], 0x0304);
    assert_int_equal(m.a[0], 1);
    assert_int_equal(m.a[1], -1);
    assert_int_equal(m.t.size, 1);
    assert_int_equal(m.t.data[0].sec, 5);
    assert_int_equal(m.t.data[0].nanosec, 6);
    assert_int_equal(m.p.size, 1);
    assert_true(m.p.data[0][0] == 1.0 && m.p.data[0][1] == 2.0 && m.p.data[0][2] == -2.0);
    assert_int_equal(m.b.size, 2);
    assert_int_equal(((uint8_t *)m.b.data)[0], 1); /* 7 is no bool */
    assert_int_equal(((uint8_t *)m.b.data)[1], 0);
    rclite_message_done(type, &m, NULL);
    rclite_loader_free(loader);
}

static void empty_sequences_need_no_padding(void **state) {
    (void)state;
    rclite_loader *loader;
    const rclite_type *type = invented_type(RCLITE_ROS2, "float64[] a\nuint8 b\n", &loader);
    struct {
        rclite_float64_sequence a;
        uint8_t b;
    } m = {.b = 9};
    const uint8_t empty[] = {0, 1, 0, 0, 0, 0, 0, 0, 9};
    check_bytes(type, RCLITE_ROS2, &m, empty, sizeof empty);
    double one = 1.0;
    m.a = (rclite_float64_sequence){&one, 1, 0};
    const uint8_t full[] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 9};
    check_bytes(type, RCLITE_ROS2, &m, full, sizeof full);
    rclite_loader_free(loader);
}

/* A struct whose C layout has padding at its end: elements on the wire follow without it. */
static void padded_elements(void **state) {
    (void)state;
    rclite_loader *loader;
    const rclite_type *type = invented_type(
        RCLITE_ROS2, "diagnostic_msgs/KeyValue[2] k\nstd_msgs/ColorRGBA[] c\n", &loader);
    char a[] = "a";
    float color[4] = {1.0f, 0, 0, 0};
    struct {
        struct {
            rclite_string key, value;
        } k[2];
        struct {
            void *data;
            size_t size, capacity;
        } c;
    } m = {.k = {{.key = {a, 1, 0}}}, .c = {color, 1, 0}};
    const uint8_t expected[] = {0, 1, 0, 0, 2, 0, 0, 0, 'a', 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0,
        0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0};
    check_bytes(type, RCLITE_ROS2, &m, expected, sizeof expected);
    rclite_loader_free(loader);
}

static void bounds_of_the_type(void **state) {
    (void)state;
    rclite_loader *loader;
    const rclite_type *type = invented_type(RCLITE_ROS2, "string<=2 s\nuint8[<=1] u\n", &loader);
    char text[] = "abc";
    uint8_t two[2] = {1, 2};
    struct {
        rclite_string s;
        rclite_uint8_sequence u;
    } m = {.s = {text, 3, 0}};
    uint8_t buffer[64];
    size_t size;
    assert_int_equal(
        rclite_message_serialize(type, RCLITE_ROS2, &m, buffer, 64, &size), RCLITE_ERR_OVERFLOW);
    m.s.size = 2;
    m.u = (rclite_uint8_sequence){two, 2, 0};
    assert_int_equal(
        rclite_message_serialize(type, RCLITE_ROS2, &m, buffer, 64, &size), RCLITE_ERR_OVERFLOW);
    m = (__typeof__(m)){0};
    const uint8_t long_string[] = {0, 1, 0, 0, 4, 0, 0, 0, 'a', 'b', 'c', 0, 0, 0, 0, 0};
    const uint8_t long_sequence[] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 2};
    assert_int_equal(
        rclite_message_deserialize(type, RCLITE_ROS2, long_string, sizeof long_string, &m, NULL),
        RCLITE_ERR_OVERFLOW);
    assert_int_equal(rclite_message_deserialize(
                         type, RCLITE_ROS2, long_sequence, sizeof long_sequence, &m, NULL),
        RCLITE_ERR_OVERFLOW);
    rclite_message_done(type, &m, NULL);
    rclite_loader_free(loader);
}

/* Long runs are left out, and put in place make the same bytes. */
static void long_runs_left_out(void **state) {
    (void)state;
    rclite_loader *loader = NULL;
    const rclite_type *type = invented_type(RCLITE_ROS1,
        "string name\nuint8[] first\nuint8[] none\nfloat64[] second\nint8 end\n", &loader);
    struct {
        rclite_string name;
        rclite_uint8_sequence first, none;
        rclite_float64_sequence second;
        int8_t end;
    } message = {.name = {(char[]){"name"}, 4, 0}, .end = 5};
    static uint8_t bytes[RCLITEI_CODEC_HOLE_BYTES];
    static double reals[RCLITEI_CODEC_HOLE_BYTES / sizeof(double) + 1];
    static uint8_t whole[4 * RCLITEI_CODEC_HOLE_BYTES], around[sizeof whole];
    rclitei_codec *codec = NULL;
    rclitei_codec_hole holes[RCLITEI_CODEC_HOLES_MAX];
    size_t whole_size = 0;
    size_t around_size = 0;
    size_t count = 0;
    assert_int_equal(type->size_bytes, sizeof message);
    memset(bytes, 'x', sizeof bytes);
    reals[1] = 1.5;
    message.first = (rclite_uint8_sequence){bytes, sizeof bytes, 0};
    message.second = (rclite_float64_sequence){reals, sizeof reals / sizeof *reals, 0};
    const rclite_allocator allocator = rclite_allocator_default();
    assert_int_equal(rclitei_codec_create(type, RCLITE_ROS1, &allocator, &codec), RCLITE_OK);
    assert_int_equal(
        rclitei_codec_write(codec, &message, 0, whole, sizeof whole, &whole_size), RCLITE_OK);
    assert_int_equal(rclitei_codec_write_around(
                         codec, &message, 0, around, sizeof around, &around_size, holes, &count),
        RCLITE_OK);
    assert_int_equal(around_size, whole_size);
    assert_int_equal(count, 2);
    assert_ptr_equal(holes[0].data, bytes);
    assert_ptr_equal(holes[1].data, reals);
    assert_memory_not_equal(around, whole, whole_size);
    for (size_t i = 0; i < count; i++) {
        memcpy(around + holes[i].position, holes[i].data, holes[i].bytes);
    }
    assert_memory_equal(around, whole, whole_size);
    message.first.size--; /* now it is short */
    assert_int_equal(rclitei_codec_write_around(
                         codec, &message, 0, around, sizeof around, &around_size, holes, &count),
        RCLITE_OK);
    assert_int_equal(count, 1);
    rclitei_codec_free(codec);
    rclite_loader_free(loader);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_on_both_generations),
        cmocka_unit_test(empty_struct),
        cmocka_unit_test(every_kind_ros2),
        cmocka_unit_test(every_kind_ros1),
        cmocka_unit_test(big_endian),
        cmocka_unit_test(big_endian_arrays),
        cmocka_unit_test(empty_sequences_need_no_padding),
        cmocka_unit_test(padded_elements),
        cmocka_unit_test(bounds_of_the_type),
        cmocka_unit_test(long_runs_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
