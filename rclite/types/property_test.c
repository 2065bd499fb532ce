/* Properties that hold for every type in the trees: what is written is read back equal, nothing
 * short of the whole is accepted, damaged bytes do no harm, and a failed allocation leaks nothing.
 * The random numbers have a fixed seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/codec.h"
#include "rclite/loader.h"
#include "types/random_message.h"
#include "types/test_allocator.h"

typedef struct suite {
    rclite_generation generation;
    rclite_loader *loader;
    random_source random;
    void (*check)(struct suite *suite, const rclite_type *type);
    size_t types;
} suite;

static void check_service(suite *s, const rclite_service_type *service) {
    s->check(s, service->request);
    s->check(s, service->response);
}

static void visit(const char *name, void *user) {
    suite *s = user;
    rclite_error error = {.text = "?"};
    if (strstr(name, "/srv/")) {
        const rclite_service_type *service;
        if (rclite_loader_service(s->loader, name, &service, &error) != RCLITE_OK) {
            fail_msg("%s: %s", name, error.text);
        }
        check_service(s, service);
    } else if (strstr(name, "/action/")) {
        const rclite_action_type *action;
        if (rclite_loader_action(s->loader, name, &action, &error) != RCLITE_OK) {
            fail_msg("%s: %s", name, error.text);
        }
        if (s->generation == RCLITE_ROS1) {
            s->check(s, action->ros1_action_goal);
            s->check(s, action->ros1_action_result);
            s->check(s, action->ros1_action_feedback);
        } else {
            check_service(s, action->ros2_send_goal);
            check_service(s, action->ros2_get_result);
            s->check(s, action->ros2_feedback_message);
        }
    } else {
        const rclite_type *type;
        if (rclite_loader_message(s->loader, name, &type, &error) != RCLITE_OK) {
            fail_msg("%s: %s", name, error.text);
        }
        s->check(s, type);
    }
    s->types++;
}

/* Every definition of both trees. */
static void for_all(void (*check)(suite *, const rclite_type *)) {
    for (rclite_generation g = RCLITE_ROS1; g <= RCLITE_ROS2; g++) {
        const char *tree =
            g == RCLITE_ROS1 ? RCLITE_TEST_INTERFACES "/ros1" : RCLITE_TEST_INTERFACES "/ros2";
        suite s = {.generation = g, .random = {.state = 20240229}, .check = check};
        assert_int_equal(rclite_loader_create(g, tree, NULL, &s.loader, NULL), 0);
        each_definition(tree, "msg", visit, &s);
        each_definition(tree, "srv", visit, &s);
        each_definition(tree, "action", visit, &s);
        assert_true(s.types > 90);
        rclite_loader_free(s.loader);
    }
}

static void *new_random(suite *s, const rclite_type *type) {
    void *message = malloc(type->size_bytes);
    assert_non_null(message);
    assert_int_equal(rclite_message_init(type, message, NULL), 0);
    assert_int_equal(random_message(&s->random, type, s->generation, message, NULL), 0);
    return message;
}

static void free_message(const rclite_type *type, void *message) {
    rclite_message_done(type, message, NULL);
    free(message);
}

static uint8_t *new_bytes(const rclitei_codec *codec, const void *message, size_t *ret_size) {
    size_t size = rclitei_codec_size(codec, message, 0), written = 0;
    uint8_t *bytes = malloc(size + 1);
    assert_non_null(bytes);
    assert_int_equal(rclitei_codec_write(codec, message, 0, bytes, size, &written), 0);
    assert_int_equal(written, size);
    *ret_size = size;
    return bytes;
}

static void round_trip(suite *s, const rclite_type *type) {
    rclitei_codec *codec;
    assert_int_equal(rclitei_codec_create(type, s->generation, NULL, &codec), 0);
    void *read = calloc(1, type->size_bytes), *viewed = calloc(1, type->size_bytes);
    void *copy = calloc(1, type->size_bytes);
    for (int i = 0; i < 5; i++) {
        void *message = new_random(s, type);
        size_t size, again_size;
        uint8_t *bytes = new_bytes(codec, message, &size);
        const rclitei_codec_read_options plain = {0}, views = {.views = true};
        assert_int_equal(rclitei_codec_read(codec, bytes, size, &plain, read, NULL), 0);
        assert_int_equal(rclitei_codec_read(codec, bytes, size, &views, viewed, NULL), 0);
        assert_int_equal(rclite_message_copy(type, copy, viewed, NULL), 0);
        if (!rclite_message_equal(type, s->generation, message, read) ||
            !rclite_message_equal(type, s->generation, message, viewed) ||
            !rclite_message_equal(type, s->generation, message, copy)) {
            fail_msg("%s does not come back as it was written", type->name);
        }
        uint8_t *again = new_bytes(codec, read, &again_size);
        assert_int_equal(again_size, size);
        assert_memory_equal(again, bytes, size);
        if (s->generation == RCLITE_ROS2) { /* RMWs pad to 4 */
            assert_int_equal(rclitei_codec_read(codec, bytes, size + 1, &plain, read, NULL), 0);
        }
        free(again);
        free(bytes);
        free_message(type, message);
    }
    free_message(type, read);
    free_message(type, viewed);
    free_message(type, copy);
    rclitei_codec_free(codec);
}

static void truncate_everywhere(suite *s, const rclite_type *type) {
    rclitei_codec *codec;
    assert_int_equal(rclitei_codec_create(type, s->generation, NULL, &codec), 0);
    void *message = new_random(s, type), *read = calloc(1, type->size_bytes);
    size_t size;
    uint8_t *bytes = new_bytes(codec, message, &size);
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *exact = malloc(cut + 1); /* so that a sanitizer sees a read beyond it */
        memcpy(exact + 1, bytes, cut);
        for (int views = 0; views < 2; views++) {
            const rclitei_codec_read_options options = {.views = views};
            rclite_result result = rclitei_codec_read(codec, exact + 1, cut, &options, read, NULL);
            if (result != RCLITE_ERR_MALFORMED) {
                fail_msg("%s cut to %zu of %zu bytes: %d", type->name, cut, size, result);
            }
            rclite_message_done(type, read, NULL);
        }
        free(exact);
    }
    free(bytes);
    free(read);
    free_message(type, message);
    rclitei_codec_free(codec);
}

static void damage(suite *s, const rclite_type *type) {
    rclitei_codec *codec;
    assert_int_equal(rclitei_codec_create(type, s->generation, NULL, &codec), 0);
    void *message = new_random(s, type), *read = calloc(1, type->size_bytes);
    size_t size;
    uint8_t *bytes = new_bytes(codec, message, &size);
    test_allocator counting = {.fail_at = SIZE_MAX};
    rclite_allocator allocator = test_allocator_interface(&counting);
    size_t accepted = 0, rejected = 0;
    for (int i = 0; i < 40 && size; i++) {
        size_t at = random_next(&s->random) % size;
        uint8_t old = bytes[at];
        bytes[at] = (uint8_t)(random_next(&s->random) % 3 ? 0xff : random_next(&s->random));
        const rclitei_codec_read_options options = {.big_endian = i % 4 == 3};
        rclite_result result = rclitei_codec_read(codec, bytes, size, &options, read, &allocator);
        assert_true(
            result == RCLITE_OK || result == RCLITE_ERR_MALFORMED || result == RCLITE_ERR_OVERFLOW);
        accepted += result == RCLITE_OK;
        rejected += result != RCLITE_OK;
        bytes[at] = old;
    }
    assert_true(size == 0 || accepted + rejected == 40);
    /* At most a string's struct for each length on the wire, or a struct for each of its fields. */
    assert_true(counting.largest_bytes <= 16 * (size + type->size_bytes));
    rclite_message_done(type, read, &allocator);
    assert_int_equal(counting.live, 0);
    free(read);
    free(bytes);
    free_message(type, message);
    rclitei_codec_free(codec);
}

/* Reading, copying and initialising with the nth allocation failing, for every n. */
static void starve(suite *s, const rclite_type *type) {
    rclitei_codec *codec;
    assert_int_equal(rclitei_codec_create(type, s->generation, NULL, &codec), 0);
    void *message = new_random(s, type), *other = calloc(1, type->size_bytes);
    size_t size;
    uint8_t *bytes = new_bytes(codec, message, &size);
    const rclitei_codec_read_options options = {0};
    for (int what = 0; what < 3; what++) {
        rclite_result result = RCLITE_ERR_NO_MEMORY;
        for (size_t n = 0; result != RCLITE_OK; n++) {
            test_allocator failing = {.fail_at = n};
            rclite_allocator allocator = test_allocator_interface(&failing);
            memset(other, 0, type->size_bytes);
            result = what == 0 ? rclitei_codec_read(codec, bytes, size, &options, other, &allocator)
                     : what == 1 ? rclite_message_copy(type, other, message, &allocator)
                                 : rclite_message_init(type, other, &allocator);
            assert_true(result == RCLITE_OK || result == RCLITE_ERR_NO_MEMORY);
            assert_true(result == RCLITE_OK || failing.calls > n);
            rclite_message_done(type, other, &allocator);
            assert_int_equal(failing.live, 0);
        }
    }
    free(other);
    free(bytes);
    free_message(type, message);
    rclitei_codec_free(codec);
}

static void all_types_round_trip(void **state) {
    (void)state;
    for_all(round_trip);
}

static void no_type_accepts_less_than_all(void **state) {
    (void)state;
    for_all(truncate_everywhere);
}

static void damaged_bytes_do_no_harm(void **state) {
    (void)state;
    for_all(damage);
}

static void failed_allocations_leak_nothing(void **state) {
    (void)state;
    for_all(starve);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_types_round_trip),
        cmocka_unit_test(no_type_accepts_less_than_all),
        cmocka_unit_test(damaged_bytes_do_no_harm),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
