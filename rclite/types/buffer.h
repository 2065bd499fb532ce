/* The buffers inside messages: strings and sequences, all of one shape (data, size, capacity). */
#ifndef RCLITE_TYPES_BUFFER_H
#define RCLITE_TYPES_BUFFER_H

#include "rclite/type.h"

/* Makes room for count elements without changing size; what a view shows is not taken over. zeroed:
 * the room beyond the old capacity is zeroed (elements that own memory must be valid up to
 * capacity). buffer is any sequence. RCLITE_ERR_NO_MEMORY leaves it as it was. */
rclite_result rclitei_buffer_reserve(
    void *buffer, size_t count, size_t element_bytes, bool zeroed, const rclite_allocator *memory);
/* Lets a string or sequence show memory of somebody else, and frees its own. Its elements must own
 * nothing. */
void rclitei_buffer_borrow(
    void *buffer, const void *data, size_t count, const rclite_allocator *memory);
/* Frees the buffer itself, if it is owned, and zeroes the three members. */
void rclitei_buffer_release(void *buffer, const rclite_allocator *memory);
rclite_result rclitei_string_set(
    rclite_string *string, const char *text, size_t size, const rclite_allocator *memory);

#endif
