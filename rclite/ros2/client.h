/* The service client's struct, shared by client.c (calls) and client_ready.c. */
#ifndef RCLITE_ROS2_CLIENT_H
#define RCLITE_ROS2_CLIENT_H

#include "ros2/ros2.h"

typedef struct ros2_slot {
    int64_t sequence; /* 0: free */
    rclite_client_callback callback;
    void *user;
} ros2_slot;

typedef struct ros2_client {
    rclite_client base;
    ros2_reader reader;
    ros2_writer writer;
    rclitei_codec *request_codec, *response_codec;
    void *response; /* what callbacks are given */
    rclitei_ready ready;
    ros2_inbox inbox;      /* spin delivery */
    pthread_mutex_t lock;  /* what follows; never held while calling out */
    pthread_cond_t called; /* a callback has ended */
    bool lock_ready;
    ros2_slot *slots; /* sequence n is at n % slot_count, a power of two */
    size_t slot_count, outstanding;
    int64_t last_sequence;
    int64_t calling; /* sequence whose callback runs, 0: none */
    pthread_t calling_thread;
    ros2_settle settle;
    _Atomic uint64_t generation; /* changes with each match */
    uint64_t checked_generation; /* 0: never; below writer.lock, as is: */
    bool server_ready;
    _Atomic bool told_of_fastdds;
} ros2_client;

#endif
