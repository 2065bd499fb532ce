/* Where the definitions are that rclite brings along. */
#ifndef RCLITE_TYPES_OWN_DEFINITIONS_H
#define RCLITE_TYPES_OWN_DEFINITIONS_H

#include "rclite/type.h"
#include "types/arena.h"

/* Appends the folder of one generation's definitions; nothing when they are not found. */
void rclitei_own_definitions(rclitei_text *path, rclite_generation generation);

#endif
