/* /rosout: what the library logs is published by every node of the context, as ROS 1 nodes do, so
 * that it is seen where a robot's logs are looked at. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ros1/ros1.h"
#include "rosgraph_msgs/msg/Log.h"

struct ros1_rosout {
    struct ros1_publisher publisher; /* first */
    struct ros1_rosout *next;        /* in context->rosouts */
};

void rclitei_ros1_rosout_open(struct ros1_node *node) {
    struct ros1_context *context = node->context;
    const rclite_allocator *allocator = &context->base.allocator;
    struct ros1_rosout *rosout = rclitei_allocate(allocator, sizeof *rosout);
    if (!rosout) {
        return;
    }
    rclite_publisher *base = &rosout->publisher.base;
    base->publish = rclitei_ros1_publish;
    base->node = node->base;
    base->type = &rosgraph_msgs__msg__Log__type;
    base->options.qos = rclite_qos_default();
    base->options.qos.depth = 100;
    base->topic = rclitei_copy_text(allocator, "/rosout");
    if (!base->topic || rclitei_ros1_publisher_init_quietly(base) != RCLITE_OK) {
        rclitei_release(allocator, base->topic);
        rclitei_release(allocator, rosout);
        return;
    }
    node->rosout = rosout;
    pthread_mutex_lock(&context->log_lock);
    rosout->next = context->rosouts;
    context->rosouts = rosout;
    pthread_mutex_unlock(&context->log_lock);
}

void rclitei_ros1_rosout_close(struct ros1_node *node) {
    struct ros1_context *context = node->context;
    struct ros1_rosout *rosout = node->rosout;
    if (!rosout) {
        return;
    }
    pthread_mutex_lock(&context->log_lock);
    struct ros1_rosout **at = &context->rosouts;
    while (*at != rosout) {
        at = &(*at)->next;
    }
    *at = rosout->next;
    pthread_mutex_unlock(&context->log_lock);
    rclitei_ros1_publisher_done(&rosout->publisher.base);
    rclitei_release(&context->base.allocator, rosout->publisher.base.topic);
    rclitei_release(&context->base.allocator, rosout);
    node->rosout = NULL;
}

static rclite_string borrow(const char *text) {
    return (rclite_string){.data = (char *)(uintptr_t)text, .size = strlen(text)};
}

/* ROS 1's levels are bits: 1 debug, 2 info, 4 warning, 8 error, 16 fatal. */
static int8_t wire_level(rclite_log_level level) {
    return (int8_t)(1 << ((int)level / 10 - 1));
}

void rclitei_ros1_log(
    struct ros1_context *context, rclite_log_level level, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    rclitei_context_log(&context->base, level, "%s", text);
    pthread_mutex_lock(&context->log_lock);
    for (struct ros1_rosout *at = context->rosouts; at; at = at->next) {
        rclite_publisher *publisher = &at->publisher.base;
        rosgraph_msgs__msg__Log record = {.level = wire_level(level),
            .name = borrow(publisher->node->full_name),
            .msg = borrow(text),
            .file = borrow("rclite")};
        record.header.stamp = rclite_time_from_ns(rclite_now_ns());
        rclite_result result = publisher->publish(publisher, &record);
        if (result != RCLITE_OK) { /* logging about logging would not end */
            atomic_fetch_add(&context->base.send_failures, 1);
        }
    }
    pthread_mutex_unlock(&context->log_lock);
}
