/* The DDS domain of a context: its number, its configuration, and its life. Cyclone allows one
 * domain of a number in a process, so contexts of one process share it. */
#ifndef RCLITE_ROS2_DOMAIN_H
#define RCLITE_ROS2_DOMAIN_H

#include "core/backend.h"

#define ROS2_DOMAIN_ID_MAX 232 /* RTPS's ports end there */

/* option: as rclite_context_options.domain_id. */
rclite_result ros2_domain_id(int option, uint32_t *ret_id, rclite_error *reterr);
/* The XML in force for this option and this environment, to be freed with the allocator. What ROS's
 * variables imply is what rmw_cyclonedds makes of them, so that equal environments meet. */
rclite_result ros2_domain_config(
    const rclite_allocator *allocator, const char *option, char **ret_xml, rclite_error *reterr);
/* Creates the domain or joins the one that exists. ret_differs: it exists with other settings, or
 * was made by others. Every success is paired with a close. */
rclite_result ros2_domain_open(
    uint32_t id, const char *xml, bool *ret_differs, rclite_error *reterr);
void ros2_domain_close(uint32_t id);

#endif
