/* The service server's struct, shared by service.c (requests) and service_reply.c. */
#ifndef RCLITE_ROS2_SERVICE_H
#define RCLITE_ROS2_SERVICE_H

#include "ros2/ros2.h"

#define ROS2_SERVICE_CACHE_COUNT 256u

typedef struct ros2_call {
    rclite_service_call base;
    struct ros2_call *next_free, *next_made;
    ros2_request_header header;
    dds_instance_handle_t request_writer; /* as this process knows the client's writer */
} ros2_call;

typedef struct ros2_service {
    rclite_service base;
    ros2_reader reader;
    ros2_writer writer;
    rclitei_codec *request_codec, *response_codec;
    void *request, *response; /* reused from call to call */
    rclitei_ready ready;
    ros2_inbox inbox;     /* spin delivery */
    pthread_mutex_t lock; /* what follows; never held while calling out */
    bool lock_ready;
    ros2_call *free, *made;
    ros2_serdata *waiting_first, *waiting_last; /* mark: the request writer */
    uint32_t waiting_count;
    uint64_t reachable_generation; /* of which the entries of reachable are */
    dds_instance_handle_t
        reachable[ROS2_SERVICE_CACHE_COUNT]; /* request writers whose reply reader is matched */
    dds_instance_handle_t
        accepted[ROS2_SERVICE_CACHE_COUNT]; /* request writers that speak our dialect */
    _Atomic uint64_t generation;            /* changes with each match of a reply reader */
    ros2_settle settle;
    _Atomic bool told_of_fastdds;
    ros2_task task;
} ros2_service;

static inline size_t ros2_service_cache_index(dds_instance_handle_t handle) {
    return (size_t)(handle ^ (handle >> 17)) % ROS2_SERVICE_CACHE_COUNT;
}

/* Sends the reply, or keeps it until its client can be reached. */
rclite_result ros2_service_send_reply(
    ros2_service *service, const ros2_call *call, const void *response);
/* Looks again at what waits: run by the sender thread. */
bool ros2_service_look_at_waiting(ros2_task *task, bool alone);
/* The settling's done. */
void ros2_service_settled(void *user);
/* Looks, before the user's callback, whether the client can be reached: when the service is freed
 * meanwhile, its request reader cannot be asked any more. */
void ros2_service_know_client(ros2_service *service, dds_instance_handle_t request_writer);
/* A reader or writer came or went; called from listeners. */
void ros2_service_match_changed(ros2_service *service);
/* Gives what waits a moment, then drops it; the task does not run afterwards. */
void ros2_service_end_waiting(ros2_service *service);

#endif
