/* TCPROS connection headers; see header.h. */
#include "ros1/header.h"

#include <string.h>

uint32_t rclitei_u32_read(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

void rclitei_u32_write(uint8_t *bytes, uint32_t value) {
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
    bytes[2] = (uint8_t)(value >> 16);
    bytes[3] = (uint8_t)(value >> 24);
}

/* Takes the next field off. False: there is none, or it is broken (then *broken). */
static bool next_field(
    rclitei_header *rest, rclitei_text *ret_name, rclitei_text *ret_value, bool *ret_broken) {
    *ret_broken = false;
    if (rest->size == 0) {
        return false;
    }
    *ret_broken = true;
    if (rest->size < 4) {
        return false;
    }
    size_t size = rclitei_u32_read(rest->bytes);
    if (size > rest->size - 4) {
        return false;
    }
    const char *text = (const char *)rest->bytes + 4;
    const char *equals = memchr(text, '=', size);
    if (!equals) {
        return false;
    }
    *ret_name = (rclitei_text){text, (size_t)(equals - text)};
    *ret_value = (rclitei_text){equals + 1, size - ret_name->size - 1};
    rest->bytes += 4 + size;
    rest->size -= 4 + size;
    *ret_broken = false;
    return true;
}

bool rclitei_header_is_valid(rclitei_header header) {
    rclitei_text name, value;
    bool broken;
    while (next_field(&header, &name, &value, &broken)) {
    }
    return !broken;
}

rclitei_text rclitei_header_get(rclitei_header header, const char *wanted) {
    rclitei_text name, value;
    bool broken;
    while (next_field(&header, &name, &value, &broken)) {
        if (rclitei_text_equal(name, wanted)) {
            return value;
        }
    }
    return (rclitei_text){NULL, 0};
}

bool rclitei_text_equal(rclitei_text text, const char *other) {
    return text.data && strlen(other) == text.size && memcmp(text.data, other, text.size) == 0;
}

bool rclitei_text_is_true(rclitei_text text) {
    return rclitei_text_equal(text, "1") || rclitei_text_equal(text, "true");
}

rclitei_packet *rclitei_header_build(
    rclitei_pool *pool, const rclitei_header_field *fields, size_t count) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        if (fields[i].value) {
            size += 4 + strlen(fields[i].name) + 1 + strlen(fields[i].value);
        }
    }
    rclitei_packet *packet = rclitei_packet_take(pool, 4 + size);
    if (!packet) {
        return NULL;
    }
    uint8_t *at = packet->bytes;
    rclitei_u32_write(at, (uint32_t)size);
    at += 4;
    for (size_t i = 0; i < count; i++) {
        if (fields[i].value) {
            size_t name = strlen(fields[i].name);
            size_t value = strlen(fields[i].value);
            rclitei_u32_write(at, (uint32_t)(name + 1 + value));
            memcpy(at + 4, fields[i].name, name);
            at[4 + name] = '=';
            memcpy(at + 4 + name + 1, fields[i].value, value);
            at += 4 + name + 1 + value;
        }
    }
    return packet;
}
