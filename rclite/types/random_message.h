/* Test support: messages with random contents, and the names of all definitions below a folder. */
#ifndef RCLITE_TYPES_RANDOM_MESSAGE_H
#define RCLITE_TYPES_RANDOM_MESSAGE_H

#include "rclite/type.h"

typedef struct random_source {
    uint64_t state; /* not 0 */
} random_source;

uint64_t random_next(random_source *source);
/* Fills an initialised message; bounds are kept, sequences have up to 4 elements. */
rclite_result random_message(random_source *source, const rclite_type *type,
    rclite_generation generation, void *message, const rclite_allocator *allocator);

/* Calls visit with pkg/kind/Name for every definition of a kind (msg, srv, action) in
 * folder/<pkg>/<kind>/; returns how many there were. */
size_t each_definition(
    const char *folder, const char *kind, void (*visit)(const char *name, void *user), void *user);

#endif
