/* The bytes of a real ROS 2, read by the code that reads the network and written again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action_msgs/msg/GoalStatusArray.h"
#include "action_msgs/srv/CancelGoal.h"
#include "core/memory.h"
#include "example_interfaces/action/Fibonacci.h"
#include "nav_msgs/srv/GetMap.h"
#include "rmw_dds_common/msg/ParticipantEntitiesInfo.h"
#include "ros2/ros2.h"
#include "ros2/testing/ros2_testing.h"
#include "std_msgs/msg/String.h"
#include "std_msgs/msg/UInt8MultiArray.h"

typedef struct fixture {
    const char *file;
    const rclite_type *type;
    size_t header_bytes; /* 16 for requests and replies */
    void (*check)(const void *message);
} fixture;

static uint8_t *read_file(const char *name, size_t *ret_size) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", FIXTURES, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail_msg("%s cannot be opened", path);
    }
    static uint8_t bytes[4096];
    *ret_size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_in_range(*ret_size, 5, sizeof bytes - 1);
    return bytes;
}

/* ---- what each holds ------------------------------------------------------------------------ */

static void assert_text(rclite_string text, const char *wanted) {
    assert_int_equal(text.size, strlen(wanted));
    assert_memory_equal(text.data, wanted, text.size);
}

static void check_string(const void *message) {
    assert_text(((const std_msgs__msg__String *)message)->data, "hello \xc3\xa4");
}

static void check_array(const void *message) {
    const std_msgs__msg__UInt8MultiArray *array = message;
    assert_int_equal(array->layout.dim.size, 2);
    assert_text(array->layout.dim.data[0].label, "height");
    assert_int_equal(array->layout.dim.data[0].size, 10);
    assert_int_equal(array->layout.dim.data[0].stride, 600);
    assert_text(array->layout.dim.data[1].label, "w");
    assert_int_equal(array->layout.data_offset, 7);
    assert_int_equal(array->data.size, 5);
    assert_int_equal(array->data.data[4], 5);
}

static void check_map(const void *message) {
    const nav_msgs__srv__GetMap_Response *response = message;
    assert_int_equal(response->map.info.map_load_time.sec, 1);
    assert_int_equal(response->map.info.map_load_time.nanosec, 2);
    assert_int_equal(response->map.header.stamp.sec, 3);
    assert_text(response->map.header.frame_id, "main_frame");
    assert_true(response->map.info.resolution == 0.5f);
    assert_true(response->map.info.origin.position.x == 1.5);
    assert_true(response->map.info.origin.orientation.w == 1.0);
    assert_int_equal(response->map.info.width, 3);
    assert_int_equal(response->map.data.size, 3);
    assert_int_equal(response->map.data.data[1], -2);
}

static void check_goal(const void *message) {
    const example_interfaces__action__Fibonacci_SendGoal_Request *request = message;
    assert_int_equal(request->goal.order, 5);
}

static void check_accepted(const void *message) {
    const example_interfaces__action__Fibonacci_SendGoal_Response *response = message;
    assert_true(response->accepted);
    assert_true(response->stamp.sec > 1700000000);
}

static void check_result(const void *message) {
    const example_interfaces__action__Fibonacci_GetResult_Response *response = message;
    assert_int_equal(response->status, 4);
    assert_int_equal(response->result.sequence.size, 5);
    assert_int_equal(response->result.sequence.data[4], 3);
}

static void check_canceled(const void *message) {
    const action_msgs__srv__CancelGoal_Response *response = message;
    assert_int_equal(response->return_code, 0);
    assert_int_equal(response->goals_canceling.size, 1);
}

static void check_feedback(const void *message) {
    const example_interfaces__action__Fibonacci_FeedbackMessage *feedback = message;
    assert_int_equal(feedback->feedback.sequence.size, 3);
    assert_int_equal(feedback->feedback.sequence.data[2], 1);
}

static void check_status(const void *message) {
    const action_msgs__msg__GoalStatusArray *array = message;
    assert_int_equal(array->status_list.size, 2);
    assert_int_equal(array->status_list.data[1].status, 5); /* canceled */
}

static void check_discovery(const void *message) {
    const rmw_dds_common__msg__ParticipantEntitiesInfo *info = message;
    assert_int_equal(info->gid.data[0], 0x01);
    assert_int_equal(info->gid.data[1], 0x10);
    assert_int_equal(info->gid.data[15], 0xc1);
    assert_int_equal(info->node_entities_info_seq.size, 1);
    const rmw_dds_common__msg__NodeEntitiesInfo *node = info->node_entities_info_seq.data;
    assert_text(node->node_namespace, "/fixtures");
    assert_text(node->node_name, "fixture_node");
    assert_true(node->reader_gid_seq.size >= 10);
    assert_memory_equal(node->reader_gid_seq.data[0].data, info->gid.data, 12);
    assert_true(node->writer_gid_seq.size >= 10);
}

static void check_nothing(const void *message) {
    assert_non_null(message);
}

static const fixture *fixtures(size_t *ret_count) {
    static fixture list[13];
    const rclite_action_type *action = &example_interfaces__action__Fibonacci__type;
    const fixture filled[] = {
        {"string.cdr", &std_msgs__msg__String__type, 0, check_string},
        {"uint8_multi_array.cdr", &std_msgs__msg__UInt8MultiArray__type, 0, check_array},
        {"get_map_request.cdr", nav_msgs__srv__GetMap__type.request, 16, check_nothing},
        {"get_map_reply.cdr", nav_msgs__srv__GetMap__type.response, 16, check_map},
        {"send_goal_request.cdr", action->ros2_send_goal->request, 16, check_goal},
        {"send_goal_reply.cdr", action->ros2_send_goal->response, 16, check_accepted},
        {"get_result_request.cdr", action->ros2_get_result->request, 16, check_nothing},
        {"get_result_reply.cdr", action->ros2_get_result->response, 16, check_result},
        {"cancel_goal_request.cdr", action_msgs__srv__CancelGoal__type.request, 16, check_nothing},
        {"cancel_goal_reply.cdr", action_msgs__srv__CancelGoal__type.response, 16, check_canceled},
        {"feedback.cdr", action->ros2_feedback_message, 0, check_feedback},
        {"status.cdr", &action_msgs__msg__GoalStatusArray__type, 0, check_status},
        {"discovery_info.cdr", &rmw_dds_common__msg__ParticipantEntitiesInfo__type, 0,
            check_discovery},
    };
    _Static_assert(sizeof filled == sizeof list, "all of them");
    memcpy(list, filled, sizeof list);
    *ret_count = sizeof list / sizeof *list;
    return list;
}

/* ---- reading and writing -------------------------------------------------------------------- */

static void check_fixture(const fixture *one, bool views) {
    const rclite_allocator allocator = rclite_allocator_default();
    size_t size = 0;
    const uint8_t *bytes = read_file(one->file, &size);
    const size_t lead = ROS2_ENCAPSULATION_BYTES + one->header_bytes;
    assert_memory_equal(bytes, ((const uint8_t[]){0, 1, 0, 0}), ROS2_ENCAPSULATION_BYTES);
    rclitei_codec *codec = NULL;
    assert_ok(rclitei_codec_create(one->type, RCLITE_ROS2, &allocator, &codec));
    void *message = rclitei_message_create(one->type, &allocator);
    assert_non_null(message);
    const rclitei_codec_read_options options = {.origin = one->header_bytes, .views = views};
    /* A copy that ends where the sample ends, so that reading beyond it is seen. */
    uint8_t *body = malloc(size - lead);
    assert_non_null(body);
    memcpy(body, bytes + lead, size - lead);
    assert_ok(rclitei_codec_read(codec, body, size - lead, &options, message, &allocator));
    one->check(message);

    uint8_t written[4096] = {0};
    size_t written_bytes = rclitei_codec_size(codec, message, one->header_bytes);
    assert_ok(rclitei_codec_write(
        codec, message, one->header_bytes, written, sizeof written, &written_bytes));
    const size_t padded = ((written_bytes + lead + 3) & ~(size_t)3) - lead;
    assert_int_equal(padded, size - lead);
    assert_memory_equal(written, body, padded);
    rclitei_message_free(one->type, message, &allocator);

    /* Cut anywhere, it is refused or it is what remains; never more. */
    for (size_t cut = 0; cut + 4 < size - lead; cut++) {
        uint8_t *part = malloc(cut ? cut : 1);
        assert_non_null(part);
        memcpy(part, body, cut);
        message = rclitei_message_create(one->type, &allocator);
        const rclite_result result =
            rclitei_codec_read(codec, part, cut, &options, message, &allocator);
        assert_true(result == RCLITE_ERR_MALFORMED || result == RCLITE_ERR_OVERFLOW);
        rclitei_message_free(one->type, message, &allocator);
        free(part);
    }
    free(body);
    rclitei_codec_free(codec);
}

static void samples(void **state) {
    (void)state;
    size_t count = 0;
    const fixture *list = fixtures(&count);
    for (size_t i = 0; i < count; i++) {
        check_fixture(&list[i], false);
        check_fixture(&list[i], true);
    }
}

/* The header as the backend takes it from a sample, and the reply that a server would send to it.
 */
static void request_header(void **state) {
    (void)state;
    const rclite_allocator allocator = rclite_allocator_default();
    ros2_pool *pool = ros2_pool_create(&allocator);
    struct ddsi_sertype *type = ros2_sertype_create(pool, "nav_msgs::srv::dds_::GetMap_Request_");
    size_t request_bytes = 0;
    const uint8_t *bytes = read_file("get_map_request.cdr", &request_bytes);
    ros2_serdata *serdata = ros2_serdata_create(type, request_bytes);
    assert_non_null(serdata);
    memcpy(serdata->bytes, bytes, request_bytes);
    ros2_request_header header;
    const uint8_t *body = NULL;
    size_t body_bytes = 0;
    bool big_endian = true;
    assert_true(ros2_request_open(serdata, &header, &body, &body_bytes, &big_endian));
    assert_false(big_endian);
    assert_int_equal(header.sequence, 1);
    assert_int_equal(body_bytes, 4); /* the one byte of an empty struct, and padding */
    ros2_request_header answered;
    size_t reply_bytes = 0;
    const uint8_t *reply = read_file("get_map_reply.cdr", &reply_bytes);
    memcpy(&answered, reply + ROS2_ENCAPSULATION_BYTES, sizeof answered);
    assert_memory_equal(&answered, &header, sizeof header);
    ros2_serdata_unref(serdata);
    ddsi_sertype_unref(type);
    assert_true(ros2_pool_free(pool, 0));
}

/* user data as rmw writes it: what we look for is found, and what we write has the same form. */
static void user_data(void **state) {
    (void)state;
    size_t size = 0;
    char *text = (char *)read_file("user_data.txt", &size);
    text[size] = '\0';
    int services = 0, clients = 0, hashes = 0, enclaves = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        const char *data = strstr(line, ": ");
        assert_non_null(data);
        dds_qos_t *qos = dds_create_qos();
        dds_qset_userdata(qos, data + 2, strlen(data + 2));
        char value[ROS2_IDENTITY_CAPACITY];
        if (ros2_user_data_get(qos, "serviceid", value, sizeof value)) {
            services++;
            assert_true(strncmp(value, " 1.10.", 6) == 0);
        }
        clients += ros2_user_data_get(qos, "clientid", value, sizeof value);
        enclaves +=
            ros2_user_data_get(qos, "enclave", value, sizeof value) && strcmp(value, "/") == 0;
        if (ros2_user_data_get(qos, "typehash", value, sizeof value)) {
            hashes++;
            if (strstr(line, "std_msgs::msg::dds_::String_")) {
                assert_string_equal(value, std_msgs__msg__String__type.ros2->fingerprint);
            } else if (strstr(line, "GetMap_Request_")) {
                assert_string_equal(value, nav_msgs__srv__GetMap__type.request->ros2->fingerprint);
            } else if (strstr(line, "GetMap_Response_")) {
                assert_string_equal(value, nav_msgs__srv__GetMap__type.response->ros2->fingerprint);
            }
        }
        assert_false(ros2_user_data_get(qos, "hash", value, sizeof value));
        dds_delete_qos(qos);
    }
    assert_int_equal(services, 2);
    assert_int_equal(clients, 2);
    assert_int_equal(hashes, 5);
    assert_int_equal(enclaves, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples),
        cmocka_unit_test(request_header),
        cmocka_unit_test(user_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
