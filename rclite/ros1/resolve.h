/* Host names to IPv4 addresses without blocking the loop: addresses and "localhost" at once, all
 * others on a thread that is started when the first one comes. */
#ifndef RCLITE_ROS1_RESOLVE_H
#define RCLITE_ROS1_RESOLVE_H

#include <netinet/in.h>

#include "ros1/loop.h"

typedef struct rclitei_resolver rclitei_resolver;
typedef struct rclitei_resolve rclitei_resolve;

rclitei_resolver *rclitei_resolver_create(const rclite_allocator *allocator, rclitei_loop *loop);
/* Waits for a look-up that is under way; those that wait for their turn fail. Before the loop is
 * freed. */
rclitei_resolver *rclitei_resolver_free(rclitei_resolver *resolver);

/* True: it was an address or localhost, *ret_address is set. */
bool rclitei_resolve_now(const char *host, struct in_addr *ret_address);
/* done runs on the loop's thread, exactly once: error 0, or EAI_*. NULL: no memory or no thread. */
rclitei_resolve *rclitei_resolve_start(rclitei_resolver *resolver, const char *host,
    void (*done)(void *user, int error, struct in_addr address), void *user);

#endif
