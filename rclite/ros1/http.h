/* Just enough of HTTP/1.1 to carry XML-RPC: finds where one message ends, and its body. It reads
 * what the ROS world sends (lengths, chunks, keep-alive in either version, header names in any
 * case) and refuses the rest. Pure functions over bytes; the sockets are elsewhere. */
#ifndef RCLITE_ROS1_HTTP_H
#define RCLITE_ROS1_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RCLITEI_HTTP_HEAD_BYTES_MAX ((size_t)16384)
#define RCLITEI_HTTP_BODY_BYTES_MAX ((size_t)64 << 20)

typedef enum rclitei_http_result {
    RCLITEI_HTTP_MORE, /* bytes are missing */
    RCLITEI_HTTP_WHOLE,
    RCLITEI_HTTP_BAD
} rclitei_http_result;

typedef struct rclitei_http_message {
    int status;          /* of a response; of a bad request: what to answer */
    bool is_post;        /* request */
    bool keep_alive;     /* the connection may be used again after this message */
    bool wants_continue; /* request: waits for "100 Continue" before the body */
    size_t total_size;   /* bytes of head and body; while MORE: as far as known, else 0 */
    const char *body;    /* the chunks are taken out of a chunked body: that changes the bytes */
    size_t body_size;
} rclitei_http_message;

/* Looks at the bytes of one message from its beginning. closed: no more bytes will come (a response
 * without a length then ends). May be called again and again with more bytes. The bytes are changed
 * only when the result is WHOLE. */
rclitei_http_result rclitei_http_read(
    uint8_t *bytes, size_t size, bool is_response, bool closed, rclitei_http_message *ret_message);

/* "http://host:port/path"; path may be missing (then "/"), port too (then 80). ret_host has
 * host_bytes of room. False: it is none, or does not fit. */
bool rclitei_uri_parse(const char *uri, const char *scheme, char *ret_host, size_t host_bytes,
    uint16_t *ret_port, const char **ret_path);

#endif
