/* What people see: the tables and notes of text and Markdown, and the columns
 * of CSV. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "report/fixture.h"
#include "report/grid.h"
#include "util/memory.h"

static fixture f;

static int create(void **state) {
    (void)state;
    fixture_create(&f, false);
    return 0;
}

static int done(void **state) {
    (void)state;
    fixture_done(&f);
    return 0;
}

static void assert_has(const char *text, const char *part) {
    if (strstr(text, part) == NULL) {
        fail_msg("no \"%s\" in:\n%s", part, text);
    }
}

static void assert_has_not(const char *text, const char *part) {
    if (strstr(text, part) != NULL) {
        fail_msg("\"%s\" in:\n%s", part, text);
    }
}

static void test_text(void **state) {
    (void)state;
    char *text = fixture_write(&f.result, "text", NULL);
    assert_has(text, "Library  Topic ms");
    assert_has(text, "Topic, ROS 2, 1 KiB, back to back, 6 x 100; times in us\n");
    assert_has(text, "Service, ROS 2, 1 KiB, closed loop, 6 x 100; times in us\n");
    assert_has(text, "Action, ROS 2, 20 Hz, 6 x 100; times in us\n");
    assert_has(text, "reliable, volatile, keep_last 10; transport stock");
    /* SEND is a third of TOTAL, whose mean over the rounds is 20000 + 250 + 495
     * ns. */
    assert_has(text, "20.7 +-0.279");
    assert_has(text, "FAILED: topic rclcpp -> rclcpp, round 6: rclcpp (subscriber) crashed");
    assert_has(text, "    subscriber: terminate called\n");
    assert_has(text, "not run: service rclite -> roscpp: roscpp does not speak ROS 2\n");
    assert_has(text, "note: left out: rclpy x rclpy\n");
    assert_has(text, "warning: the CPU governor is powersave\n");
    assert_has(text, "reading the clock takes 31 ns");
    assert_has(text, "wmem_max unknown");
    assert_has_not(text, "Server \\ Client"); /* nobody mixed libraries */
    free(text);
}

static void test_ratio_to_the_baseline(void **state) {
    (void)state;
    char *text = fixture_write(&f.result, "text", NULL);
    assert_has(text, "/rclcpp"); /* without being asked */
    assert_has(text, "0.206 [0.20");
    free(text);
    const report_view view = {.width = 100, .baseline = "rclite"};
    text = fixture_write(&f.result, "text", &view);
    assert_has(text, "/rclite");
    assert_has_not(text, "/rclcpp");
    assert_has(text, "4.85 [");
    free(text);
}

/* One side alone knows how many, and no times: then no unit is named. */
static void test_no_times_no_unit(void **state) {
    (void)state;
    stats_summary kept[2];
    report_cell *cells = f.result.cells;
    for (size_t i = 0; i < 2; i++) {
        kept[i] = cells[i].summary;
        for (size_t q = 0; q < STATS_QUANTITY_COUNT; q++) {
            cells[i].summary.quantities[q].n = 0;
        }
    }
    char *text = fixture_write(&f.result, "text", NULL);
    assert_has(text, "Topic, ROS 2, 1 KiB, back to back, 6 x 100\n");
    assert_has(text, "Service, ROS 2, 1 KiB, closed loop, 6 x 100; times in us\n");
    free(text);
    /* A server knows the times of its half; their unit is the table's. */
    cells[0].summary.quantities[STATS_SEND] = cells[0].summary.quantities[STATS_LATENCY];
    cells[0].summary.quantities[STATS_SEND].n = 10;
    cells[0].summary.quantities[STATS_SEND].p50 = 2e6;
    text = fixture_write(&f.result, "text", NULL);
    assert_has(text, "Topic, ROS 2, 1 KiB, back to back, 6 x 100; times in ms\n");
    free(text);
    for (size_t i = 0; i < 2; i++) {
        cells[i].summary = kept[i];
    }
}

/* A library of ROS 2 is no baseline for rows of ROS 1: there rclite is, as long as roscpp is not
 * there. */
static void test_a_baseline_per_generation(void **state) {
    (void)state;
    plan_cell *cells = f.todo.cells;
    for (size_t i = 0; i < f.todo.cell_count; i++) {
        cells[i].generation = 1;
    }
    char *text = fixture_write(&f.result, "text", NULL);
    assert_has(text, "/rclite");
    assert_has_not(text, "/rclcpp");
    free(text);
    for (size_t i = 0; i < f.todo.cell_count; i++) {
        cells[i].generation = 2;
    }
}

/* Rows of tables fit the terminal as long as columns can be left out. */
static void check_width(unsigned width) {
    const report_view view = {.width = width, .detail = true};
    char *text = fixture_write(&f.result, "text", &view);
    char *rest = text, *line;
    while ((line = strsep(&rest, "\n")) != NULL) {
        bool row = strncmp(line, "rclite  ", 8) == 0 || strncmp(line, "From  ", 6) == 0;
        if (row && strlen(line) > width) {
            fail_msg("%zu columns: %s", strlen(line), line);
        }
    }
    free(text);
}

static void test_width(void **state) {
    (void)state;
    check_width(70);
    check_width(80);
    check_width(200);
    const report_view wide = {.width = 200};
    char *text = fixture_write(&f.result, "text", &wide);
    assert_has(text, "p50 95%");
    assert_has(text, "(handed over)");
    free(text);
    text = fixture_write(&f.result, "text", NULL);
    assert_has_not(text, "p50 95%");
    free(text);
}

/* A matrix of many libraries goes on below, each part with the names. */
static void test_matrix_breaks(void **state) {
    (void)state;
    grid table = {.title = strdup("T"), .breaks = true};
    grid_column_add(&table, "To", true, 0);
    for (int i = 0; i < 12; i++) {
        char heading[16];
        snprintf(heading, sizeof(heading), "library-%d", i);
        grid_column_add(&table, heading, false, 0);
    }
    grid_cell(&table, "me");
    for (int i = 0; i < 12; i++) {
        grid_cell(&table, "%d.5", i);
    }
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    grid_write_text(&table, 40, out);
    fclose(out);
    char *copy = strdup(text), *rest = copy, *line;
    while ((line = strsep(&rest, "\n")) != NULL) {
        assert_true(strlen(line) <= 40);
    }
    free(copy);
    assert_has(
        text, "T\n\nTo  library-0  library-1  library-2\nme        0.5        1.5        2.5\n");
    assert_has(
        text, "\n\nTo  library-9  library-10  library-11\nme        9.5        10.5        11.5\n");
    free(text);
    grid_done(&table);
}

static void test_losses_are_explained(void **state) {
    (void)state;
    plan_qos *qos = &f.todo.cells[0].qos, *second = &f.todo.cells[1].qos;
    char *text = fixture_write(&f.result, "text", NULL);
    assert_has(text, "  lost: a reader that is slower finds the last 10 only");
    free(text);
    qos->history = second->history = "keep_all";
    text = fixture_write(&f.result, "text", NULL);
    assert_has_not(text, "  lost: ");
    free(text);
    f.todo.cells[0].generation = f.todo.cells[1].generation = 1;
    text = fixture_write(&f.result, "text", NULL);
    assert_has(text, "TCPROS, queue without a limit\n");
    free(text);
    f.todo.cells[0].generation = f.todo.cells[1].generation = 2;
    qos->history = second->history = "keep_last";
}

static void test_detail(void **state) {
    (void)state;
    const report_view view = {.width = 120, .detail = true};
    char *text = fixture_write(&f.result, "text", &view);
    assert_has(text, "Rounds of topic rclite -> rclite\n");
    assert_has(text, "rclite publisher");
    assert_has(text, "measured");
    assert_has(text, "lifetime");
    free(text);
}

static void test_markdown(void **state) {
    (void)state;
    char *text = fixture_write(&f.result, "markdown", NULL);
    assert_has(text, "| Library | Topic ms |");
    assert_has(text, "|---|--:|");
    assert_has(text, "| rclite | rclite |");
    assert_has(text, "- not run: service rclite -> roscpp");
    free(text);
}

static void test_html(void **state) {
    (void)state;
    char *text = fixture_write(&f.result, "html", NULL);
    assert_int_equal(strncmp(text, "<!DOCTYPE html>", 15), 0);
    assert_has(text, "<td class=l>rclite</td>");
    assert_has(text, "<svg ");
    assert_has(text, "A &quot;quoted&quot; CPU");
    assert_has(text, "rclcpp -&gt; rclcpp");
    assert_has(text, "<li class=bad>FAILED");
    assert_has(text, "</html>");
    assert_has_not(text, "<script");
    assert_has_not(text, "http");
    assert_has_not(text, "nan");
    assert_has_not(text, "inf ");
    free(text);
}

/* Fields of a line of CSV; quoted ones may hold commas. */
static size_t field_count(const char *line) {
    size_t count = 1;
    bool quoted = false;
    for (; *line != '\0'; line++) {
        quoted = *line == '"' ? !quoted : quoted;
        count += *line == ',' && !quoted;
    }
    return count;
}

static void test_csv(void **state) {
    (void)state;
    char *text = fixture_write(&f.result, "csv", NULL);
    assert_int_equal(strncmp(text, "pattern,generation,echo,from,to,type,", 37), 0);
    assert_has(text, "topic,2,false,rclite,rclite,std_msgs/msg/"
                     "UInt8MultiArray,1024,100,,reliable,"
                     "volatile,keep_last,10,stock,3,100,99,1,0,0,0,50000000,");
    assert_has(text, "\naction,2,false,rclite,rclite,");
    size_t lines = 0, columns = 0;
    char *rest = text, *line;
    while ((line = strsep(&rest, "\n")) != NULL) {
        if (line[0] == '\0') {
            continue;
        }
        columns = lines == 0 ? field_count(line) : columns;
        assert_int_equal(field_count(line), columns);
        assert_int_equal(line[strlen(line) - 1], '\r');
        lines++;
    }
    assert_int_equal(lines, 1 + 5 * FIXTURE_ROUNDS + 6);
    free(text);
}

/* Seven rounds of which the slowest takes four times the fastest: the ratio is
 * marked. */
static void test_too_noisy(void **state) {
    (void)state;
    report noisy = f.result;
    report_cell *cell = &noisy.cells[3];
    double kept[FIXTURE_ROUNDS];
    for (size_t i = 0; i < FIXTURE_ROUNDS; i++) {
        stats_distribution *d = &cell->rounds[i].summary.quantities[STATS_ROUNDTRIP];
        kept[i] = d->p50;
        d->p50 *= i % 2 == 0 ? 1 : 4;
    }
    char *text = fixture_write(&noisy, "text", NULL);
    assert_has(text, "~0.0");
    assert_has(text, "~ too noisy to tell");
    free(text);
    for (size_t i = 0; i < FIXTURE_ROUNDS; i++) {
        cell->rounds[i].summary.quantities[STATS_ROUNDTRIP].p50 = kept[i];
    }
}

static void test_ros1_has_no_dds(void **state) {
    (void)state;
    plan_cell *cells = f.todo.cells;
    for (size_t i = 0; i < f.todo.cell_count; i++) {
        cells[i].generation = 1;
    }
    f.environment.ros1_master = (char *)"http://127.0.0.1:4711";
    char *text = fixture_write(&f.result, "text", NULL);
    assert_has(text, "std_msgs/msg/UInt8MultiArray; TCPROS, queue of 10\n");
    assert_has(text, "ROS 1: TCPROS over loopback, master http://127.0.0.1:4711 (private)\n");
    assert_has_not(text, "Cyclone");
    free(text);
    f.environment.ros1_master = NULL;
    for (size_t i = 0; i < f.todo.cell_count; i++) {
        cells[i].generation = 2;
    }
}

/* Rows over another DDS library are named, and who answers for its network. */
static void test_another_rmw(void **state) {
    (void)state;
    f.environment.rmw = (char *)"rmw_fastrtps_cpp";
    f.environment.fastdds_profiles = (char *)"<xml/>";
    char *text = fixture_write(&f.result, "text", NULL);
    assert_has(text, "go over rmw_fastrtps_cpp (RMW_IMPLEMENTATION), rclite does not\n");
    free(text);
    f.environment.fastdds_profiles = (char *)"/home/me/profiles.xml";
    text = fixture_write(&f.result, "text", NULL);
    assert_has(text, "rclite does not; not isolated by rclbench: /home/me/profiles.xml\n");
    free(text);
    f.environment.rmw = NULL;
    f.environment.fastdds_profiles = NULL;
}

/* Of a matrix's warnings that differ only in numbers the first few are shown. */
static void test_many_warnings_of_a_kind(void **state) {
    (void)state;
    run_round *round = &f.record.cells[0].rounds[0];
    char *texts[10], **before = round->warnings;
    size_t count = round->warning_count;
    for (int i = 0; i < 10; i++) {
        texts[i] = util_format("%d.5 %% of the sends were odd", i + 1);
    }
    round->warnings = texts;
    round->warning_count = 10;
    char *text = fixture_write(&f.result, "text", NULL);
    assert_has(text, "1 round: 8.5 % of the sends were odd\n");
    assert_has_not(text, "9.5 % of the sends were odd");
    assert_has(text, "warning: and 2 more like: N % of the sends were odd\n");
    free(text);
    round->warnings = before;
    round->warning_count = count;
    for (int i = 0; i < 10; i++) {
        free(texts[i]);
    }
}

static void test_find(void **state) {
    (void)state;
    assert_string_equal(report_format_find("csv")->suffix, ".csv");
    assert_null(report_format_find("xml"));
    assert_string_equal(report_format_of_file("a/b.md")->name, "markdown");
    assert_string_equal(report_format_of_file("r.json")->name, "json");
    assert_null(report_format_of_file(".json"));
    assert_null(report_format_of_file("json"));
}

static void test_nothing_measured(void **state) {
    (void)state;
    report empty = {.plan = &f.todo, .record = &f.record, .environment = &f.environment};
    char *text = fixture_write(&empty, "text", NULL);
    assert_has(text, "rclbench 0.1.0");
    free(text);
    free(fixture_write(&empty, "markdown", NULL));
    free(fixture_write(&empty, "csv", NULL));
    text = fixture_write(&empty, "json", NULL);
    assert_has(text, "\"cells\": []");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_ratio_to_the_baseline),
        cmocka_unit_test(test_no_times_no_unit),
        cmocka_unit_test(test_a_baseline_per_generation),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_matrix_breaks),
        cmocka_unit_test(test_losses_are_explained),
        cmocka_unit_test(test_detail),
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_html),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_too_noisy),
        cmocka_unit_test(test_ros1_has_no_dds),
        cmocka_unit_test(test_another_rmw),
        cmocka_unit_test(test_many_warnings_of_a_kind),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_nothing_measured),
    };
    return cmocka_run_group_tests(tests, create, done);
}
