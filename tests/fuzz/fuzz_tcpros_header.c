/* Fuzzes TCPROS connection headers: what is accepted must give, field by field, what a rebuilt
 * header gives. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ros1/header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"callerid", "md5sum", "topic", "service", "type", "persistent",
    "error", "message_definition", "probe", "tcp_nodelay"};
#define NAME_COUNT (sizeof names / sizeof *names)

/* The value as a C string; NULL when it is not there or holds a zero. */
static char *copy_value(rclitei_text text) {
    if (!text.data || memchr(text.data, '\0', text.size)) {
        return NULL;
    }
    char *copy = malloc(text.size + 1);
    if (!copy) {
        abort();
    }
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rclitei_header header = {data, size};
    if (!rclitei_header_is_valid(header)) {
        return 0;
    }
    rclite_allocator allocator = rclite_allocator_default();
    rclitei_pool *pool = rclitei_pool_create(&allocator, 1);
    char *values[NAME_COUNT];
    rclitei_header_field fields[NAME_COUNT];
    for (size_t i = 0; i < NAME_COUNT; i++) {
        values[i] = copy_value(rclitei_header_get(header, names[i]));
        fields[i] = (rclitei_header_field){names[i], values[i]};
    }
    rclitei_packet *packet = pool ? rclitei_header_build(pool, fields, NAME_COUNT) : NULL;
    if (!packet) {
        abort();
    }
    rclitei_header again = {packet->bytes + 4, packet->size - 4};
    if (rclitei_u32_read(packet->bytes) != again.size || !rclitei_header_is_valid(again)) {
        abort();
    }
    for (size_t i = 0; i < NAME_COUNT; i++) {
        rclitei_text text = rclitei_header_get(again, names[i]);
        if (values[i] ? !rclitei_text_equal(text, values[i]) : text.data != NULL) {
            abort();
        }
        free(values[i]);
    }
    rclitei_packet_release(packet);
    rclitei_pool_free(pool);
    return 0;
}
