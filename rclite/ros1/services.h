/* The objects of services, for service.c (servers), client.c and client_connection.c. */
#ifndef RCLITE_ROS1_SERVICES_H
#define RCLITE_ROS1_SERVICES_H

#include "ros1/ros1.h"

/* "nav_msgs/GetMap" of nav_msgs/srv/GetMap. ret_name has size bytes. */
void rclitei_ros1_service_wire_name(const rclite_service_type *type, char *ret_name, size_t size);

/* One request being served. Kept in the service's list of free ones afterwards. */
struct ros1_call {
    rclite_service_call base;          /* first */
    struct ros1_call *previous, *next; /* among the outstanding ones; next also among the free */
    struct ros1_call *next_waiting;    /* spin delivery */
    struct ros1_inbound *inbound;      /* guarded by context->lock; NULL: the caller is gone */
    rclitei_packet *request;           /* spin delivery: a copy of the body */
};

struct ros1_service {
    rclite_service base; /* first */
    struct ros1_node *node;
    struct ros1_service *next; /* in node->services */
    rclitei_codec *request_codec, *response_codec;
    rclitei_pool *pool;
    void *request, *response; /* of the callback that runs */
    bool running, ended;      /* as in struct ros1_subscription */
    /* guarded by context->lock */
    struct ros1_call *outstanding, *free_calls;
    struct ros1_call *waiting, **waiting_end;
    rclitei_ready ready;
};

/* A whole request is there. Loop thread, no lock. False: out of memory. */
bool rclitei_ros1_service_take(struct ros1_inbound *inbound, const uint8_t *body, size_t size);

struct ros1_client_connection;

/* A call of a client: queued at its connection, then (spin delivery) among the finished ones. */
struct ros1_client_call {
    struct ros1_client_call *next;
    int64_t id;
    rclite_client_callback callback; /* NULL: forgotten */
    void *user;
    rclitei_packet *request; /* until it is sent */
    /* finished, not delivered yet */
    rclitei_packet *response; /* a copy of the body; NULL: failed */
    rclite_result result;
    char error_text[256];
};

struct ros1_client {
    rclite_client base; /* first */
    struct ros1_node *node;
    rclitei_codec *request_codec, *response_codec;
    rclitei_pool *pool;
    void *response; /* read with views */
    /* guarded by context->lock */
    struct ros1_client_connection *connections; /* persistent: at most one beside a probe */
    struct ros1_client_connection *persistent;
    struct ros1_client_call *finished, **finished_end;
    struct ros1_client_call *free_calls;
    rclitei_ready ready;
    rclitei_loop_timer again; /* a look for the service failed: wake who waits, to look again */
    int64_t found_until_ns;   /* not persistent: the server answered a probe lately */
    int64_t next_look_ns;
    int64_t last_id;
    int64_t running_id; /* the call whose callback runs now; 0: none */
    bool ended;
};

/* A connection to a server, from looking it up to its end, with the calls that it carries. */
struct ros1_client_connection {
    rclitei_stream stream; /* first; valid once streaming */
    rclitei_loop_timer deadline;
    rclitei_task closing;
    struct ros1_context *context;
    struct ros1_client *client;                  /* guarded by context->lock; NULL: closing */
    struct ros1_client_connection *next;         /* in client->connections */
    struct ros1_client_call *calls, **calls_end; /* in the order of their requests */
    bool open;                                   /* the header was good; guarded by context->lock */
    bool is_probe, is_persistent;
    bool asking, streaming; /* loop thread */
};

/* Begins to look up and connect. context->lock held. NULL: no memory. */
struct ros1_client_connection *rclitei_ros1_client_connect(
    struct ros1_client *client, bool is_persistent, bool is_probe);
/* Puts the call behind the others, and sends it if the connection is open. context->lock held. */
void rclitei_ros1_client_connection_add(
    struct ros1_client_connection *connection, struct ros1_client_call *call);
/* Cuts it off its client; its calls are the caller's now. context->lock held. */
struct ros1_client_call *rclitei_ros1_client_connection_abandon(
    struct ros1_client_connection *connection);

/* A call of the connection is over. Loop thread, no lock. body is NULL unless result is OK. */
void rclitei_ros1_client_finish(struct ros1_client_connection *connection, rclite_result result,
    const uint8_t *body, size_t size, const char *error_text);
/* The connection is over: so are its calls. Loop thread, no lock. */
void rclitei_ros1_client_lost(
    struct ros1_client_connection *connection, rclite_result result, const char *error_text);

#endif
