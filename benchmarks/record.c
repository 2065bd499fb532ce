/* What the kit costs a peer: the price of one recorded message, answer and request, and of reading
 * the clock, in ns. A benchmark, not a test: nothing is judged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit.h"

#define COUNT 1000000
#define PAYLOAD_BYTES 1024

static const char job_text[] =
    "{\"protocol\":1,\"generation\":2,\"pattern\":\"%s\",\"role\":\"%s\",\"echo\":false,"
    "\"names\":{\"node\":\"/n\",\"topic\":\"/t\",\"echo_topic\":null,\"service\":\"/s\","
    "\"action\":null},\"type\":\"t\",\"qos\":{\"reliability\":\"reliable\",\"durability\":"
    "\"volatile\",\"history\":\"keep_last\",\"depth\":1,\"deadline_ns\":0,\"lifespan_ns\":0,"
    "\"liveliness\":\"automatic\",\"liveliness_lease_ns\":0},\"payload_bytes\":1024,"
    "\"payload_kind\":\"bytes\",\"count\":1000000,\"duration_ns\":0,\"period_ns\":0,\"warmup\":0,"
    "\"in_flight\":1,\"endpoints\":{\"publishers\":1,\"subscribers\":1,\"clients\":1,\"servers\":1,"
    "\"nodes\":1},\"verify\":\"ends\",\"run_id\":7,\"foreign\":false,\"match_timeout_ns\":1,"
    "\"quiet_ns\":0,\"call_timeout_ns\":1000000000,\"samples\":\"/dev/null\",\"settings\":{}}";

static const peer_ops no_ops = {0};

static void open_kit(peer_kit *kit, const char *pattern, const char *role) {
    char text[2048], error[PEER_ERROR_BYTES];
    peer_job_error problem;
    memset(kit, 0, sizeof *kit);
    snprintf(text, sizeof text, job_text, pattern, role);
    if (!peer_job_parse(text, strlen(text), &kit->job, &problem) ||
        !peer_kit_init(kit, &no_ops, NULL, error)) {
        fputs("record: the kit cannot be made\n", stderr);
        exit(2);
    }
    kit->go = true;
}

static void close_kit(peer_kit *kit) {
    peer_kit_done(kit);
    peer_job_done(&kit->job);
}

static void print_cost(const char *what, int64_t begin_ns) {
    printf("%-50s %6.1f ns\n", what, (double)(peer_monotonic_ns() - begin_ns) / COUNT);
}

static void time_messages(void) {
    peer_kit kit;
    uint8_t data[PAYLOAD_BYTES];
    open_kit(&kit, "topic", "subscriber");
    peer_payload_fill(data, sizeof data, 7);
    int64_t begin = peer_monotonic_ns();
    for (uint64_t i = 0; i < COUNT; i++) {
        peer_payload_stamp(data, sizeof data, 7, i, 0);
        peer_kit_message(&kit, data, sizeof data, NULL);
    }
    print_cost("a subscriber's message: clock, check, record", begin);
    close_kit(&kit);
}

static void time_requests(void) {
    peer_kit kit;
    open_kit(&kit, "service", "server");
    int64_t begin = peer_monotonic_ns();
    for (int i = 0; i < COUNT; i++) {
        peer_kit_served(&kit, 0, i, i);
    }
    print_cost("a server's request: record", begin);
    close_kit(&kit);
}

int main(void) {
    int64_t begin = peer_monotonic_ns();
    for (int i = 0; i < COUNT; i++) {
        peer_now_ns();
    }
    print_cost("reading CLOCK_REALTIME", begin);
    time_messages();
    time_requests();
    return 0;
}
