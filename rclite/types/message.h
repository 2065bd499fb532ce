/* What the message functions share. */
#ifndef RCLITE_TYPES_MESSAGE_H
#define RCLITE_TYPES_MESSAGE_H

#include "rclite/type.h"
#include "types/arena.h"

/* NULL when the type is not in this generation. */
const rclite_type_view *rclitei_type_view(const rclite_type *type, rclite_generation generation);
/* Each field of the struct once, both generations' together; cursor begins at 0. NULL: no more. */
const rclite_field *rclitei_union_field(const rclite_type *type, uint32_t *cursor);
/* rclite_message_done without zeroing the struct. */
void rclitei_message_release(
    const rclite_type *type, void *message, const rclite_allocator *memory);

#endif
