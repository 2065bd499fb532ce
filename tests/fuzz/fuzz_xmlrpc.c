/* Fuzzes HTTP framing and XML-RPC answers. The first byte chooses request or response, and whether
 * the connection has ended; the rest are the bytes of one connection. What is whole must stay
 * within the bytes, and be whole again when it comes alone. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ros1/http.h"
#include "ros1/rpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_body(const uint8_t *bytes, size_t size, const rclitei_http_message *message) {
    const uint8_t *body = (const uint8_t *)message->body;
    if (message->total_size > size || body < bytes || body + message->body_size > bytes + size) {
        abort();
    }
}

static void parse_answer(const rclitei_http_message *message) {
    char text[256];
    xmlrpc_value *value = NULL;
    if (rclitei_rpc_parse_answer(message->body, message->body_size, &value, text, sizeof text) ==
        RCLITE_OK) {
        xmlrpc_DECREF(value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    rclitei_xmlrpc_setup();
    bool is_response = data[0] & 1;
    bool closed = data[0] & 2;
    size_t have = size - 1;
    uint8_t *bytes = malloc(have + 1); /* exactly sized below, for the sanitizer */
    uint8_t *alone = malloc(have + 1);
    if (!bytes || !alone) {
        abort();
    }
    memcpy(bytes, data + 1, have);
    rclitei_http_message message;
    if (rclitei_http_read(bytes, have, is_response, closed, &message) == RCLITEI_HTTP_WHOLE) {
        check_body(bytes, have, &message);
        rclitei_http_message again;
        memcpy(alone, data + 1, message.total_size);
        if (rclitei_http_read(alone, message.total_size, is_response, closed, &again) !=
                RCLITEI_HTTP_WHOLE ||
            again.body_size != message.body_size) {
            abort();
        }
        parse_answer(&message);
    }
    free(bytes);
    free(alone);
    return 0;
}
