/* For tests of hostile bytes: a victim, whose context counts what it reports, and a stranger, who
 * writes any bytes to any DDS topic from a context that meets the victim's over UDP. */
#ifndef RCLITE_ROS2_TESTING_STRANGER_H
#define RCLITE_ROS2_TESTING_STRANGER_H

#include <stdatomic.h>

#include "ros2/ros2.h"
#include "ros2/testing/ros2_testing.h"

typedef struct victim {
    rclite_context *context;
    rclite_node *node;
    rclite_context *stranger;
    testing_gate good; /* what came through */
    atomic_uint_fast64_t reported, sentinels;
} victim;

/* On the heap, so that a test that fails leaves it intact for the threads that still use it. */
victim *victim_open(rclite_delivery delivery);
void victim_close(victim *self);
uint64_t victim_malformed_count(const victim *self);
/* Waits, spinning where it takes that, until gate is at count. */
void victim_wait(victim *self, testing_gate *gate, uint64_t count);
/* Each malformed sample was reported once. */
void victim_expect_reported(const victim *self);

/* A DDS writer, compatible with every reader and matched with at least one. */
void stranger_open(victim *self, ros2_writer *writer, const char *prefix, const char *name,
    const char *suffix, const rclite_type *type, const char *identity);
void stranger_send(ros2_writer *writer, const uint8_t *bytes, size_t size);
/* A good sample's bytes, with the encapsulation; header: of a request or reply, or NULL. */
size_t stranger_good_bytes(const rclite_type *type, const void *message,
    const ros2_request_header *header, uint8_t *bytes, size_t capacity);
/* The sample in an encapsulation that Cyclone lets through and we do not read; how often. */
uint64_t stranger_send_unknown_encapsulations(
    ros2_writer *writer, const uint8_t *good, size_t size);
/* The sample spoilt in every way: cut off at each byte, each word a length that is too much, each
 * byte turned, the other endianness; and noise. Returns how many were sent. */
uint64_t stranger_spoil(ros2_writer *writer, const uint8_t *good, size_t size);

#endif
