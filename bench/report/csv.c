/* One line per round and one per cell ("all", pooled), with the same columns
 * for every pattern; docs/csv.md describes them. Unknown is an empty field. */
#include <string.h>

#include "report/formats.h"
#include "report/resources.h"
#include "stats/summarize.h"

typedef struct line {
    FILE *out;
    bool started;
} line;

static void put_text(line *to, const char *text) {
    fputs(to->started ? "," : "", to->out);
    to->started = true;
    if (text == NULL) {
        return;
    }
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, to->out);
        return;
    }
    fputc('"', to->out);
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"\"" : (const char[]){*text, '\0'}, to->out);
    }
    fputc('"', to->out);
}

static void put_number(line *to, double value, bool known) {
    char text[40];
    snprintf(text, sizeof(text), "%.15g", value);
    put_text(to, known ? text : NULL);
}

static void put_count(line *to, uint64_t value, bool known) {
    char text[40];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    put_text(to, known ? text : NULL);
}

static const char *const columns[] = {"pattern", "generation", "echo", "from", "to", "type",
    "payload_bytes", "count", "rate_hz", "reliability", "durability", "history", "depth",
    "transport", "round", "sent", "received", "lost", "duplicated", "reordered", "corrupt",
    "discovery_ns", "publish_total_ns", "delivered_total_ns", "throughput_msgs_per_s",
    "throughput_bytes_per_s", "quantity", "n", "mean_ns", "mean_abs_dev_ns", "stddev_ns", "min_ns",
    "p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "p99_99_ns", "max_ns", "send_mean_ns",
    "send_mean_abs_dev_ns", "recv_mean_ns", "recv_mean_abs_dev_ns", "from_cpu_ns",
    "from_max_rss_bytes", "to_cpu_ns", "to_max_rss_bytes", "failure"};

static void put_cell(line *to, const plan_cell *what) {
    put_text(to, plan_pattern_name(what->pattern));
    put_count(to, (uint64_t)what->generation, true);
    put_text(to, what->echo ? "true" : "false");
    put_text(to, what->from);
    put_text(to, what->to);
    put_text(to, what->type);
    put_count(to, what->payload_bytes, true);
    put_count(to, what->count, what->count > 0);
    put_number(to, what->period_ns > 0 ? 1e9 / (double)what->period_ns : 0, what->period_ns > 0);
    put_text(to, what->qos.reliability);
    put_text(to, what->qos.durability);
    put_text(to, what->qos.history);
    put_count(to, what->qos.depth, true);
    put_text(to, plan_transport_name(what->transport));
}

static void put_distribution(line *to, const stats_distribution *d) {
    bool known = d->n > 0;
    put_count(to, d->n, known);
    put_number(to, d->mean, known);
    put_number(to, d->mean_abs_dev, known);
    put_number(to, d->stddev, d->n > 1);
    put_number(to, (double)d->min, known);
    put_number(to, d->p50, known);
    put_number(to, d->p90, known && d->p90_valid);
    put_number(to, d->p99, known && d->p99_valid);
    put_number(to, d->p99_9, known && d->p99_9_valid);
    put_number(to, d->p99_99, known && d->p99_99_valid);
    put_number(to, (double)d->max, known);
}

static void put_summary(line *to, const plan_cell *what, const stats_summary *s, bool known) {
    bool sent = known && s->sent_known, received = known && s->received_known;
    stats_quantity main = stats_main_quantity(what);
    put_count(to, s->sent, sent);
    put_count(to, s->received, received);
    put_count(to, s->lost, sent && received);
    put_count(to, s->duplicated, received);
    put_count(to, s->reordered, received);
    put_count(to, s->corrupt, received);
    put_number(to, (double)s->discovery_ns, known && s->discovery_ns >= 0);
    put_number(to, (double)s->publish_total_ns, known && s->publish_total_ns >= 0);
    put_number(to, (double)s->delivered_total_ns, known && s->delivered_total_ns >= 0);
    put_number(to, s->throughput_msgs_per_s, known && s->throughput_msgs_per_s >= 0);
    put_number(to, s->throughput_bytes_per_s, known && s->throughput_bytes_per_s >= 0);
    put_text(to, stats_quantity_name(main));
    put_distribution(to, &s->quantities[main]);
    static const stats_quantity parts[] = {STATS_SEND, STATS_RECV};
    for (int i = 0; i < 2; i++) {
        const stats_distribution *d = &s->quantities[parts[i]];
        put_number(to, d->mean, d->n > 0);
        put_number(to, d->mean_abs_dev, d->n > 0);
    }
}

static void put_resources(line *to, const run_resources *used) {
    put_number(to, (double)(used->cpu_user_ns + used->cpu_system_ns), used->valid);
    put_number(to, (double)used->max_rss_bytes, used->valid);
}

static void write_round(const report_cell *cell, const report_round *round, FILE *out) {
    line to = {out, false};
    put_cell(&to, cell->run->cell);
    put_count(&to, round->run->index + 1u, true);
    put_summary(&to, cell->run->cell, &round->summary, round->has_summary);
    put_resources(&to, &round->run->sides[0].measured);
    put_resources(&to, &round->run->sides[1].measured);
    put_text(&to, round->run->failure);
    fputs("\r\n", out);
}

static void write_pooled(const report_cell *cell, FILE *out) {
    line to = {out, false};
    put_cell(&to, cell->run->cell);
    put_text(&to, "all");
    put_summary(&to, cell->run->cell, &cell->summary, cell->has_summary);
    for (int side = 0; side < 2; side++) {
        report_resources used = report_pool_resources(cell, side);
        put_resources(&to, &used.measured);
    }
    put_text(&to, cell->run->refused);
    fputs("\r\n", out);
}

bool report_write_csv(const report *result, const report_view *view, FILE *out) {
    (void)view;
    line heading = {out, false};
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        put_text(&heading, columns[i]);
    }
    fputs("\r\n", out);
    for (size_t i = 0; i < result->cell_count; i++) {
        const report_cell *cell = &result->cells[i];
        for (size_t r = 0; r < cell->round_count; r++) {
            write_round(cell, &cell->rounds[r], out);
        }
        write_pooled(cell, out);
    }
    return ferror(out) == 0;
}
