/* See invented_type.h. */
#include "types/invented_type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

const rclite_type *invented_type(
    rclite_generation generation, const char *text, rclite_loader **ret_loader) {
    rclite_error error = {.text = ""};
    const rclite_type *type = NULL;
    const char *path =
        generation == RCLITE_ROS1 ? RCLITE_TEST_INTERFACES "/ros1" : RCLITE_TEST_INTERFACES "/ros2";
    if (rclite_loader_create(generation, path, NULL, ret_loader, &error) != RCLITE_OK ||
        rclite_loader_message_text(*ret_loader, "demo/Invented", text, &type, &error) !=
            RCLITE_OK) {
        fail_msg("%s", error.text);
    }
    return type;
}
