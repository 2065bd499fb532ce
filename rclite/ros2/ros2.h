/* The structs of the ROS 2 backend and the functions that its files share. Everything is the
 * backend's own; core sees only the table in backend.c.
 *
 * Locks, outermost first: an endpoint's own (writer.lock, client.lock, ...), graph.lock,
 * sender.lock, the pool's. A user callback may run below Cyclone's locks (direct delivery; a local
 * reader is even served inside the write), so code that a callback can reach only tries
 * writer.lock, and what it cannot do at once goes to the sender thread. */
#ifndef RCLITE_ROS2_ROS2_H
#define RCLITE_ROS2_ROS2_H

#include "core/backend.h"
#include "core/codec.h"
#include "ros2/sender.h"
#include "ros2/serdata.h"
#include "ros2/settle.h"
#include "ros2/text.h"

/* How long a publish from a plain thread waits for a reliable reader that is behind. */
#define ROS2_PUBLISH_BLOCKS_NS INT64_C(100000000)

typedef struct ros2_graph ros2_graph; /* graph.h */

typedef struct ros2_context {
    rclite_context base;
    uint32_t domain_id;
    bool domain_open;
    char *xml;
    ros2_pool *pool;
    dds_entity_t participant;
    dds_guid_t guid;
    ros2_sender sender;
    ros2_graph *graph;
    _Atomic uint32_t service_id_count; /* for serviceid= and clientid= */
} ros2_context;

static inline ros2_context *ros2_context_of(const rclite_node *node) {
    return (ros2_context *)node->context;
}

/* ---- qos.c ---------------------------------------------------------------------------------- */

typedef struct ros2_qos_extra {
    const char *user_data;
    bool ignore_local;
    bool writer;
} ros2_qos_extra;

dds_qos_t *ros2_qos_create(const rclite_qos *qos, const ros2_qos_extra *extra);
/* What a DDS entity has, in our words. */
rclite_qos ros2_qos_read(const dds_qos_t *qos);
/* "RELIABILITY" and so on, for the policy ids that DDS reports; "OTHER". */
const char *ros2_qos_policy_name(uint32_t policy_id);
/* The value of key in user data of the form key=value;key=value; (not NUL-terminated inside qos).
 * false: not there, or longer than capacity. */
bool ros2_user_data_get(const dds_qos_t *qos, const char *key, char *value, size_t capacity);

/* ---- endpoint.c: what all readers and writers have in common -------------------------------- */

typedef struct ros2_endpoint_options {
    const char *prefix, *name, *suffix;
    const rclite_type *type;
    const rclite_qos *qos;
    const char *identity; /* "serviceid=...;", "clientid=...;" or "" */
    bool ignore_local;
    dds_listener_t *listener; /* copied by Cyclone */
    const void *owner; /* what its functions are given: an edge for ThreadSanitizer (edges.h) */
} ros2_endpoint_options;

typedef struct ros2_writer {
    ros2_context *context;
    dds_entity_t entity; /* used with lock held */
    const void *owner;
    const struct ddsi_sertype *type; /* lives as long as the entity */
    dds_guid_t guid;
    dds_instance_handle_t handle;
    pthread_mutex_t lock;
    bool lock_ready;
    uint32_t depth;                 /* 0: keep all */
    ros2_task task;                 /* sends the backlog */
    _Atomic uint32_t backlog_count; /* written below sender.lock */
    ros2_serdata *backlog_first, *backlog_last;
    size_t backlog_bytes;
} ros2_writer;

typedef struct ros2_reader {
    dds_entity_t entity;
    const void *owner;
    dds_guid_t guid;
} ros2_reader;

rclite_result ros2_writer_init(ros2_writer *writer, ros2_context *context,
    const ros2_endpoint_options *options, rclite_error *reterr);
/* Its own state, once the entity exists. */
void ros2_writer_start(ros2_writer *writer, ros2_context *context, const rclite_qos *qos);
void ros2_writer_done(ros2_writer *writer);
rclite_result ros2_reader_init(ros2_reader *reader, ros2_context *context,
    const ros2_endpoint_options *options, rclite_error *reterr);
/* After it returns no listener of it runs. */
void ros2_reader_done(ros2_reader *reader);

/* As send, and never waits whoever calls. */
rclite_result ros2_writer_offer(ros2_writer *writer, ros2_serdata *serdata);
/* Hands over one reference. Never blocks when called from a callback. */
rclite_result ros2_writer_send(ros2_writer *writer, ros2_serdata *serdata);
/* Header (service_header_bytes 0 or 16) and message into a serdata, and sends it. */
rclite_result ros2_writer_send_message(ros2_writer *writer, const rclitei_codec *codec,
    const void *header, size_t header_bytes, const void *message);
/* The same without sending. */
rclite_result ros2_writer_serialize(const ros2_writer *writer, const rclitei_codec *codec,
    const void *header, size_t header_bytes, const void *message, ros2_serdata **ret_serdata);
rclite_result ros2_writer_wait_sent(ros2_writer *writer, int64_t timeout_ns);
/* Sends what readers acknowledge and users never see (settle.h). false: the readers are behind. */
bool ros2_writer_probe(ros2_writer *writer);

/* Takes everything there is and gives each sample to `each`; the serdata is valid during the call.
 */
typedef void (*ros2_sample_handler)(
    void *user, const ros2_serdata *serdata, const dds_sample_info_t *info);
void ros2_reader_drain(dds_entity_t reader, ros2_sample_handler each, void *user);
/* One sample; the caller unreferences it. NULL: nothing there. */
ros2_serdata *ros2_reader_take(dds_entity_t reader, dds_sample_info_t *ret_info);
bool ros2_reader_has_data(dds_entity_t reader);

/* Counts and logs a sample that could not be read: its bytes do not parse, or there was no memory.
 */
void ros2_unreadable(ros2_context *context, const char *name, rclite_result why);

/* ---- events.c ------------------------------------------------------------------------------- */

/* QoS events of one endpoint: straight from the listener, or through the spin queue. */
typedef struct ros2_events {
    rclite_context *context;
    rclite_event_callback callback; /* may be NULL */
    void *user;
    _Atomic uint32_t matched;
    pthread_mutex_t lock;
    rclitei_ready ready;
    uint32_t pending_mask;
    rclite_event pending[RCLITE_EVENT_KIND_COUNT];
} ros2_events;

void ros2_events_init(
    ros2_events *events, rclite_context *context, rclite_event_callback callback, void *user);
/* Only after the entity was deleted. */
void ros2_events_done(ros2_events *events);
dds_listener_t *ros2_events_writer_listener(ros2_events *events);
/* The caller adds data_available with its own argument. */
dds_listener_t *ros2_events_reader_listener(ros2_events *events);

/* ---- publisher.c, subscription.c, service.c, client.c: see backend.h ------------------------ */

typedef struct ros2_publisher {
    rclite_publisher base;
    ros2_writer writer;
    ros2_events events;
    rclitei_codec *codec;
} ros2_publisher;

typedef struct ros2_subscription {
    rclite_subscription base;
    ros2_reader reader;
    ros2_events events;
    rclitei_codec *codec;
    rclitei_ready ready; /* spin delivery */
    void *message;       /* what callbacks are given: its views point into the current sample */
} ros2_subscription;

rclite_result ros2_publisher_init(rclite_publisher *base, rclite_error *reterr);
void ros2_publisher_done(rclite_publisher *base);
rclite_result ros2_publisher_publish(rclite_publisher *base, const void *message);
rclite_result ros2_publisher_publish_serialized(
    rclite_publisher *base, const uint8_t *bytes, size_t size_bytes);
uint32_t ros2_publisher_matched(const rclite_publisher *base);
rclite_result ros2_publisher_wait_sent(rclite_publisher *base, int64_t timeout_ns);

rclite_result ros2_subscription_init(rclite_subscription *base, rclite_error *reterr);
void ros2_subscription_done(rclite_subscription *base);
rclite_result ros2_subscription_take(
    rclite_subscription *base, void *message, rclite_message_info *info);
bool ros2_subscription_has_data(rclite_subscription *base);
uint32_t ros2_subscription_matched(const rclite_subscription *base);

/* ---- service_common.c: what servers and clients share --------------------------------------- */

/* Leads each request and reply inside the data. */
typedef struct ros2_request_header {
    uint64_t client; /* the request writer's instance handle in the client's process */
    int64_t sequence;
} ros2_request_header;
_Static_assert(sizeof(ros2_request_header) == 16, "as on the wire");

/* "serviceid" or "clientid" with a fresh id: "key=...;". NULL when there is no memory. */
char *ros2_identity(ros2_context *context, const char *key);
/* Header and the place of the body behind it. false: malformed. */
bool ros2_request_open(const ros2_serdata *serdata, ros2_request_header *ret_header,
    const uint8_t **ret_body, size_t *ret_body_bytes, bool *ret_big_endian);
/* Whether a participant is of Fast DDS, whose RMW carries the request's identity elsewhere. */
bool ros2_is_fastdds(const dds_guid_t *participant);

/* The endpoints matched with a writer or a reader, each with its discovery data, which is valid
 * during the call; each returns false to stop. A writer's lock must be held. */
typedef bool (*ros2_endpoint_visitor)(const dds_builtintopic_endpoint_t *endpoint, void *user);
void ros2_writer_visit_readers(ros2_writer *writer, ros2_endpoint_visitor visit, void *user);
void ros2_reader_visit_writers(ros2_reader *reader, const rclite_allocator *allocator,
    ros2_endpoint_visitor visit, void *user);
#define ROS2_IDENTITY_CAPACITY 128u

/* Spin delivery of requests and replies: the listener takes them at once, so that none gives way to
 * a later one in the reader's history, and the spinning thread finds them here. */
typedef struct ros2_inbox_item {
    ros2_serdata *serdata;
    dds_instance_handle_t writer;
} ros2_inbox_item;
typedef struct ros2_inbox {
    const rclite_allocator *allocator;
    pthread_mutex_t lock;
    ros2_inbox_item *items; /* a ring */
    size_t capacity, start, count;
} ros2_inbox;
void ros2_inbox_init(ros2_inbox *inbox, const rclite_allocator *allocator);
void ros2_inbox_done(ros2_inbox *inbox);
/* Takes a reference of its own. false: no memory. */
bool ros2_inbox_put(ros2_inbox *inbox, const ros2_serdata *serdata, dds_instance_handle_t writer);
/* false: empty. The caller unreferences the serdata. */
bool ros2_inbox_get(ros2_inbox *inbox, ros2_inbox_item *ret_item);

rclite_result ros2_service_init(rclite_service *base, rclite_error *reterr);
void ros2_service_done(rclite_service *base);
rclite_result ros2_service_respond(
    rclite_service_call *call, rclite_result result, const void *response, const char *error_text);
rclite_result ros2_client_init(rclite_client *base, rclite_error *reterr);
void ros2_client_done(rclite_client *base);
bool ros2_client_ready(rclite_client *base);
rclite_result ros2_client_call_async(rclite_client *base, const void *request,
    rclite_client_callback callback, void *user, int64_t *ret_id);
void ros2_client_forget(rclite_client *base, int64_t id);

/* ---- context.c ------------------------------------------------------------------------------ */

rclite_result ros2_context_init(
    rclite_context *base, const rclite_context_options *options, rclite_error *reterr);
void ros2_context_done(rclite_context *base);

#endif
