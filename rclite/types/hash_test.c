/* What identifies a type: md5 sums and type hashes against values that other programs computed.
 * With a ROS 2 installation (RCLITE_TEST_ROS2, or /opt/ros/ *) every interface there is loaded and
 * its hashes are compared with its type description. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <glob.h>
#include <jansson.h>

#include "rclite/loader.h"
#include "types/digest.h"
#include "types/random_message.h"

static rclite_loader *open_loader(rclite_generation generation, const char *path) {
    rclite_loader *loader = NULL;
    rclite_error error = {.text = ""};
    if (rclite_loader_create(generation, path, NULL, &loader, &error) != RCLITE_OK) {
        fail_msg("%s", error.text);
    }
    return loader;
}

static void digests_of_the_standards(void **state) {
    (void)state;
    char hex[65];
    rclitei_md5_hex("", 0, hex);
    assert_string_equal(hex, "d41d8cd98f00b204e9800998ecf8427e");
    rclitei_md5_hex("abc", 3, hex);
    assert_string_equal(hex, "900150983cd24fb0d6963f7d28e17f72");
    const char *digits =
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890";
    rclitei_md5_hex(digits, 80, hex);
    assert_string_equal(hex, "57edf4a22be3c955ac49da2e2107b67a");
    rclitei_sha256_hex("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    rclitei_sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
    assert_string_equal(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

typedef struct expected {
    const char *name;
    const char *fingerprint;
} expected;

static void md5_sums_of_ros1(void **state) {
    (void)state;
    static const expected messages[] = {
        {"actionlib_msgs/GoalID", "302881f31927c1df708a2dbab0e80ee8"},
        {"actionlib_msgs/GoalStatus", "d388f9b87b3c471f784434d671988d4a"},
        {"actionlib_msgs/GoalStatusArray", "8b2b82f13216d0a8ea88bd3af735e619"},
        {"std_msgs/Header", "2176decaecbce78abc3b96ef049fabed"},
        {"std_msgs/String", "992ce8a1687cec8c8bd883ec73ca41d1"},
        {"rosgraph_msgs/Log", "acffd30cd6b6de30f120938c17c593fb"},
        {"sensor_msgs/PointCloud2", "1158d486dd51d683ce2f1be655c3c181"},
        {"sensor_msgs/Image", "060021388200f6f0f447d0fcd9c64743"},
        {"nav_msgs/Odometry", "cd5e73d190d741a2f92e81eda573aca7"},
        {"tf2_msgs/TFMessage", "94810edda583a504dfda3829e70d7eec"},
    };
    rclite_loader *loader = open_loader(RCLITE_ROS1, RCLITE_TEST_INTERFACES "/ros1");
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        const rclite_type *type;
        assert_int_equal(rclite_loader_message(loader, messages[i].name, &type, NULL), 0);
        assert_string_equal(type->ros1->fingerprint, messages[i].fingerprint);
    }
    const rclite_service_type *service;
    assert_int_equal(rclite_loader_service(loader, "std_srvs/SetBool", &service, NULL), 0);
    assert_string_equal(service->ros1_md5sum, "09fb03525b03e7ea1fd3992bafd87e16");
    assert_int_equal(rclite_loader_service(loader, "nav_msgs/GetMap", &service, NULL), 0);
    assert_string_equal(service->ros1_md5sum, "6cdd0a18e0aff5b0a3ca2326a89b54ff");
    assert_string_equal(service->request->ros1->wire_name, "nav_msgs/GetMapRequest");
    const rclite_action_type *action;
    assert_int_equal(
        rclite_loader_action(loader, "actionlib_benchmark/Roundtrip", &action, NULL), 0);
    assert_string_equal(
        action->ros1_action_goal->ros1->fingerprint, "6336f9f60a4dfe5f8b4fe0c5a6ff2eb2");
    assert_string_equal(
        action->ros1_action_result->ros1->fingerprint, "d07cdb1aa9c46a81a758228caa9da28a");
    assert_string_equal(
        action->ros1_action_feedback->ros1->fingerprint, "aae20e09065c3809e8a8e87c4c8953fd");
    assert_string_equal(
        action->ros1_action_goal->ros1->wire_name, "actionlib_benchmark/RoundtripActionGoal");
    rclite_loader_free(loader);
}

static void definition_text_of_ros1(void **state) {
    (void)state;
    rclite_loader *loader = open_loader(RCLITE_ROS1, RCLITE_TEST_INTERFACES "/ros1");
    const rclite_type *type;
    assert_int_equal(rclite_loader_message_text(
                         loader, "demo/Stamped", "Header header\nstring text\n", &type, NULL),
        0);
    assert_string_equal(type->ros1->definition,
        "Header header\nstring text\n\n"
        "================================================================================\n"
        "MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n");
    rclite_loader_free(loader);
}

static void hashes_of_ros2(void **state) {
    (void)state;
    rclite_loader *loader = open_loader(RCLITE_ROS2, RCLITE_TEST_INTERFACES "/ros2");
    const rclite_type *type;
    assert_int_equal(rclite_loader_message(loader, "std_msgs/msg/String", &type, NULL), 0);
    assert_string_equal(type->ros2->fingerprint,
        "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18");
    assert_string_equal(type->ros2->wire_name, "std_msgs::msg::dds_::String_");
    assert_int_equal(rclite_loader_message(loader, "std_msgs/Header", &type, NULL), 0);
    assert_string_equal(type->ros2->fingerprint,
        "RIHS01_f49fb3ae2cf070f793645ff749683ac6b06203e41c891e17701b1cb597ce6a01");
    const rclite_action_type *action;
    assert_int_equal(
        rclite_loader_action(loader, "actionlib_benchmark/action/Roundtrip", &action, NULL), 0);
    assert_string_equal(action->ros2_send_goal->request->ros2->wire_name,
        "actionlib_benchmark::action::dds_::Roundtrip_SendGoal_Request_");
    assert_string_equal(action->ros2_feedback_message->ros2->wire_name,
        "actionlib_benchmark::action::dds_::Roundtrip_FeedbackMessage_");
    rclite_loader_free(loader);
}

/* ---- every interface of an installed ROS 2 -------------------------------------------------- */

typedef struct installation {
    rclite_loader *loader;
    const char *share;
    size_t compared;
    size_t refused; /* wstring */
} installation;

static const char *expected_hash(const json_t *root, const char *name) {
    size_t i;
    const json_t *item;
    json_array_foreach(json_object_get(root, "type_hashes"), i, item) {
        if (strcmp(json_string_value(json_object_get(item, "type_name")), name) == 0) {
            return json_string_value(json_object_get(item, "hash_string"));
        }
    }
    return NULL;
}

static void compare_hash(
    installation *in, const json_t *root, const char *name, const char *fingerprint) {
    const char *hash = expected_hash(root, name);
    if (hash) {
        if (strcmp(hash, fingerprint) != 0) {
            fail_msg("%s: %s, its type description says %s", name, fingerprint, hash);
        }
        in->compared++;
    }
}

static void compare_service(
    installation *in, const json_t *root, const rclite_service_type *service) {
    compare_hash(in, root, service->name, service->ros2_hash);
    compare_hash(in, root, service->request->name, service->request->ros2->fingerprint);
    compare_hash(in, root, service->response->name, service->response->ros2->fingerprint);
}

static rclite_result load_and_compare(
    installation *in, const json_t *root, const char *name, rclite_error *error) {
    rclite_result result;
    if (strstr(name, "/srv/")) {
        const rclite_service_type *service;
        result = rclite_loader_service(in->loader, name, &service, error);
        if (result == RCLITE_OK) {
            compare_service(in, root, service);
        }
    } else if (strstr(name, "/action/")) {
        const rclite_action_type *action;
        result = rclite_loader_action(in->loader, name, &action, error);
        if (result == RCLITE_OK) {
            compare_hash(in, root, action->goal->name, action->goal->ros2->fingerprint);
            compare_hash(in, root, action->result->name, action->result->ros2->fingerprint);
            compare_hash(in, root, action->feedback->name, action->feedback->ros2->fingerprint);
            compare_hash(in, root, action->ros2_feedback_message->name,
                action->ros2_feedback_message->ros2->fingerprint);
            compare_service(in, root, action->ros2_send_goal);
            compare_service(in, root, action->ros2_get_result);
        }
    } else {
        const rclite_type *type;
        result = rclite_loader_message(in->loader, name, &type, error);
        if (result == RCLITE_OK) {
            compare_hash(in, root, type->name, type->ros2->fingerprint);
        }
    }
    return result;
}

static void compare_definition(const char *name, void *user) {
    installation *in = user;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.json", in->share, name);
    json_t *root = json_load_file(path, 0, NULL);
    if (!root) {
        return; /* Humble has none */
    }
    rclite_error error = {.text = ""};
    if (load_and_compare(in, root, name, &error) != RCLITE_OK) {
        if (!strstr(error.text, "wstring")) {
            fail_msg("%s: %s", name, error.text);
        }
        in->refused++;
    }
    json_decref(root);
}

/* The first installation, or NULL. */
static char *find_installation(void) {
    const char *given = getenv("RCLITE_TEST_ROS2");
    glob_t found = {0};
    char *share = NULL;
    if (given && asprintf(&share, "%s/share", given) < 0) {
        return NULL;
    }
    if (!share && glob("/opt/ros/*/share/builtin_interfaces/msg/Time.json", 0, NULL, &found) == 0) {
        share = strdup(found.gl_pathv[0]);
        *strstr(share, "/builtin_interfaces") = '\0';
    }
    globfree(&found);
    return share;
}

static void hashes_of_an_installed_ros2(void **state) {
    (void)state;
    char *share = find_installation();
    if (!share) {
        skip();
    }
    char *path = NULL;
    assert_true(asprintf(&path, "%s:" RCLITE_TEST_INTERFACES "/ros2", share) > 0);
    installation in = {.loader = open_loader(RCLITE_ROS2, path), .share = share};
    each_definition(share, "msg", compare_definition, &in);
    each_definition(share, "srv", compare_definition, &in);
    each_definition(share, "action", compare_definition, &in);
    print_message("%s: %zu hashes equal, %zu interfaces refused for wstring\n", share, in.compared,
        in.refused);
    assert_true(in.compared > 20);
    rclite_loader_free(in.loader);
    free(path);
    free(share);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_of_the_standards),
        cmocka_unit_test(md5_sums_of_ros1),
        cmocka_unit_test(definition_text_of_ros1),
        cmocka_unit_test(hashes_of_ros2),
        cmocka_unit_test(hashes_of_an_installed_ros2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
