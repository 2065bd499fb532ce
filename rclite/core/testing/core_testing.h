/* What core's tests share: a context over a fake backend with one node in it. */
#ifndef RCLITE_CORE_TESTING_H
#define RCLITE_CORE_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/testing/endpoint_set.h"
#include "core/testing/fake_backend.h"

#define CORE_MS INT64_C(1000000)
#define CORE_DEADLINE_NS (20000 * CORE_MS) /* of what must happen */

typedef struct core_fixture {
    rclite_context *context;
    rclite_node *node; /* /n */
} core_fixture;

/* Over fake_backend, as ROS 2. */
core_fixture core_fixture_open(rclite_delivery delivery);
core_fixture core_fixture_open_over(
    const rclitei_backend *backend, rclite_delivery delivery, rclite_generation generation);
void core_fixture_close(core_fixture fixture);

/* A context alone. */
rclite_context *core_context_open(rclite_delivery delivery);
/* A thread's function: spins the context it is given until that is shut down; gives the result. */
void *core_spin_until_shutdown(void *context);

extern const endpoint_plan fake_plan; /* of fake types */

#endif
