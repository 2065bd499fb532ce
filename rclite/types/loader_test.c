/* The parser and the loader: what is accepted, and the sentence with file and line for what is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "rclite/loader.h"
#include "types/random_message.h"
#include "types/test_allocator.h"

static rclite_loader *open_loader(rclite_generation generation, const char *path) {
    rclite_loader *loader = NULL;
    assert_int_equal(rclite_loader_create(generation, path, NULL, &loader, NULL), 0);
    return loader;
}

static rclite_loader *open_tree(rclite_generation generation) {
    return open_loader(generation, generation == RCLITE_ROS1 ? RCLITE_TEST_INTERFACES "/ros1"
                                                             : RCLITE_TEST_INTERFACES "/ros2");
}

static void check_refused(
    rclite_generation generation, const char *text, rclite_result code, const char *sentence) {
    rclite_loader *loader = open_tree(generation);
    const rclite_type *type = NULL;
    rclite_error error = {.text = ""};
    rclite_result result = rclite_loader_message_text(loader, "demo/Wrong", text, &type, &error);
    if (result != code || strcmp(error.text, sentence) != 0) {
        fail_msg("'%s': %d, %s", text, result, error.text);
    }
    assert_int_equal(error.code, code);
    assert_null(type);
    rclite_loader_free(loader);
}

static void mistakes_are_named(void **state) {
    (void)state;
    static const struct {
        rclite_generation generation;
        const char *text;
        rclite_result code;
        const char *sentence;
    } rows[] = {
        {RCLITE_ROS2, "int8 a\n\nwstring w\n", RCLITE_ERR_TYPE,
            "Wrong:3: wstring is not supported: 'wstring'"},
        {RCLITE_ROS2, "wstring<=4[] w\n", RCLITE_ERR_TYPE,
            "Wrong:1: wstring is not supported: 'wstring<=4[]'"},
        {RCLITE_ROS2, "time t\n", RCLITE_ERR_TYPE,
            "Wrong:1: time and duration are builtin_interfaces/Time and Duration in ROS 2: 'time'"},
        {RCLITE_ROS2, "int8\n", RCLITE_ERR_MALFORMED, "Wrong:1: a type without a name: 'int8'"},
        {RCLITE_ROS2, "int8 1a\n", RCLITE_ERR_MALFORMED, "Wrong:1: not a valid name: '1a'"},
        {RCLITE_ROS2, "int8 a\nint16 a # again\n", RCLITE_ERR_MALFORMED,
            "Wrong:2: the name is used twice: 'a'"},
        {RCLITE_ROS2, "int8 a 128\n", RCLITE_ERR_MALFORMED,
            "Wrong:1: the default value does not fit its type: '128'"},
        {RCLITE_ROS2, "int8[2] a [1]\n", RCLITE_ERR_MALFORMED,
            "Wrong:1: the default value does not fit its type: '[1]'"},
        {RCLITE_ROS2, "string<=2 a 'abc'\n", RCLITE_ERR_MALFORMED,
            "Wrong:1: the default value does not fit its type: ''abc''"},
        {RCLITE_ROS2, "string a 'b\n", RCLITE_ERR_MALFORMED,
            "Wrong:1: the default value does not fit its type: ''b'"},
        {RCLITE_ROS2, "uint8 A=-1\n", RCLITE_ERR_MALFORMED,
            "Wrong:1: the value does not fit its type: '-1'"},
        {RCLITE_ROS2, "std_msgs/Header A=1\n", RCLITE_ERR_MALFORMED,
            "Wrong:1: a constant is a number, bool or string: '1'"},
        {RCLITE_ROS2, "uint8[x] a\n", RCLITE_ERR_TYPE,
            "Wrong:1: the array size is not a positive number: 'uint8[x]'"},
        {RCLITE_ROS2, "uint8[0] a\n", RCLITE_ERR_TYPE,
            "Wrong:1: the array size is not a positive number: 'uint8[0]'"},
        {RCLITE_ROS2, "uint8[4 a\n", RCLITE_ERR_TYPE,
            "Wrong:1: the array type does not end with ']': 'uint8[4'"},
        {RCLITE_ROS2, "string<=x a\n", RCLITE_ERR_TYPE,
            "Wrong:1: the string bound is not a positive number: 'string<=x'"},
        {RCLITE_ROS2, "../x a\n", RCLITE_ERR_TYPE, "Wrong:1: this is no type name: '../x'"},
        {RCLITE_ROS2, "a/srv/B c\n", RCLITE_ERR_TYPE, "Wrong:1: this is no type name: 'a/srv/B'"},
        {RCLITE_ROS2, "int8 a\n---\n", RCLITE_ERR_MALFORMED, "Wrong:2: one '---' too many: '---'"},
        {RCLITE_ROS2, "\nno_such/Type t\n", RCLITE_ERR_TYPE,
            "Wrong:2: no definition of no_such/msg/Type on the search path "
            "'" RCLITE_TEST_INTERFACES "/ros2'"},
        {RCLITE_ROS2, "int8 a\nWrong me\n", RCLITE_ERR_MALFORMED,
            "Wrong:2: demo/msg/Wrong contains itself"},
        {RCLITE_ROS2, "uint8[999999999] a\n", RCLITE_ERR_OVERFLOW,
            "Wrong:1: the struct would be larger than 64 MiB"},
        {RCLITE_ROS1, "uint8[<=3] a\n", RCLITE_ERR_TYPE,
            "Wrong:1: the array size is not a positive number: 'uint8[<=3]'"},
        {RCLITE_ROS1, "uint8 a 3\n", RCLITE_ERR_MALFORMED,
            "Wrong:1: text behind the field's name: '3'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_refused(rows[i].generation, rows[i].text, rows[i].code, rows[i].sentence);
    }
}

static void wrong_names_are_named(void **state) {
    (void)state;
    static const char *const names[] = {"", "String", "/String", "std_msgs/", "std_msgs/srv/String",
        "std_msgs/msg/", "../x/msg/Y", "std_msgs/msg/Str ing", "std_msgs/msg/String/More"};
    rclite_loader *loader = open_tree(RCLITE_ROS2);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const rclite_type *type;
        rclite_error error = {.text = ""};
        assert_int_equal(rclite_loader_message(loader, names[i], &type, &error), RCLITE_ERR_NAME);
        assert_non_null(strstr(error.text, names[i]));
    }
    const rclite_type *type;
    rclite_error error;
    assert_int_equal(
        rclite_loader_message(loader, "std_msgs/Missing", &type, &error), RCLITE_ERR_TYPE);
    assert_non_null(strstr(error.text, "std_msgs/msg/Missing"));
    rclite_loader_free(loader);
}

static void loading_twice_is_the_same(void **state) {
    (void)state;
    for (rclite_generation g = RCLITE_ROS1; g <= RCLITE_ROS2; g++) {
        rclite_loader *loader = open_tree(g);
        const rclite_type *a, *b;
        const rclite_service_type *s, *t;
        const rclite_action_type *x, *y;
        assert_int_equal(rclite_loader_message(loader, "std_msgs/msg/Header", &a, NULL), 0);
        assert_int_equal(rclite_loader_message(loader, "std_msgs/Header", &b, NULL), 0);
        assert_ptr_equal(a, b);
        assert_int_equal(rclite_loader_service(loader, "nav_msgs/srv/GetMap", &s, NULL), 0);
        assert_int_equal(rclite_loader_service(loader, "nav_msgs/GetMap", &t, NULL), 0);
        assert_ptr_equal(s, t);
        const char *action = "actionlib_benchmark/Roundtrip";
        assert_int_equal(rclite_loader_action(loader, action, &x, NULL), 0);
        assert_int_equal(rclite_loader_action(loader, action, &y, NULL), 0);
        assert_ptr_equal(x, y);
        assert_int_equal(x->ros1_action_goal != NULL, g == RCLITE_ROS1);
        assert_int_equal(x->ros2_send_goal != NULL, g == RCLITE_ROS2);
        assert_int_equal(a->ros1 != NULL, g == RCLITE_ROS1);
        rclite_loader_free(loader);
    }
}

static void constants_and_defaults(void **state) {
    (void)state;
    rclite_loader *loader = open_tree(RCLITE_ROS2);
    const rclite_type *type;
    struct {
        bool yes;
        int8_t low;
        uint64_t high;
        double f;
        rclite_string text;
        rclite_string bare;
        int32_t fixed[3];
        rclite_string_sequence list;
        rclite_float32_sequence none;
        struct {
            double x, y, z, w;
        } turn[2];
    } m;
    assert_int_equal(rclite_loader_message_text(loader, "demo/Defaults",
                         "int8 NONE=0\nbool yes true\nint8 low -128\n"
                         "uint64 high 18446744073709551615\nfloat64 f -1.5e3\n"
                         "string text \"it's \\\"quoted\\\"\"\nstring bare word # not this\n"
                         "int32[3] fixed [1, -2, 0x10]\nstring[<=4] list [\"a, b\", 'c', d]\n"
                         "float32[] none []\ngeometry_msgs/Quaternion[2] turn\n",
                         &type, NULL),
        0);
    assert_int_equal(type->size_bytes, sizeof m);
    assert_int_equal(rclite_message_init(type, &m, NULL), 0);
    assert_true(m.yes);
    assert_int_equal(m.low, -128);
    assert_true(m.high == UINT64_MAX);
    assert_true(m.f == -1500.0);
    assert_string_equal(m.text.data, "it's \"quoted\"");
    assert_string_equal(m.bare.data, "word");
    assert_int_equal(m.fixed[0], 1);
    assert_int_equal(m.fixed[1], -2);
    assert_int_equal(m.fixed[2], 16);
    assert_int_equal(m.list.size, 3);
    assert_string_equal(m.list.data[0].data, "a, b");
    assert_string_equal(m.list.data[1].data, "c");
    assert_string_equal(m.list.data[2].data, "d");
    assert_int_equal(m.none.size, 0);
    assert_true(m.turn[1].w == 1.0 && m.turn[1].z == 0.0);
    rclite_message_done(type, &m, NULL);
    rclite_loader_free(loader);
}

static void folders_of_every_shape(void **state) {
    (void)state;
    char root[] = "/tmp/rclite_loader_XXXXXX";
    assert_non_null(mkdtemp(root));
    char path[256];
    static const char *const folders[] = {
        "share", "share/far", "share/far/msg", "near", "near/msg", "near/msg/Folder.msg"};
    for (size_t i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "%s/%s", root, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    static const char *const files[][2] = {{"share/far/msg/Far.msg", "near/Near n\n"},
        {"near/msg/Near.msg", "int8 a\nLoop l\n"}, {"near/msg/Loop.msg", "int8 a\nNear b\n"},
        {"near/msg/Good.msg", "int8 a\r\n"}};
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", root, files[i][0]);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(files[i][1], file);
        fclose(file);
    }
    snprintf(path, sizeof path, "::/no/such/folder:%s:%s/near", root, root);
    rclite_loader *loader = open_loader(RCLITE_ROS2, path);
    const rclite_type *type;
    rclite_error error;
    assert_int_equal(rclite_loader_message(loader, "near/Good", &type, &error), 0);
    assert_int_equal(rclite_loader_message(loader, "far/Far", &type, &error), RCLITE_ERR_MALFORMED);
    snprintf(path, sizeof path, "%s/near/msg/Loop.msg:2: near/msg/Near contains itself", root);
    assert_string_equal(error.text, path);
    /* The failure is not remembered as something else. */
    assert_int_equal(rclite_loader_message(loader, "far/Far", &type, &error), RCLITE_ERR_MALFORMED);
    assert_string_equal(error.text, path);
    assert_int_equal(
        rclite_loader_message(loader, "near/Folder", &type, &error), RCLITE_ERR_SYSTEM);
    rclite_loader_free(loader);
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", root, files[i][0]);
        unlink(path);
    }
    for (size_t i = 6; i-- > 0;) {
        snprintf(path, sizeof path, "%s/%s", root, folders[i]);
        rmdir(path);
    }
    assert_int_equal(rmdir(root), 0);
}

static void nesting_has_an_end(void **state) {
    (void)state;
    rclite_loader *loader = open_tree(RCLITE_ROS2);
    const rclite_type *type;
    rclite_error error;
    rclite_result result = rclite_loader_message_text(loader, "demo/L0", "int8 a\n", &type, &error);
    int level = 0;
    while (result == RCLITE_OK && level < 100) {
        char name[32], text[64];
        snprintf(name, sizeof name, "demo/L%d", level + 1);
        snprintf(text, sizeof text, "L%d a\nL%d b\n", level, level);
        result = rclite_loader_message_text(loader, name, text, &type, &error);
        level++;
    }
    assert_int_equal(result, RCLITE_ERR_OVERFLOW);
    assert_true(level > 20 && level < 40);
    rclite_loader_free(loader);
}

/* Without a path: the environment's, and what we bring along. */
static void default_path(void **state) {
    (void)state;
    unsetenv("AMENT_PREFIX_PATH");
    unsetenv("ROS_PACKAGE_PATH");
    for (rclite_generation g = RCLITE_ROS1; g <= RCLITE_ROS2; g++) {
        rclite_loader *loader = open_loader(g, NULL);
        const rclite_action_type *action;
        rclite_error error = {.text = ""};
        if (rclite_loader_action(loader, "actionlib_benchmark/action/Roundtrip", &action, &error) !=
            RCLITE_OK) {
            fail_msg("%s", error.text);
        }
        rclite_loader_free(loader);
    }
}

/* Everything that loading allocates, failing one after the other. */
static void failed_allocations_leak_nothing(void **state) {
    (void)state;
    for (rclite_generation g = RCLITE_ROS1; g <= RCLITE_ROS2; g++) {
        rclite_result result = RCLITE_ERR_NO_MEMORY;
        for (size_t n = 0; result != RCLITE_OK; n++) {
            test_allocator failing = {.fail_at = n};
            rclite_allocator allocator = test_allocator_interface(&failing);
            rclite_loader *loader = NULL;
            rclite_error error = {.text = ""};
            const rclite_type *type;
            const rclite_service_type *service;
            const rclite_action_type *action;
            result = rclite_loader_create(g,
                g == RCLITE_ROS1 ? RCLITE_TEST_INTERFACES "/ros1" : RCLITE_TEST_INTERFACES "/ros2",
                &allocator, &loader, &error);
            result = result ? result
                            : rclite_loader_message(loader, "tf2_msgs/TFMessage", &type, &error);
            result = result ? result
                            : rclite_loader_service(loader, "nav_msgs/GetMap", &service, &error);
            result = result ? result
                            : rclite_loader_action(
                                  loader, "actionlib_benchmark/Roundtrip", &action, &error);
            assert_true(result == RCLITE_OK || result == RCLITE_ERR_NO_MEMORY);
            assert_true(result == RCLITE_OK || error.text[0] != '\0');
            rclite_loader_free(loader);
            assert_int_equal(failing.live, 0);
        }
    }
}

static void fields_by_path(void **state) {
    (void)state;
    rclite_loader *loader = open_tree(RCLITE_ROS2);
    const rclite_type *type;
    const rclite_field *field;
    void *address;
    rclite_error error;
    assert_int_equal(rclite_loader_message(loader, "tf2_msgs/msg/TFMessage", &type, NULL), 0);
    rclite_uint8_sequence *message = calloc(1, type->size_bytes);
    const rclite_type *element = type->ros2->fields[0].type;
    assert_int_equal(rclite_message_sequence_resize(element, message, 2, NULL), 0);
    const char *path = "transforms[1].transform.rotation.w";
    assert_int_equal(
        rclite_message_field(type, RCLITE_ROS2, message, path, &field, &address, NULL), 0);
    assert_int_equal(field->kind, RCLITE_FIELD_FLOAT64);
    assert_true(*(double *)address == 1.0);
    static const char *const wrong[][2] = {
        {"transforms[2].header", "'transforms[2].header': field 'transforms' has 2 elements, there "
                                 "is no [2]"},
        {"transforms.header", "'transforms.header': field 'transforms' is not one message, nothing "
                              "is inside it"},
        {"transforms[0].nothing", "geometry_msgs/msg/TransformStamped has no field 'nothing' (in "
                                  "'transforms[0].nothing')"},
        {"transforms[x]", "the index in 'transforms[x]' is not a number in brackets"},
        {"", "tf2_msgs/msg/TFMessage has no field '' (in '')"},
        {"transforms[0].child_frame_id.x", "'transforms[0].child_frame_id.x': field "
                                           "'child_frame_id' is not one message, nothing is inside "
                                           "it"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(
            rclite_message_field(type, RCLITE_ROS2, message, wrong[i][0], &field, &address, &error),
            RCLITE_ERR_INVALID);
        assert_string_equal(error.text, wrong[i][1]);
    }
    assert_int_equal(
        rclite_message_field(type, RCLITE_ROS1, message, path, &field, &address, &error),
        RCLITE_ERR_TYPE);
    rclite_message_done(type, message, NULL);
    free(message);
    rclite_loader_free(loader);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(wrong_names_are_named),
        cmocka_unit_test(loading_twice_is_the_same),
        cmocka_unit_test(constants_and_defaults),
        cmocka_unit_test(folders_of_every_shape),
        cmocka_unit_test(default_path),
        cmocka_unit_test(nesting_has_an_end),
        cmocka_unit_test(failed_allocations_leak_nothing),
        cmocka_unit_test(fields_by_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
