/* Reading a parameter's value from an argument's text. */
#ifndef RCLITE_CORE_PARAMETER_H
#define RCLITE_CORE_PARAMETER_H

#include "rclite/parameter.h"

/* true, 12, 1.5 or text (quotes are taken off). The string is allocated with allocator. */
rclite_result rclitei_parameter_parse(
    const char *text, const rclite_allocator *allocator, rclite_parameter *ret_value);

#endif
