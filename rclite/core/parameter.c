/* Parameters: on ROS 2 the values given by -p arguments; on ROS 1 the master's, through the
 * backend. Text is read as YAML reads a scalar. */
#include "core/parameter.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/endpoint.h"
#include "core/memory.h"

/* true, false in YAML 1.1's spellings that rcl and roscpp share. */
static bool read_bool(const char *text, bool *ret_value) {
    static const char *const truths[] = {"true", "True", "TRUE"};
    static const char *const lies[] = {"false", "False", "FALSE"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, truths[i]) == 0 || strcmp(text, lies[i]) == 0) {
            *ret_value = strcmp(text, truths[i]) == 0;
            return true;
        }
    }
    return false;
}

static bool read_integer(const char *text, int64_t *ret_value) {
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, text[0] == '0' && text[1] == 'x' ? 16 : 10);
    if (errno != 0 || end == text || *end != '\0') {
        return false;
    }
    *ret_value = value;
    return true;
}

/* Decimal only: strtod alone would also take "nan", "infinity" and hexadecimal. */
static bool read_real(const char *text, double *ret_value) {
    if (text[0] == '\0' || strspn(text, "0123456789+-.eE") != strlen(text)) {
        return false;
    }
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value)) {
        return false;
    }
    *ret_value = value;
    return true;
}

rclite_result rclitei_parameter_parse(
    const char *text, const rclite_allocator *allocator, rclite_parameter *ret_value) {
    rclite_parameter value;
    memset(&value, 0, sizeof value);
    if (read_bool(text, &value.boolean)) {
        value.kind = RCLITE_PARAMETER_BOOL;
    } else if (read_integer(text, &value.integer)) {
        value.kind = RCLITE_PARAMETER_INTEGER;
    } else if (read_real(text, &value.real)) {
        value.kind = RCLITE_PARAMETER_DOUBLE;
    } else {
        value.kind = RCLITE_PARAMETER_STRING;
        size_t length = strlen(text);
        bool quoted =
            length >= 2 && (text[0] == '"' || text[0] == '\'') && text[length - 1] == text[0];
        char *copy = rclitei_format(
            allocator, "%.*s", (int)(quoted ? length - 2 : length), quoted ? text + 1 : text);
        if (!copy) {
            return RCLITE_ERR_NO_MEMORY;
        }
        value.string.data = copy;
        value.string.size = strlen(copy);
        value.string.capacity = value.string.size + 1;
    }
    *ret_value = value;
    return RCLITE_OK;
}

rclite_result rclite_parameter_get(
    rclite_node *node, const char *name, rclite_parameter *ret_value, rclite_error *reterr) {
    if (!node || !name || !ret_value) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0, "node, name or ret_value is NULL");
    }
    rclite_context *context = node->context;
    if (context->backend->parameter_get) {
        return context->backend->parameter_get(node, name, ret_value, reterr);
    }
    const char *text = rclitei_names_setting(node, name);
    if (!text) {
        return RCLITE_EMPTY;
    }
    rclite_result result = rclitei_parameter_parse(text, &context->allocator, ret_value);
    return result == RCLITE_OK
               ? RCLITE_OK
               : rclitei_fail(reterr, result, 0, "no memory for parameter '%.100s'", name);
}

rclite_result rclite_parameter_set(
    rclite_node *node, const char *name, const rclite_parameter *value, rclite_error *reterr) {
    if (!node || !name || !value || (unsigned)value->kind >= RCLITE_PARAMETER_KIND_COUNT) {
        return rclitei_fail(
            reterr, RCLITE_ERR_INVALID, 0, "node, name or value is NULL, or value.kind unknown");
    }
    if (!node->context->backend->parameter_set) {
        return rclitei_fail(reterr, RCLITE_ERR_UNSUPPORTED, 0,
            "parameter '%.100s': only ROS 1 has parameters that can be set", name);
    }
    return node->context->backend->parameter_set(node, name, value, reterr);
}

rclite_result rclite_parameter_search(
    rclite_node *node, const char *name, rclite_string *ret_full_name, rclite_error *reterr) {
    if (!node || !name || !ret_full_name) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0, "node, name or ret_full_name is NULL");
    }
    if (!node->context->backend->parameter_search) {
        return rclitei_fail(reterr, RCLITE_ERR_UNSUPPORTED, 0,
            "parameter '%.100s': only ROS 1 can search for parameters", name);
    }
    return node->context->backend->parameter_search(node, name, ret_full_name, reterr);
}

void rclite_parameter_done(rclite_node *node, rclite_parameter *value) {
    if (!node || !value) {
        return;
    }
    if (value->string.capacity > 0) {
        rclitei_release(&node->context->allocator, value->string.data);
    }
    memset(value, 0, sizeof *value);
}
