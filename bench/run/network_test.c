/* Tests of the network that peers are given: isolated, or as the user has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/network.h"

static void two_networks_have_two_domains(void **state) {
    (void)state;
    run_network one;
    run_network two;
    char *error = NULL;
    assert_true(run_network_isolate(&one, -1, &error));
    assert_true(run_network_isolate(&two, -1, &error));
    assert_true(one.domain_id != two.domain_id);
    assert_true(one.domain_id >= 60 && one.domain_id < 100);
    strvec environment = {0};
    strvec_push(&environment, "ROS_STATIC_PEERS=192.0.2.1");
    run_network_apply(&one, PLAN_TRANSPORT_TUNED, "/f.xml", "http://m", &environment);
    assert_int_equal(atoi(strvec_variable(&environment, "ROS_DOMAIN_ID")), one.domain_id);
    assert_non_null(strstr(strvec_variable(&environment, "CYCLONEDDS_URI"), "name=\"lo\""));
    assert_non_null(strstr(strvec_variable(&environment, "CYCLONEDDS_URI"), "65500B"));
    assert_null(strvec_variable(&environment, "ROS_STATIC_PEERS"));
    assert_string_equal(strvec_variable(&environment, "ROS_MASTER_URI"), "http://m");
    strvec_done(&environment);
    run_network_done(&one);
    run_network_done(&two);
}

static void fastdds_gets_profiles_unless_the_user_has_some(void **state) {
    (void)state;
    run_network network;
    char *error = NULL;
    assert_true(run_network_isolate(&network, 7, &error));
    assert_non_null(
        strstr(network.fastdds_profiles[PLAN_TRANSPORT_STOCK], "<address>127.0.0.1</address>"));
    strvec environment = {0};
    strvec_push(&environment, "FASTDDS_DEFAULT_PROFILES_FILE=");
    strvec_push(&environment, "ROS_DISCOVERY_SERVER=192.0.2.1:11811");
    assert_null(run_network_own_profiles(&environment));
    run_network_apply(&network, PLAN_TRANSPORT_STOCK, "/ours.xml", NULL, &environment);
    assert_string_equal(
        strvec_variable(&environment, "FASTRTPS_DEFAULT_PROFILES_FILE"), "/ours.xml");
    assert_string_equal(
        strvec_variable(&environment, "FASTDDS_DEFAULT_PROFILES_FILE"), "/ours.xml");
    assert_null(strvec_variable(&environment, "ROS_DISCOVERY_SERVER"));
    strvec_clear(&environment);
    strvec_push(&environment, "FASTDDS_DEFAULT_PROFILES_FILE=/mine.xml");
    assert_string_equal(run_network_own_profiles(&environment), "/mine.xml");
    run_network_apply(&network, PLAN_TRANSPORT_STOCK, "/ours.xml", NULL, &environment);
    assert_string_equal(
        strvec_variable(&environment, "FASTDDS_DEFAULT_PROFILES_FILE"), "/mine.xml");
    assert_null(strvec_variable(&environment, "FASTRTPS_DEFAULT_PROFILES_FILE"));
    strvec_done(&environment);
    run_network_done(&network);
}

static void an_open_network_leaves_the_environment(void **state) {
    (void)state;
    run_network network;
    setenv("CYCLONEDDS_URI", "file:///mine.xml", 1);
    run_network_open(&network, 7);
    unsetenv("CYCLONEDDS_URI");
    strvec environment = {0};
    strvec_push(&environment, "CYCLONEDDS_URI=file:///mine.xml");
    run_network_apply(&network, PLAN_TRANSPORT_STOCK, NULL, NULL, &environment);
    assert_string_equal(strvec_variable(&environment, "ROS_DOMAIN_ID"), "7");
    assert_string_equal(strvec_variable(&environment, "CYCLONEDDS_URI"), "file:///mine.xml");
    assert_null(strvec_variable(&environment, "ROS_IP"));
    strvec_done(&environment);
    run_network_done(&network);
}

/* Where the user says nothing every library stays on loopback, not only those that do by
 * themselves. What the set-up file of a ROS 2 installation says is not the user's word. */
static void an_open_network_without_a_word_is_loopback(void **state) {
    (void)state;
    run_network network;
    unsetenv("CYCLONEDDS_URI");
    unsetenv("ROS_AUTOMATIC_DISCOVERY_RANGE");
    unsetenv("ROS_LOCALHOST_ONLY");
    unsetenv("ROS_STATIC_PEERS");
    run_network_open(&network, 7);
    strvec environment = {0};
    strvec_push(&environment, "ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET");
    run_network_apply(&network, PLAN_TRANSPORT_STOCK, NULL, NULL, &environment);
    assert_non_null(strstr(strvec_variable(&environment, "CYCLONEDDS_URI"), "name=\"lo\""));
    assert_null(strvec_variable(&environment, "ROS_IP"));
    strvec_done(&environment);
    run_network_done(&network);
    setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET", 1);
    run_network_open(&network, 7);
    unsetenv("ROS_AUTOMATIC_DISCOVERY_RANGE");
    run_network_apply(&network, PLAN_TRANSPORT_STOCK, NULL, NULL, &environment);
    assert_null(strvec_variable(&environment, "CYCLONEDDS_URI"));
    strvec_done(&environment);
    run_network_done(&network);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_networks_have_two_domains),
        cmocka_unit_test(fastdds_gets_profiles_unless_the_user_has_some),
        cmocka_unit_test(an_open_network_leaves_the_environment),
        cmocka_unit_test(an_open_network_without_a_word_is_loopback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
