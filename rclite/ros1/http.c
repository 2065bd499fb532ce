/* Framing of HTTP/1.1 messages; see http.h. */
#include "ros1/http.h"

#include <string.h>
#include <strings.h>

typedef struct head {
    bool has_length, is_chunked, has_close, has_keep_alive, is_http10;
    size_t length;
} head;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* A line without its end; NULL: no whole line. *ret_next is behind the line end. */
static const char *find_line_end(const char *at, const char *end, const char **ret_next) {
    const char *feed = memchr(at, '\n', (size_t)(end - at));
    if (!feed) {
        return NULL;
    }
    *ret_next = feed + 1;
    return feed > at && feed[-1] == '\r' ? feed - 1 : feed;
}

static bool parse_size(const char *at, const char *end, size_t max, size_t *ret_value) {
    size_t value = 0;
    if (at == end) {
        return false;
    }
    for (; at < end; at++) {
        if (!is_digit(*at) || value > max) {
            return false;
        }
        value = value * 10 + (size_t)(*at - '0');
    }
    *ret_value = value;
    return value <= max;
}

/* Does a comma-separated header value hold the token. */
static bool has_token(const char *at, const char *end, const char *token) {
    size_t size = strlen(token);
    for (; at + size <= end; at++) {
        if (strncasecmp(at, token, size) == 0) {
            return true;
        }
    }
    return false;
}

static bool name_is(const char *at, const char *colon, const char *name) {
    size_t size = strlen(name);
    return (size_t)(colon - at) == size && strncasecmp(at, name, size) == 0;
}

/* One header field. False: malformed. */
static bool read_field(
    const char *at, const char *end, head *fields, rclitei_http_message *message) {
    const char *colon = memchr(at, ':', (size_t)(end - at));
    if (!colon) {
        return false;
    }
    const char *value = colon + 1;
    while (value < end && (*value == ' ' || *value == '\t')) {
        value++;
    }
    while (end > value && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    if (name_is(at, colon, "content-length")) {
        size_t length;
        if (!parse_size(value, end, RCLITEI_HTTP_BODY_BYTES_MAX, &length) ||
            (fields->has_length && fields->length != length)) {
            return false;
        }
        fields->has_length = true;
        fields->length = length;
    } else if (name_is(at, colon, "transfer-encoding")) {
        if (!has_token(value, end, "chunked")) {
            return false;
        }
        fields->is_chunked = true;
    } else if (name_is(at, colon, "connection")) {
        fields->has_close = has_token(value, end, "close");
        fields->has_keep_alive = has_token(value, end, "keep-alive");
    } else if (name_is(at, colon, "expect")) {
        message->wants_continue = has_token(value, end, "100-continue");
    }
    return true;
}

static bool read_first_line(const char *at, const char *end, bool is_response, head *fields,
    rclitei_http_message *message) {
    size_t size = (size_t)(end - at);
    if (is_response) {
        if (size < 12 || strncmp(at, "HTTP/1.", 7) != 0 || at[8] != ' ' || !is_digit(at[9]) ||
            !is_digit(at[10]) || !is_digit(at[11])) {
            return false;
        }
        fields->is_http10 = at[7] == '0';
        message->status = (at[9] - '0') * 100 + (at[10] - '0') * 10 + (at[11] - '0');
        return true;
    }
    if (size < 14 || strncmp(end - 9, " HTTP/1.", 8) != 0) {
        return false;
    }
    fields->is_http10 = end[-1] == '0';
    message->is_post = strncmp(at, "POST ", 5) == 0;
    return true;
}

/* Reads the head. Returns bytes of it, 0 when it is not whole; *ret_bad. */
static size_t read_head(const char *bytes, size_t size, bool is_response, head *fields,
    rclitei_http_message *message, bool *ret_bad) {
    const char *end = bytes + size;
    const char *next;
    const char *line_end = find_line_end(bytes, end, &next);
    *ret_bad = false;
    if (!line_end) {
        *ret_bad = size > RCLITEI_HTTP_HEAD_BYTES_MAX;
        return 0;
    }
    if (!read_first_line(bytes, line_end, is_response, fields, message)) {
        *ret_bad = true;
        return 0;
    }
    for (;;) {
        const char *at = next;
        if ((size_t)(at - bytes) > RCLITEI_HTTP_HEAD_BYTES_MAX) {
            *ret_bad = true;
            return 0;
        }
        line_end = find_line_end(at, end, &next);
        if (!line_end) {
            *ret_bad = size > RCLITEI_HTTP_HEAD_BYTES_MAX;
            return 0;
        }
        if (line_end == at) {
            return (size_t)(next - bytes);
        }
        if (!read_field(at, line_end, fields, message)) {
            *ret_bad = true;
            return 0;
        }
    }
}

static int hex_digit(char c) {
    if (is_digit(c)) {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Walks the chunks; with `join`, moves them together. MORE, WHOLE or BAD. */
static rclitei_http_result walk_chunks(
    char *body, size_t size, bool join, size_t *ret_used, size_t *ret_body_size) {
    size_t at = 0;
    size_t out = 0;
    for (;;) {
        const char *next;
        const char *line_end = find_line_end(body + at, body + size, &next);
        if (!line_end) {
            return size - at > 1024 ? RCLITEI_HTTP_BAD : RCLITEI_HTTP_MORE;
        }
        size_t chunk = 0;
        const char *digit = body + at;
        for (; digit < line_end && hex_digit(*digit) >= 0; digit++) {
            chunk = chunk * 16 + (size_t)hex_digit(*digit);
            if (chunk > RCLITEI_HTTP_BODY_BYTES_MAX) {
                return RCLITEI_HTTP_BAD;
            }
        }
        if (digit == body + at || out + chunk > RCLITEI_HTTP_BODY_BYTES_MAX) {
            return RCLITEI_HTTP_BAD;
        }
        at = (size_t)(next - body);
        if (chunk == 0) { /* trailer: lines until an empty one */
            const char *trailer = body + at;
            line_end = find_line_end(trailer, body + size, &next);
            if (!line_end) {
                return RCLITEI_HTTP_MORE;
            }
            if (line_end != trailer) {
                return RCLITEI_HTTP_BAD;
            }
            *ret_used = (size_t)(next - body);
            *ret_body_size = out;
            return RCLITEI_HTTP_WHOLE;
        }
        if (size - at < chunk + 2) {
            return RCLITEI_HTTP_MORE;
        }
        if (join) {
            memmove(body + out, body + at, chunk);
        }
        out += chunk;
        at += chunk;
        if (body[at] == '\r') {
            at++;
        }
        if (body[at] != '\n') {
            return RCLITEI_HTTP_BAD;
        }
        at++;
    }
}

static rclitei_http_result read_chunked(
    char *body, size_t size, size_t head_size, rclitei_http_message *message) {
    size_t used = 0;
    rclitei_http_result result = walk_chunks(body, size, false, &used, &message->body_size);
    if (result == RCLITEI_HTTP_WHOLE) {
        walk_chunks(body, size, true, &used, &message->body_size);
        message->body = body;
        message->total_size = head_size + used;
    }
    return result;
}

rclitei_http_result rclitei_http_read(
    uint8_t *bytes, size_t size, bool is_response, bool closed, rclitei_http_message *message) {
    head fields = {0};
    bool bad;
    *message = (rclitei_http_message){.status = 400};
    size_t head_size = read_head((const char *)bytes, size, is_response, &fields, message, &bad);
    if (bad || (head_size == 0 && closed)) {
        return RCLITEI_HTTP_BAD;
    }
    if (head_size == 0) {
        return RCLITEI_HTTP_MORE;
    }
    message->keep_alive = fields.is_http10 ? fields.has_keep_alive : !fields.has_close;
    char *body = (char *)bytes + head_size;
    size_t body_size = size - head_size;
    if (fields.is_chunked) {
        rclitei_http_result result = read_chunked(body, body_size, head_size, message);
        return result == RCLITEI_HTTP_MORE && closed ? RCLITEI_HTTP_BAD : result;
    }
    if (!fields.has_length && is_response) {
        if (!closed) {
            return body_size > RCLITEI_HTTP_BODY_BYTES_MAX ? RCLITEI_HTTP_BAD : RCLITEI_HTTP_MORE;
        }
        message->keep_alive = false;
        fields.length = body_size;
    } else if (!fields.has_length && message->is_post) {
        message->status = 411;
        return RCLITEI_HTTP_BAD;
    }
    message->total_size = head_size + fields.length;
    if (body_size < fields.length) {
        return closed ? RCLITEI_HTTP_BAD : RCLITEI_HTTP_MORE;
    }
    message->body = body;
    message->body_size = fields.length;
    return RCLITEI_HTTP_WHOLE;
}

bool rclitei_uri_parse(const char *uri, const char *scheme, char *ret_host, size_t host_bytes,
    uint16_t *ret_port, const char **ret_path) {
    size_t scheme_size = strlen(scheme);
    if (strncasecmp(uri, scheme, scheme_size) != 0 || strncmp(uri + scheme_size, "://", 3) != 0) {
        return false;
    }
    const char *host = uri + scheme_size + 3;
    size_t host_size = strcspn(host, ":/");
    if (host_size == 0 || host_size >= host_bytes) {
        return false;
    }
    const char *rest = host + host_size;
    size_t port = 80;
    if (*rest == ':') {
        const char *digits = rest + 1;
        rest = digits + strcspn(digits, "/");
        if (!parse_size(digits, rest, UINT16_MAX, &port) || port == 0) {
            return false;
        }
    }
    memcpy(ret_host, host, host_size);
    ret_host[host_size] = '\0';
    *ret_port = (uint16_t)port;
    *ret_path = *rest == '/' ? rest : "/";
    return true;
}
