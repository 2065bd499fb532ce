/* C structs for types that no compiler has seen: sizes and offsets as a C compiler would choose
 * them, in the order of the definition. */
#ifndef RCLITE_TYPES_LAYOUT_H
#define RCLITE_TYPES_LAYOUT_H

#include "types/definition.h"

/* sizeof and _Alignof of one element; 0 for RCLITE_FIELD_MESSAGE. */
size_t rclitei_kind_bytes(rclite_field_kind kind);
size_t rclitei_kind_align(rclite_field_kind kind);

/* Fills spec->type with a type of one generation, nested ones first. */
rclite_result rclitei_layout(
    rclitei_spec *spec, rclite_generation generation, rclitei_arena *arena, rclite_error *reterr);

#endif
