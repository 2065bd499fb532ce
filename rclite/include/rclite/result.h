/* Results and errors of every rclite call.
 *
 * Every function that can fail returns an rclite_result; negative is an error, zero is success,
 * positive is a status that is no error. Calls that are not on the hot path also fill a detail
 * object that the caller owns. There is no thread-local error state and no errno contract. */
#ifndef RCLITE_RESULT_H
#define RCLITE_RESULT_H

#if defined(_WIN32)
#define RCLITE_API
#else
#define RCLITE_API __attribute__((visibility("default")))
#endif
#define RCLITE_MUST_USE __attribute__((warn_unused_result))

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rclite_result {
    RCLITE_EMPTY = 1, /* nothing to take yet; not an error */
    RCLITE_OK = 0,
    RCLITE_ERR_INVALID = -1,     /* an argument breaks the function's contract */
    RCLITE_ERR_NO_MEMORY = -2,   /* the context's allocator returned NULL */
    RCLITE_ERR_TIMEOUT = -3,     /* the deadline passed */
    RCLITE_ERR_TRANSPORT = -4,   /* DDS or the socket layer refused; native_code says how */
    RCLITE_ERR_NAME = -5,        /* a node, topic, service or namespace name is not valid */
    RCLITE_ERR_TYPE = -6,        /* a type is unknown, not supported, or not in this generation */
    RCLITE_ERR_MALFORMED = -7,   /* bytes or text do not follow their format */
    RCLITE_ERR_SHUTDOWN = -8,    /* the context was shut down */
    RCLITE_ERR_UNSUPPORTED = -9, /* this generation or backend cannot do it */
    RCLITE_ERR_REJECTED = -10,   /* the other side refused: service error, goal rejected */
    RCLITE_ERR_STATE = -11,      /* not in this state, or would block its own callback thread */
    RCLITE_ERR_OVERFLOW = -12,   /* a bound (string, sequence, buffer, queue) is exceeded */
    RCLITE_ERR_SYSTEM = -13      /* the operating system refused; native_code is its errno */
} rclite_result;

/* Detail of a failure. Owned by the caller; every reterr argument may be NULL. Written only when
 * the call fails. */
typedef struct rclite_error {
    rclite_result code;
    int native_code; /* errno or dds_return_t; 0 if neither */
    char text[256];  /* one sentence: what happened, to whom, what to do */
} rclite_error;

/* Static, English, never NULL, without a final full stop. Thread-safe. */
RCLITE_API const char *rclite_result_string(rclite_result result);

#ifdef __cplusplus
}
#endif
#endif
