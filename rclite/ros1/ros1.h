/* What the files of the ROS 1 backend share: the backend's objects and the functions between them.
 *
 * Threads and locks. One loop thread (loop.h) does all waiting and reading. context->lock guards
 * the lists and back-pointers of everything below; it is never held across a user's callback, and
 * only across calls that do not block. A publication has a lock of its own for its connections, so
 * that publishing does not meet the rest. Order: context->lock, publication->mutex, stream, loop.
 *
 * Connections are closed on the loop's thread only: other threads cut the back-pointer and post the
 * connection's task. */
#ifndef RCLITE_ROS1_ROS1_H
#define RCLITE_ROS1_ROS1_H

#include <xmlrpc-c/base.h>
#include <xmlrpc-c/server.h>

#include "core/backend.h"
#include "core/codec.h"
#include "core/memory.h"
#include "ros1/header.h"
#include "ros1/rpc.h"
#include "ros1/stream.h"

#define ROS1_MESSAGE_BYTES_MAX ((uint32_t)1000000000) /* as roscpp */
#define ROS1_HANDSHAKE_NS INT64_C(10000000000)
#define ROS1_RETRY_FIRST_NS INT64_C(100000000)
#define ROS1_RETRY_MAX_NS INT64_C(10000000000)
#define ROS1_NEVER INT64_C(-1)

/* Who is told of changes of the graph (graph_watch.c). */
struct ros1_graph_watch {
    rclitei_loop_timer timer; /* the next question to the master */
    rclitei_ready ready;      /* spin delivery */
    bool asking;              /* loop thread, as is the next one */
    uint64_t known;           /* a hash of the last answer */
    /* guarded by context->lock */
    void (*callback)(void *user);
    void *user;
    bool is_new, running;
};

struct ros1_context {
    rclite_context base; /* first */
    rclitei_loop *loop;
    rclitei_resolver *resolver;
    rclitei_rpc *rpc;
    rclitei_pool *pool; /* headers, HTTP answers */
    xmlrpc_registry *registry;
    char *master_uri;
    char *host;              /* what others are told */
    char listen_address[16]; /* where we listen */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a callback that someone waits for has returned */
    struct ros1_node *nodes;
    pthread_mutex_t log_lock; /* guards rosouts; inside context->lock */
    struct ros1_rosout *rosouts;
    unsigned next_connection_id;
    struct ros1_graph_watch graph_watch;
    int64_t handshake_ns; /* a connection's header must be whole by then */
};

/* A listening socket. */
struct ros1_listener {
    rclitei_watch watch;      /* first */
    rclitei_loop_timer pause; /* no descriptors left: accepting goes on later */
    rclitei_task closing;
    struct ros1_context *context;
    struct ros1_node *node; /* guarded by context->lock; NULL: closing */
    void (*accepted)(struct ros1_listener *listener, int fd); /* with context->lock held */
    uint16_t port;
};

struct ros1_node {
    rclite_node *base;
    struct ros1_context *context;
    struct ros1_node *next;
    struct ros1_listener *rpc_listener, *tcpros_listener;
    char *uri; /* of the slave API */
    struct ros1_publication *publications;
    struct ros1_subscription *subscriptions;
    struct ros1_service *services;
    struct ros1_inbound *inbounds;         /* accepted TCPROS connections */
    struct ros1_slave_connection *callers; /* accepted XML-RPC connections */
    struct ros1_rosout *rosout;            /* NULL: not made */
};

/* An accepted TCPROS connection: first its header, then a subscriber of ours or a service caller.
 */
struct ros1_inbound {
    rclitei_stream stream;       /* first */
    rclitei_loop_timer deadline; /* of the header */
    rclitei_task closing;
    struct ros1_context *context;
    struct ros1_node *node;               /* guarded by context->lock; NULL: closing */
    struct ros1_inbound *previous, *next; /* in node->inbounds */
    struct ros1_publication *publication; /* a subscriber's; guarded by context->lock */
    struct ros1_inbound *next_subscriber; /* guarded by publication->mutex */
    struct ros1_service *service;         /* a caller's; guarded by context->lock */
    struct ros1_call *call;               /* the request being served; guarded by context->lock */
    rclitei_task resume;                  /* its answer was given */
    bool persistent, served; /* loop thread: it takes more requests than one; has had its one */
    unsigned id;
    uint64_t sent_messages, sent_bytes, dropped; /* guarded by publication->mutex */
    char *caller;                                /* the node at the other end */
};

/* A topic that a node publishes; several publishers may share it. */
struct ros1_publication {
    struct ros1_publication *next; /* in node->publications */
    struct ros1_node *node;
    char *topic;
    const rclite_type *type;
    struct ros1_publisher *publishers; /* changed with both locks held, as are the next two */
    struct ros1_inbound *subscribers;
    uint32_t subscriber_count;
    pthread_mutex_t mutex;
};

/* Tells an endpoint's user how many matches there are, in the thread where its callbacks run. */
struct ros1_match_event {
    rclitei_task task;
    rclitei_ready ready;
    struct ros1_context *context;
    rclite_event_callback callback;
    void *user;
    uint32_t (*count)(const void *endpoint);
    const void *endpoint;
    uint32_t reported;
};

struct ros1_publisher {
    rclite_publisher base;                /* first */
    struct ros1_publication *publication; /* NULL: it has left */
    struct ros1_publisher *next;          /* in publication->publishers */
    rclitei_codec *codec;
    rclitei_pool *pool;
    rclitei_packet *latched; /* guarded by publication->mutex */
    uint32_t depth;          /* 0: keep all */
    bool is_latched, has_header;
    _Atomic uint32_t sequence;
    struct ros1_match_event matched;
};

/* One attempt to be connected to one publisher of a topic. */
struct ros1_link {
    rclitei_stream stream;    /* first; valid from `streaming` on */
    rclitei_loop_timer timer; /* the pause before this attempt, then the header's deadline */
    rclitei_task closing;
    struct ros1_context *context;
    struct ros1_subscription *subscription; /* guarded by context->lock; NULL: closing */
    struct ros1_link *next;                 /* in subscription->links */
    int64_t pause_ns;
    bool asking, streaming; /* loop thread: requestTopic under way; the stream exists */
    bool open;              /* the header was good; guarded by context->lock */
    bool header_read;       /* loop thread */
    unsigned id;
    uint64_t received_messages, received_bytes; /* loop thread */
    char *publisher_name;
    char uri[]; /* the publisher's slave API */
};

struct ros1_subscription {
    rclite_subscription base; /* first */
    struct ros1_node *node;
    struct ros1_subscription *next; /* in node->subscriptions */
    struct ros1_link *links;
    uint32_t open_count;
    bool updated; /* a publisherUpdate came, so the answer to its registration is old */
    bool running; /* its callback runs on the loop's thread */
    bool ended;   /* someone waits until it does not */
    rclitei_codec *codec;
    void *message; /* read with views; loop thread (direct) or spinning thread */
    struct ros1_match_event matched;
    /* spin delivery and take: what waits; guarded by context->lock */
    rclitei_ready ready;
    rclitei_pool *pool;
    rclitei_packet *first, **last;
    uint32_t waiting, depth;
    char *taken_name; /* what take's info points to */
};

/* ---- context.c, node.c ---------------------------------------------------------------------- */

struct ros1_context *rclitei_ros1_context(const rclite_node *node);
struct ros1_node *rclitei_ros1_node(const rclite_node *node);
rclite_result rclitei_ros1_context_init(
    rclite_context *base, const rclite_context_options *options, rclite_error *reterr);
void rclitei_ros1_context_done(rclite_context *base);
void rclitei_ros1_context_interrupt(rclite_context *base);
rclite_result rclitei_ros1_node_init(rclite_node *base, rclite_error *reterr);
void rclitei_ros1_node_done(rclite_node *base);
/* To the context's log and to /rosout of its nodes. Locks may be held but for the publications'. */
void rclitei_ros1_log(struct ros1_context *context, rclite_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A call of the node to the master that changes its registrations: waits for the answer, or, on the
 * loop's thread, only starts it (a failure is then logged). */
rclite_result rclitei_ros1_register(
    struct ros1_node *node, const char *method, rclite_error *reterr, const char *format, ...);
/* Starts it, never waits, and nobody is told of the outcome. */
void rclitei_ros1_tell_master(struct ros1_node *node, const char *method, const char *format, ...);

/* ---- rosout.c ------------------------------------------------------------------------------- */

/* The node's publisher of /rosout; a node works without it, too. */
void rclitei_ros1_rosout_open(struct ros1_node *node);
void rclitei_ros1_rosout_close(struct ros1_node *node);

/* ---- listener.c ----------------------------------------------------------------------------- */

rclite_result rclitei_ros1_listen(struct ros1_node *node,
    void (*accepted)(struct ros1_listener *listener, int fd), struct ros1_listener **ret_listener,
    rclite_error *reterr);
void rclitei_ros1_listener_close(struct ros1_listener *listener); /* context->lock held */

/* ---- slave.c: the XML-RPC server of a node -------------------------------------------------- */

rclite_result rclitei_ros1_slave_registry_create(
    struct ros1_context *context, xmlrpc_registry **ret_registry);
void rclitei_ros1_slave_accepted(struct ros1_listener *listener, int fd);
/* The list of publishers of a topic, as the master gives it, to the subscriptions of a node; the
 * answer to a registration (initial) only to those that had no update yet. context->lock held. */
void rclitei_ros1_publishers_update_value(
    struct ros1_node *node, const char *topic, bool initial, xmlrpc_env *env, xmlrpc_value *list);
void rclitei_ros1_slave_close_all(struct ros1_node *node); /* context->lock held */

/* ---- inbound.c ------------------------------------------------------------------------------ */

void rclitei_ros1_inbound_accepted(struct ros1_listener *listener, int fd);
/* For the handlers of those who take a connection over. */
void rclitei_ros1_inbound_on_closed(rclitei_stream *stream, int error);
void rclitei_ros1_inbound_release(rclitei_stream *stream);
/* Cuts it off and closes it on the loop's thread. context->lock held. */
void rclitei_ros1_inbound_abandon(struct ros1_inbound *inbound);
/* Sends an error header and ends the connection. Loop thread. */
void rclitei_ros1_inbound_refuse(struct ros1_inbound *inbound, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- publication.c, publisher.c --------------------------------------------------------------
 * ----------------------------------------------------------------------------
 */

rclite_result rclitei_ros1_publisher_init(rclite_publisher *base, rclite_error *reterr);
/* Likewise, without waiting for the master. */
rclite_result rclitei_ros1_publisher_init_quietly(rclite_publisher *base);
void rclitei_ros1_publisher_done(rclite_publisher *base);
rclite_result rclitei_ros1_publish(rclite_publisher *base, const void *message);
rclite_result rclitei_ros1_publish_serialized(
    rclite_publisher *base, const uint8_t *bytes, size_t size);
uint32_t rclitei_ros1_publisher_matched(const rclite_publisher *base);
rclite_result rclitei_ros1_publisher_wait_sent(rclite_publisher *base, int64_t timeout_ns);
/* The header of a connection asks for a topic. True: it is a subscriber now. Loop thread. */
bool rclitei_ros1_publication_attach(struct ros1_inbound *inbound, rclitei_header header);
/* Is a node of this name connected; for action clients. */
bool rclitei_ros1_publisher_has_node(const rclite_publisher *base, const char *node_name);
bool rclitei_ros1_subscription_has_node(const rclite_subscription *base, const char *node_name);
/* Takes a subscriber off its publication. context->lock held. */
void rclitei_ros1_publication_detach(struct ros1_inbound *inbound);
/* Puts the publisher to its publication, which is made if it is the first. context->lock held. */
rclite_result rclitei_ros1_publication_join(struct ros1_publisher *publisher, rclite_error *reterr);
/* The last publisher of a topic takes the publication and its registration with it. */
void rclitei_ros1_publication_leave(struct ros1_publisher *publisher);
struct ros1_publication *rclitei_ros1_publication_find(struct ros1_node *node, const char *topic);

/* ---- service.c ------------------------------------------------------------------------------ */

/* Likewise for a service. */
bool rclitei_ros1_service_attach(struct ros1_inbound *inbound, rclitei_header header);
void rclitei_ros1_service_detach(struct ros1_inbound *inbound); /* context->lock held */

rclite_result rclitei_ros1_service_init(rclite_service *base, rclite_error *reterr);
void rclitei_ros1_service_done(rclite_service *base);
rclite_result rclitei_ros1_service_respond(
    rclite_service_call *call, rclite_result result, const void *response, const char *error_text);

/* ---- client.c, client_connection.c ---------------------------------------------------------- */

rclite_result rclitei_ros1_client_init(rclite_client *base, rclite_error *reterr);
void rclitei_ros1_client_done(rclite_client *base);
bool rclitei_ros1_client_ready(rclite_client *base);
rclite_result rclitei_ros1_client_call_async(rclite_client *base, const void *request,
    rclite_client_callback callback, void *user, int64_t *ret_id);
void rclitei_ros1_client_forget(rclite_client *base, int64_t id);

/* ---- subscription.c, delivery.c, link.c ----------------------------------------------------- */

rclite_result rclitei_ros1_subscription_init(rclite_subscription *base, rclite_error *reterr);
void rclitei_ros1_subscription_done(rclite_subscription *base);
rclite_result rclitei_ros1_subscription_take(
    rclite_subscription *base, void *message, rclite_message_info *info);
bool rclitei_ros1_subscription_has_data(rclite_subscription *base);
uint32_t rclitei_ros1_subscription_matched(const rclite_subscription *base);
/* The publishers of a topic are now these. context->lock held. */
void rclitei_ros1_publishers_update(
    struct ros1_subscription *subscription, const char *const *uris, size_t count);
/* Do its messages wait until somebody spins or takes them. */
bool rclitei_ros1_subscription_is_queued(const struct ros1_subscription *subscription);
bool rclitei_ros1_subscription_run_ready(rclitei_ready *ready); /* on a spinning thread */
/* A whole message is at the front of the link's stream, with a body of `size` bytes: consumes it.
 * Loop thread, no lock. False: it does not parse. */
bool rclitei_ros1_subscription_deliver(struct ros1_link *link, size_t size);

/* Starts an attempt after a pause (ROS1_NEVER: only remembers that this publisher refused us).
 * context->lock held. */
void rclitei_ros1_link_start(
    struct ros1_subscription *subscription, const char *uri, int64_t pause_ns);
/* Takes it out of its subscription's list, and ends it. context->lock held. */
void rclitei_ros1_link_abandon(struct ros1_link *link);

/* ---- parameter.c, graph.c, graph_watch.c ---------------------------------------------------- */

rclite_result rclitei_ros1_parameter_get(
    rclite_node *node, const char *name, rclite_parameter *ret_value, rclite_error *reterr);
rclite_result rclitei_ros1_parameter_set(
    rclite_node *node, const char *name, const rclite_parameter *value, rclite_error *reterr);
rclite_result rclitei_ros1_parameter_search(
    rclite_node *node, const char *name, rclite_string *ret_full_name, rclite_error *reterr);
/* Puts what arguments set (_name:=value) on the master, without waiting. */
void rclitei_ros1_parameters_send(struct ros1_node *node);
rclite_result rclitei_ros1_graph_list(rclite_context *context, rclite_graph_query query,
    const char *name, rclite_graph_list *ret_list, rclite_error *reterr);

rclite_result rclitei_ros1_graph_on_change(
    rclite_context *base, void (*callback)(void *user), void *user);
void rclitei_ros1_graph_watch_done(struct ros1_context *context);

/* ---- match_event.c -------------------------------------------------------------------------- */

void rclitei_ros1_match_init(struct ros1_match_event *event, struct ros1_context *context,
    rclite_event_callback callback, void *user, uint32_t (*count)(const void *endpoint),
    const void *endpoint);
/* The count changed. Any lock may be held. */
void rclitei_ros1_match_changed(struct ros1_match_event *event);
/* No callback afterwards. No lock held. */
void rclitei_ros1_match_done(struct ros1_match_event *event);

#endif
