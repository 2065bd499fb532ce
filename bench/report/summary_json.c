/* A summary as JSON and back: see summary_json.h. */
#include "report/summary_json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/tables.h"
#include "stats/distribution.h"
#include "util/memory.h"

#define HISTOGRAM_DIGITS 3

/* In the order of the file. A percentile is null unless its flag is set; stddev
 * needs two samples.
 */
typedef struct figure {
    const char *key;
    size_t offset, valid_offset; /* valid_offset 0: always known */
} figure;

#define D(member) offsetof(stats_distribution, member)
static const figure figures[] = {
    {"p50", D(p50), 0},
    {"p90", D(p90), D(p90_valid)},
    {"p99", D(p99), D(p99_valid)},
    {"p99_9", D(p99_9), D(p99_9_valid)},
    {"p99_99", D(p99_99), D(p99_99_valid)},
};
#define FIGURE_COUNT (sizeof(figures) / sizeof(figures[0]))

static const field distribution_head[] = {
    FIELD(stats_distribution, n, FIELD_COUNT),
    FIELD(stats_distribution, mean, FIELD_REAL),
    FIELD(stats_distribution, mean_abs_dev, FIELD_REAL),
};
static const field distribution_range[] = {
    FIELD(stats_distribution, min, FIELD_I64),
    FIELD(stats_distribution, max, FIELD_I64),
    FIELD(stats_distribution, outliers_mild, FIELD_COUNT),
    FIELD(stats_distribution, outliers_severe, FIELD_COUNT),
};

static json_t *histogram_to_json(const stats_histogram *histogram) {
    json_t *buckets = json_array();
    for (size_t i = 0; i < histogram->bucket_count; i++) {
        const stats_bucket *bucket = &histogram->buckets[i];
        json_t *pair = json_array();
        json_array_append_new(pair, json_integer(stats_histogram_low(bucket->index)));
        json_array_append_new(pair, json_integer((int64_t)bucket->count));
        json_array_append_new(buckets, pair);
    }
    json_t *object = json_object();
    json_object_set_new(object, "significant_digits", json_integer(HISTOGRAM_DIGITS));
    json_object_set_new(object, "below", json_integer((int64_t)histogram->below));
    json_object_set_new(object, "saturated", json_integer((int64_t)histogram->saturated));
    json_object_set_new(object, "buckets", buckets);
    return object;
}

static json_t *distribution_to_json(const stats_distribution *d) {
    if (d->n == 0) {
        return json_null();
    }
    json_t *object = json_object();
    fields_write(object, distribution_head, 3, d);
    json_object_set_new(object, "stddev", d->n > 1 ? json_real(d->stddev) : json_null());
    fields_write(object, distribution_range, 4, d);
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        const char *base = (const char *)d;
        bool known =
            figures[i].valid_offset == 0 || *(const bool *)(base + figures[i].valid_offset);
        double value = *(const double *)(base + figures[i].offset);
        json_object_set_new(object, figures[i].key, known ? json_real(value) : json_null());
    }
    json_object_set_new(object, "histogram", histogram_to_json(d->histogram));
    return object;
}

static void write_or_null(json_t *object, const field_table *table, const stats_summary *summary) {
    if (summary != NULL) {
        fields_write(object, table->fields, table->count, summary);
        return;
    }
    for (size_t i = 0; i < table->count; i++) {
        json_object_set_new(object, table->fields[i].key, json_null());
    }
}

void summary_to_json(json_t *object, const stats_summary *s) {
    bool sent = s != NULL && s->sent_known, received = s != NULL && s->received_known;
    write_or_null(object, &table_sent, sent ? s : NULL);
    write_or_null(object, &table_received, received ? s : NULL);
    json_object_set_new(
        object, "lost", sent && received ? json_integer((int64_t)s->lost) : json_null());
    write_or_null(object, &table_counts, s);
    write_or_null(object, &table_figures, s);
    for (int q = 0; q < STATS_QUANTITY_COUNT; q++) {
        json_object_set_new(object, stats_quantity_name((stats_quantity)q),
            s == NULL ? json_null() : distribution_to_json(&s->quantities[q]));
    }
    json_t *growth = s != NULL && s->growth.valid ? json_object() : json_null();
    if (json_is_object(growth)) {
        fields_write(growth, table_growth.fields, table_growth.count, &s->growth);
    }
    json_object_set_new(object, "growth", growth);
    bool reason = s != NULL && s->one_way_reason[0] != '\0';
    json_object_set_new(
        object, "one_way_reason", reason ? json_string(s->one_way_reason) : json_null());
}

static bool read_bucket(const json_t *pair, stats_bucket *ret_bucket) {
    const json_t *low = json_array_get(pair, 0), *count = json_array_get(pair, 1);
    if (json_array_size(pair) != 2 || !json_is_integer(low) || !json_is_integer(count) ||
        json_integer_value(low) < 0 || json_integer_value(low) >= STATS_HISTOGRAM_LIMIT ||
        json_integer_value(count) <= 0) {
        return false;
    }
    ret_bucket->index = stats_histogram_index(json_integer_value(low));
    ret_bucket->count = (uint64_t)json_integer_value(count);
    return stats_histogram_low(ret_bucket->index) == json_integer_value(low);
}

static bool histogram_from_json(const json_t *object, stats_histogram **ret_histogram,
    const field_place *place, field_error *error) {
    static const field outside[] = {
        FIELD(stats_histogram, below, FIELD_COUNT),
        FIELD(stats_histogram, saturated, FIELD_COUNT),
    };
    const json_t *buckets = field_array(object, "buckets", place, error);
    if (buckets == NULL) {
        return false;
    }
    size_t count = json_array_size(buckets);
    stats_histogram *h = util_alloc(1, sizeof(*h) + count * sizeof(h->buckets[0]));
    h->bucket_count = count;
    const field_place array = {place, "buckets", 0};
    bool good = fields_read(object, outside, 2, h, place, error);
    for (size_t i = 0; good && i < count; i++) {
        const field_place here = {&array, NULL, i};
        good = read_bucket(json_array_get(buckets, i), &h->buckets[i]) &&
               (i == 0 || h->buckets[i].index > h->buckets[i - 1].index);
        if (!good) {
            field_fail(error, &here, "not [low, count] of a bucket, in ascending order");
        }
    }
    if (!good) {
        stats_histogram_free(h);
        return false;
    }
    *ret_histogram = h;
    return true;
}

/* A number, or null if null_allowed; then *ret_known is false. */
static bool read_figure(const json_t *object, const char *key, bool null_allowed, double *ret,
    bool *ret_known, const field_place *place, field_error *error) {
    const field_place here = {place, key, 0};
    const json_t *value = json_object_get(object, key);
    if (value == NULL || !(json_is_number(value) || (null_allowed && json_is_null(value)))) {
        return field_fail(error, &here, value == NULL ? "missing" : "not a number");
    }
    *ret_known = json_is_number(value);
    *ret = json_number_value(value);
    return true;
}

static bool distribution_from_json(
    const json_t *object, stats_distribution *ret, const field_place *place, field_error *error) {
    stats_distribution d = {0};
    bool known;
    if (!fields_read(object, distribution_head, 3, &d, place, error) ||
        !fields_read(object, distribution_range, 4, &d, place, error) ||
        !read_figure(object, "stddev", true, &d.stddev, &known, place, error)) {
        return false;
    }
    if (d.n == 0) {
        return field_fail(error, place, "n is 0; what was not measured is null");
    }
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        double *value = (double *)(void *)((char *)&d + figures[i].offset);
        if (!read_figure(object, figures[i].key, figures[i].valid_offset != 0, value, &known, place,
                error)) {
            return false;
        }
        if (figures[i].valid_offset != 0) {
            *(bool *)((char *)&d + figures[i].valid_offset) = known;
        }
    }
    const json_t *histogram = field_object(object, "histogram", place, error);
    const field_place here = {place, "histogram", 0};
    if (histogram == NULL || !histogram_from_json(histogram, &d.histogram, &here, error)) {
        return false;
    }
    *ret = d;
    return true;
}

static bool read_if_known(const json_t *object, const field_table *table, stats_summary *s,
    bool *ret_known, const field_place *place, field_error *error) {
    *ret_known = !json_is_null(json_object_get(object, table->fields[0].key));
    return !*ret_known || fields_read(object, table->fields, table->count, s, place, error);
}

static bool read_counts(
    const json_t *object, stats_summary *s, const field_place *place, field_error *error) {
    if (!read_if_known(object, &table_sent, s, &s->sent_known, place, error) ||
        !read_if_known(object, &table_received, s, &s->received_known, place, error) ||
        !fields_read(object, table_counts.fields, table_counts.count, s, place, error) ||
        !fields_read(object, table_figures.fields, table_figures.count, s, place, error)) {
        return false;
    }
    static const field lost[] = {FIELD(stats_summary, lost, FIELD_COUNT)};
    if (!s->sent_known || !s->received_known) {
        return true;
    }
    if (!fields_read(object, lost, 1, s, place, error)) {
        return false;
    }
    return s->sent == s->received + s->lost ||
           field_fail(error, place, "sent is not received + lost");
}

static bool read_growth(
    const json_t *object, stats_growth *growth, const field_place *place, field_error *error) {
    const json_t *value = json_object_get(object, "growth");
    const field_place here = {place, "growth", 0};
    if (value == NULL || !(json_is_null(value) || json_is_object(value))) {
        return field_fail(error, &here, value == NULL ? "missing" : "not an object or null");
    }
    growth->valid = json_is_object(value);
    return !growth->valid ||
           fields_read(value, table_growth.fields, table_growth.count, growth, &here, error);
}

bool summary_from_json(const json_t *object, stats_summary *ret_summary, const field_place *place,
    field_error *error) {
    stats_summary s = {0};
    bool good =
        read_counts(object, &s, place, error) && read_growth(object, &s.growth, place, error);
    for (int q = 0; good && q < STATS_QUANTITY_COUNT; q++) {
        const char *key = stats_quantity_name((stats_quantity)q);
        const field_place here = {place, key, 0};
        const json_t *value = json_object_get(object, key);
        if (value == NULL || !(json_is_null(value) || json_is_object(value))) {
            good = field_fail(error, &here, value == NULL ? "missing" : "not an object or null");
        } else if (json_is_object(value)) {
            good = distribution_from_json(value, &s.quantities[q], &here, error);
        }
    }
    if (!good) {
        stats_summary_done(&s);
        return false;
    }
    const char *reason = json_string_value(json_object_get(object, "one_way_reason"));
    if (reason != NULL) {
        snprintf(s.one_way_reason, sizeof(s.one_way_reason), "%s", reason);
    }
    *ret_summary = s;
    return true;
}
