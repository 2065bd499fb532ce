/* What the files of the rclite peer share: its state. */
#ifndef PEER_RCLITE_PEER_H
#define PEER_RCLITE_PEER_H

#include <pthread.h>

#include "peer_kit.h"
#include "rclite/rclite.h"

/* A call or goal that is outstanding. Its slot is found again from the library's user pointer. */
typedef struct call_slot {
    struct rclite_peer *peer;
    uint64_t token;
    bool used;
    int64_t call_id;          /* service; 0: not known yet */
    rclite_client_goal *goal; /* action; NULL: not known yet */
} call_slot;

typedef struct rclite_peer {
    peer_kit *kit;
    const peer_job *job;
    rclite_context *context;
    rclite_node *node;
    pthread_t spinner;
    bool spinning;

    rclite_publisher *publisher;
    rclite_subscription *subscription;
    const rclite_type *type; /* of messages */
    size_t data_offset;      /* of the sequence in its struct that carries the payload */
    rclite_loader *loader;   /* of a type that is not compiled in, or NULL */
    void *outgoing;

    rclite_service *service;
    rclite_client *client;
    rclite_action_server *action_server;
    rclite_action_client *action_client;

    pthread_mutex_t lock; /* of the slots */
    call_slot *slots;
    size_t slot_count;
} rclite_peer;

/* Puts "CALL: DETAIL" into the kit's error and returns false. */
bool rclite_peer_failed(char *error, const char *call, const rclite_error *detail);
bool rclite_peer_failed_with(char *error, const char *call, rclite_result result);
rclite_qos rclite_peer_qos(const peer_qos *qos);

/* Finds job's type and its field for the payload. False, and the reason on standard error: it
 * cannot be used. */
bool topic_find_type(rclite_peer *peer, const peer_job *job);
bool topic_create(rclite_peer *peer, char *error);
bool topic_wait_matched(rclite_peer *peer, int64_t timeout_ns, char *error);
bool topic_publish(rclite_peer *peer, char *error);
bool topic_echo(rclite_peer *peer, const void *message, char *error);
rclite_qos topic_qos(const rclite_peer *peer);
void topic_destroy(rclite_peer *peer);

/* Slots: as many as calls may be outstanding, and some for those given up. */
bool slots_create(rclite_peer *peer, char *error);
call_slot *slots_take(rclite_peer *peer, uint64_t token);
/* The token of a slot, which is free afterwards. */
uint64_t slots_release(call_slot *slot);
void slots_destroy(rclite_peer *peer);

bool service_create(rclite_peer *peer, char *error);
bool service_wait_matched(rclite_peer *peer, int64_t timeout_ns, char *error);
bool service_call(rclite_peer *peer, uint64_t token, int64_t t1_ns, char *error);
void service_forget(rclite_peer *peer, uint64_t token);
void service_destroy(rclite_peer *peer);

bool action_create(rclite_peer *peer, char *error);
bool action_wait_matched(rclite_peer *peer, int64_t timeout_ns, char *error);
bool action_call(rclite_peer *peer, uint64_t token, int64_t t1_ns, char *error);
void action_forget(rclite_peer *peer, uint64_t token);
void action_destroy(rclite_peer *peer);

#endif
