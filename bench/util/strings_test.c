/* strbuf, strvec and nearest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/nearest.h"
#include "util/strbuf.h"
#include "util/strvec.h"

static void a_strbuf_grows_and_is_taken(void **state) {
    (void)state;
    strbuf buffer = {0};
    assert_string_equal(strbuf_text(&buffer), "");
    for (int i = 0; i < 100; i++) {
        strbuf_appendf(&buffer, "%d,", i);
    }
    assert_int_equal(buffer.len, 290);
    assert_int_equal(strlen(buffer.data), 290);
    strbuf_append(&buffer, "the end");
    strbuf_append_char(&buffer, '.');
    char *text = strbuf_take(&buffer);
    assert_string_equal(text + 290, "the end.");
    assert_null(buffer.data);
    free(text);
    text = strbuf_take(&buffer);
    assert_string_equal(text, "");
    free(text);
}

static void a_strvec_splits_and_joins(void **state) {
    (void)state;
    strvec list = {0};
    strvec_split(&list, "rclite, null,,", ',');
    assert_int_equal(list.count, 4);
    assert_string_equal(list.items[1], "null");
    assert_string_equal(list.items[3], "");
    assert_null(list.items[4]);
    assert_true(strvec_contains(&list, "rclite"));
    assert_false(strvec_contains(&list, "rcl"));
    char *joined = strvec_join(&list, "|");
    assert_string_equal(joined, "rclite|null||");
    free(joined);
    strvec_done(&list);
}

static void variables_are_set_replaced_and_removed(void **state) {
    (void)state;
    strvec environment = {0};
    strvec_push(&environment, "PATH=/bin");
    strvec_push(&environment, "PATHS=x");
    strvec_set_variable(&environment, "PATH", "/usr/bin");
    strvec_set_variable(&environment, "LANG", "C");
    assert_string_equal(strvec_variable(&environment, "PATH"), "/usr/bin");
    assert_string_equal(strvec_variable(&environment, "LANG"), "C");
    strvec_set_variable(&environment, "PATHS", NULL);
    assert_null(strvec_variable(&environment, "PATHS"));
    assert_int_equal(environment.count, 2);
    assert_null(environment.items[2]);
    strvec_done(&environment);
}

static void the_nearest_word_is_suggested(void **state) {
    (void)state;
    static const char *const words[] = {"topic", "service", "action", "startup", "peers", "report"};
    assert_int_equal(nearest_distance("topci", "topic"), 1);
    assert_int_equal(nearest_distance("", "abc"), 3);
    assert_string_equal(nearest_word("topci", words, 6), "topic");
    assert_string_equal(nearest_word("servce", words, 6), "service");
    assert_null(nearest_word("xyzzy", words, 6));
    char long_word[200];
    memset(long_word, 'a', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = '\0';
    assert_null(nearest_word(long_word, words, 6));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_strbuf_grows_and_is_taken),
        cmocka_unit_test(a_strvec_splits_and_joins),
        cmocka_unit_test(variables_are_set_replaced_and_removed),
        cmocka_unit_test(the_nearest_word_is_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
