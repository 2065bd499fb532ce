/* A growing text in the context's allocator, for XML, JSON, user data and names at set-up time. */
#ifndef RCLITE_ROS2_TEXT_H
#define RCLITE_ROS2_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "rclite/allocator.h"

typedef struct ros2_text {
    const rclite_allocator *allocator;
    char *data; /* NUL-terminated, or NULL while nothing was added */
    size_t size, capacity;
    bool failed; /* no memory: further calls do nothing */
} ros2_text;

void ros2_text_add(ros2_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* With &<>" replaced by XML's entities; with JSON's escapes. */
void ros2_text_add_xml(ros2_text *text, const char *part, size_t size);
void ros2_text_add_json(ros2_text *text, const char *part);
void ros2_text_done(ros2_text *text);

#endif
