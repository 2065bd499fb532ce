/* Numbers with units; see units.h. */
#include "util/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct unit {
    const char *name;
    uint64_t factor;
} unit;

static const unit byte_units[] = {
    {"", 1},
    {"B", 1},
    {"KiB", UINT64_C(1) << 10},
    {"MiB", UINT64_C(1) << 20},
    {"GiB", UINT64_C(1) << 30},
    {"kB", 1000},
    {"KB", 1000},
    {"MB", 1000000},
    {"GB", 1000000000},
    {NULL, 0},
};

static const unit duration_units[] = {
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000000},
    {"s", 1000000000},
    {"m", UINT64_C(60000000000)},
    {"min", UINT64_C(60000000000)},
    {"h", UINT64_C(3600000000000)},
    {NULL, 0},
};

static const unit count_units[] = {
    {"", 1},
    {"k", 1000},
    {"K", 1000},
    {"M", 1000000},
    {NULL, 0},
};

static const unit rate_units[] = {
    {"", 1},
    {"Hz", 1},
    {"k", 1000},
    {"kHz", 1000},
    {NULL, 0},
};

static const unit *find_unit(const unit *units, const char *name) {
    for (; units->name != NULL; units++) {
        if (strcmp(units->name, name) == 0) {
            return units;
        }
    }
    return NULL;
}

/* Splits "12.5KiB" into its number ("12.5") and unit. Digits, at most one point, nothing else. */
static bool split(const char *text, char number[32], const char **ret_unit) {
    size_t len = strspn(text, "0123456789.");
    if (len == 0 || len >= 32 || !isdigit((unsigned char)text[0]) ||
        !isdigit((unsigned char)text[len - 1])) {
        return false;
    }
    memcpy(number, text, len);
    number[len] = '\0';
    if (strchr(number, '.') != strrchr(number, '.')) {
        return false;
    }
    while (text[len] == ' ') {
        len++;
    }
    *ret_unit = text + len;
    return true;
}

/* number x factor, exact for whole numbers; a fraction must still give a whole result. */
static bool scale(const char *number, uint64_t factor, uint64_t max, uint64_t *ret_value) {
    if (strchr(number, '.') == NULL) {
        errno = 0;
        uint64_t whole = strtoull(number, NULL, 10);
        if (errno != 0 || whole > max / factor) {
            return false;
        }
        *ret_value = whole * factor;
        return true;
    }
    double value = strtod(number, NULL) * (double)factor;
    double rounded = round(value);
    if (value >= 9e15 || rounded > (double)max || fabs(value - rounded) > 1e-6 * factor) {
        return false;
    }
    if (fabs(value - rounded) > 1e-3) {
        return false;
    }
    *ret_value = (uint64_t)rounded;
    return true;
}

static bool parse(const char *text, const unit *units, uint64_t max, uint64_t *ret_value) {
    char number[32];
    const char *name;
    if (!split(text, number, &name)) {
        return false;
    }
    const unit *found = find_unit(units, name);
    return found != NULL && scale(number, found->factor, max, ret_value);
}

bool units_parse_bytes(const char *text, uint64_t *ret_bytes) {
    return parse(text, byte_units, UINT64_MAX, ret_bytes);
}

bool units_parse_count(const char *text, uint64_t *ret_count) {
    return parse(text, count_units, UINT64_MAX, ret_count);
}

bool units_parse_duration(const char *text, int64_t *ret_ns) {
    if (strcmp(text, "0") == 0) {
        *ret_ns = 0;
        return true;
    }
    uint64_t ns;
    if (!parse(text, duration_units, INT64_MAX, &ns)) {
        return false;
    }
    *ret_ns = (int64_t)ns;
    return true;
}

bool units_parse_rate(const char *text, double *ret_hz) {
    char number[32];
    const char *name;
    if (!split(text, number, &name)) {
        return false;
    }
    const unit *found = find_unit(rate_units, name);
    if (found == NULL) {
        return false;
    }
    *ret_hz = strtod(number, NULL) * (double)found->factor;
    return true;
}

char *units_format_bytes(uint64_t bytes, char *buffer) {
    static const char *const binary[] = {"B", "KiB", "MiB", "GiB"};
    static const char *const decimal[] = {"B", "KB", "MB", "GB"};
    bool by_1000 = bytes >= 1000 && bytes % 1000 == 0 && bytes % 1024 != 0;
    double value = (double)bytes;
    size_t i = 0;
    while (i < 3 && value >= (by_1000 ? 1000 : 1024)) {
        value /= by_1000 ? 1000 : 1024;
        i++;
    }
    snprintf(buffer, UNITS_TEXT_MAX, "%.4g %s", value, by_1000 ? decimal[i] : binary[i]);
    return buffer;
}

char *units_format_duration(int64_t ns, char *buffer) {
    double value = (double)ns;
    if (ns < 1000) {
        snprintf(buffer, UNITS_TEXT_MAX, "%" PRId64 " ns", ns);
    } else if (ns < 1000000) {
        snprintf(buffer, UNITS_TEXT_MAX, "%.3g us", value / 1e3);
    } else if (ns < 1000000000) {
        snprintf(buffer, UNITS_TEXT_MAX, "%.3g ms", value / 1e6);
    } else if (ns < INT64_C(60000000000)) {
        snprintf(buffer, UNITS_TEXT_MAX, "%.3g s", value / 1e9);
    } else {
        int64_t seconds = ns / 1000000000;
        if (seconds % 60 == 0) {
            snprintf(buffer, UNITS_TEXT_MAX, "%" PRId64 " min", seconds / 60);
        } else {
            snprintf(buffer, UNITS_TEXT_MAX, "%" PRId64 " min %" PRId64 " s", seconds / 60,
                seconds % 60);
        }
    }
    return buffer;
}
