/* Replays at a living node what real subscribers and service callers sent (captured/README.md):
 * they must get their answers, whoever they are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "testing/ros1_testing.h"

#include "nav_msgs/srv/GetMap.h"
#include "ros1/header.h"
#include "std_msgs/msg/UInt8MultiArray.h"

#define ARRAY (&std_msgs__msg__UInt8MultiArray__type)
#define MAP (&nav_msgs__srv__GetMap__type)
#define BYTES_MAX 8192

static size_t load(const char *name, uint8_t bytes[BYTES_MAX]) {
    char path[512];
    snprintf(path, sizeof path, CAPTURED_FOLDER "/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, BYTES_MAX, file);
    fclose(file);
    assert_in_range(size, 5, BYTES_MAX - 1);
    return size;
}

/* The field of the header at the front, as a string to be freed. */
static char *field_of(const uint8_t *bytes, const char *name) {
    rclitei_header header = {bytes + 4, rclitei_u32_read(bytes)};
    rclitei_text text = rclitei_header_get(header, name);
    assert_non_null(text.data);
    return strndup(text.data, text.size);
}

/* Reads what is led by its length; returns that. */
static size_t receive_piece(int fd, uint8_t bytes[BYTES_MAX]) {
    assert_true(testing_receive(fd, bytes, 4));
    size_t size = rclitei_u32_read(bytes);
    assert_in_range(size, 0, BYTES_MAX - 4);
    assert_true(testing_receive(fd, bytes + 4, size));
    return size;
}

static void check_subscriber(const char *name) {
    uint8_t bytes[BYTES_MAX];
    size_t size = load(name, bytes);
    char *topic = field_of(bytes, "topic");
    rclite_context *context = testing_context(RCLITE_DELIVERY_DIRECT);
    rclite_node *node = testing_node(context, "publishing");
    rclite_publisher_options options = RCLITE_PUBLISHER_OPTIONS_INIT;
    rclite_publisher *publisher = NULL;
    uint8_t data[] = {7, 8, 9};
    const std_msgs__msg__UInt8MultiArray message = {.data = {data, sizeof data, 0}};
    assert_int_equal(
        rclite_publisher_create(node, topic, ARRAY, &options, &publisher, NULL), RCLITE_OK);
    int fd = testing_connect(testing_tcpros_port(node));
    testing_send(fd, bytes, size);
    receive_piece(fd, bytes);
    char *md5sum = field_of(bytes, "md5sum");
    assert_string_equal(md5sum, ARRAY->ros1->fingerprint);
    assert_int_equal(rclite_publisher_wait_matched(publisher, 1, TESTING_TIMEOUT_NS), RCLITE_OK);
    assert_int_equal(rclite_publisher_publish(publisher, &message), RCLITE_OK);
    size = receive_piece(fd, bytes);
    assert_memory_equal(bytes + 4 + size - sizeof data, data, sizeof data);
    close(fd);
    free(md5sum);
    free(topic);
    rclite_publisher_free(publisher);
    rclite_node_free(node);
    rclite_context_free(context);
}

static void test_subscribers(void **state) {
    (void)state;
    check_subscriber("roscpp_subscriber.tcpros");
    check_subscriber("rospy_subscriber.tcpros");
    check_subscriber("roslua_subscriber.tcpros");
}

static rclite_result serve(
    rclite_service_call *call, const void *request, void *response, char *error_text, void *user) {
    (void)call;
    (void)request;
    (void)error_text;
    (void)user;
    ((nav_msgs__srv__GetMap_Response *)response)->map.info.width = 640;
    return RCLITE_OK;
}

/* The header and all requests come at once, and then the caller says no more. */
static void check_caller(const char *name) {
    uint8_t bytes[BYTES_MAX];
    size_t size = load(name, bytes);
    size_t requests = (size - 4 - rclitei_u32_read(bytes)) / 4; /* GetMap's request is empty */
    char *service_name = field_of(bytes, "service");
    rclite_context *context = testing_context(RCLITE_DELIVERY_DIRECT);
    rclite_node *node = testing_node(context, "serving");
    rclite_service_options options = RCLITE_SERVICE_OPTIONS_INIT;
    rclite_service *service = NULL;
    assert_int_equal(
        rclite_service_create(node, service_name, MAP, serve, NULL, &options, &service, NULL),
        RCLITE_OK);
    int fd = testing_connect(testing_tcpros_port(node));
    testing_send(fd, bytes, size);
    receive_piece(fd, bytes);
    char *md5sum = field_of(bytes, "md5sum");
    assert_string_equal(md5sum, MAP->ros1_md5sum);
    assert_true(requests >= 1);
    for (size_t i = 0; i < requests; i++) {
        uint8_t ok = 0;
        nav_msgs__srv__GetMap_Response response;
        assert_true(testing_receive(fd, &ok, 1));
        assert_int_equal(ok, 1);
        size = receive_piece(fd, bytes);
        assert_int_equal(rclite_message_init(MAP->response, &response, NULL), RCLITE_OK);
        assert_int_equal(rclite_message_deserialize(
                             MAP->response, RCLITE_ROS1, bytes + 4, size, &response, NULL),
            RCLITE_OK);
        assert_int_equal(response.map.info.width, 640);
        rclite_message_done(MAP->response, &response, NULL);
    }
    close(fd);
    free(md5sum);
    free(service_name);
    rclite_service_free(service);
    rclite_node_free(node);
    rclite_context_free(context);
}

static void test_callers(void **state) {
    (void)state;
    check_caller("roscpp_caller.tcpros");
    check_caller("rospy_caller.tcpros");
    check_caller("roslua_caller.tcpros");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_subscribers),
        cmocka_unit_test(test_callers),
    };
    if (!testing_master_start()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    testing_master_stop();
    return failed;
}
