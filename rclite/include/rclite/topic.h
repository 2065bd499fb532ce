/* Publishers and subscriptions. */
#ifndef RCLITE_TOPIC_H
#define RCLITE_TOPIC_H

#include "rclite/node.h"
#include "rclite/qos.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rclite_event_kind {
    RCLITE_EVENT_MATCHED,          /* count changed: total = now matched */
    RCLITE_EVENT_INCOMPATIBLE_QOS, /* policy names the first one that does not fit */
    RCLITE_EVENT_DEADLINE_MISSED,
    RCLITE_EVENT_LIVELINESS_LOST,    /* publisher */
    RCLITE_EVENT_LIVELINESS_CHANGED, /* subscription: total = alive now */
    RCLITE_EVENT_MESSAGE_LOST,       /* subscription */
    RCLITE_EVENT_KIND_COUNT
} rclite_event_kind;

typedef struct rclite_event {
    rclite_event_kind kind;
    uint32_t total;
    int32_t change;
    const char *policy; /* "RELIABILITY", "DURABILITY", ... or NULL */
} rclite_event;
typedef void (*rclite_event_callback)(const rclite_event *event, void *user);

/* ---- publisher ------------------------------------------------------------------------------ */

typedef struct rclite_publisher rclite_publisher;
typedef struct rclite_publisher_options {
    size_t size;
    rclite_qos qos;
    rclite_event_callback event; /* may be NULL; same thread rules as message callbacks */
    void *event_user;
} rclite_publisher_options;
#define RCLITE_PUBLISHER_OPTIONS_INIT                                                              \
    { sizeof(rclite_publisher_options), rclite_qos_default(), 0, 0 }

/* topic: absolute ("/a"), relative ("a") or private ("~/a"), remapped by the context's arguments.
 * Borrows type (must outlive the publisher), copies topic and options.
 * Allocates: yes. Blocks: ROS 1: for the master. Thread-safe: yes. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_publisher_create(rclite_node *node,
    const char *topic, const rclite_type *type, const rclite_publisher_options *options,
    rclite_publisher **ret_publisher, rclite_error *reterr);
RCLITE_API rclite_publisher *rclite_publisher_free(rclite_publisher *publisher);
/* Serialises and sends; the message is the caller's again on return. Callable from callbacks.
 * Allocates: not after warm-up. Blocks: up to 100 ms for a reliable reader that is behind, never
 * when called from a callback (then the message is queued in order). Thread-safe: yes. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_publisher_publish(
    rclite_publisher *publisher, const void *message);
/* The same for bytes that are already serialised (ROS 2: with encapsulation header). */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_publisher_publish_serialized(
    rclite_publisher *publisher, const uint8_t *bytes, size_t size_bytes);
RCLITE_API const char *rclite_publisher_topic(const rclite_publisher *publisher);
RCLITE_API uint32_t rclite_publisher_matched_count(const rclite_publisher *publisher);
/* Waits until at least `count` subscriptions are matched (connected). One that was freed elsewhere
 * counts until the network has told. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_publisher_wait_matched(
    rclite_publisher *publisher, uint32_t count, int64_t timeout_ns);
/* ROS 2 reliable: until all matched readers acknowledged; ROS 1: until all bytes left our queues.
 */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_publisher_wait_sent(
    rclite_publisher *publisher, int64_t timeout_ns);
/* The settings in force (asked and effective may differ). */
RCLITE_API rclite_qos rclite_publisher_qos(const rclite_publisher *publisher);

/* ---- subscription --------------------------------------------------------------------------- */

typedef struct rclite_message_info {
    int64_t source_ns;          /* CLOCK_REALTIME at the writer; 0 on ROS 1 */
    int64_t received_ns;        /* CLOCK_REALTIME when the transport handed it to us */
    const char *publisher_name; /* ROS 1: callerid; ROS 2: NULL. Valid during the callback */
} rclite_message_info;

/* message is valid during the call only; its strings and primitive sequences may be views into the
 * receive buffer. */
typedef void (*rclite_subscription_callback)(
    const void *message, const rclite_message_info *info, void *user);

typedef struct rclite_subscription rclite_subscription;
typedef struct rclite_subscription_options {
    size_t size;
    rclite_qos qos;
    rclite_event_callback event;
    void *event_user;
    bool ignore_local; /* do not receive what this context publishes */
} rclite_subscription_options;
#define RCLITE_SUBSCRIPTION_OPTIONS_INIT                                                           \
    { sizeof(rclite_subscription_options), rclite_qos_default(), 0, 0, false }

/* callback NULL: messages are fetched with rclite_subscription_take. Otherwise as publisher. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_subscription_create(rclite_node *node,
    const char *topic, const rclite_type *type, rclite_subscription_callback callback, void *user,
    const rclite_subscription_options *options, rclite_subscription **ret_subscription,
    rclite_error *reterr);
/* After it returns no callback of it runs any more. Not to be called from its own callback. */
RCLITE_API rclite_subscription *rclite_subscription_free(rclite_subscription *subscription);
/* Copies the oldest message into one of the caller's that was initialised with the context's
 * allocator, reusing its buffers. info may
 * be NULL. RCLITE_EMPTY: nothing there. Allocates: only to grow the message. Blocks: no. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_subscription_take(
    rclite_subscription *subscription, void *message, rclite_message_info *info);
/* Waits until take would give something. */
RCLITE_API RCLITE_MUST_USE rclite_result rclite_subscription_wait(
    rclite_subscription *subscription, int64_t timeout_ns);
RCLITE_API const char *rclite_subscription_topic(const rclite_subscription *subscription);
RCLITE_API uint32_t rclite_subscription_matched_count(const rclite_subscription *subscription);
RCLITE_API RCLITE_MUST_USE rclite_result rclite_subscription_wait_matched(
    rclite_subscription *subscription, uint32_t count, int64_t timeout_ns);
RCLITE_API rclite_qos rclite_subscription_qos(const rclite_subscription *subscription);

#ifdef __cplusplus
}
#endif
#endif
