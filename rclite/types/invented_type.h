/* Test support: a type from a definition that a test writes down. */
#ifndef RCLITE_TYPES_INVENTED_TYPE_H
#define RCLITE_TYPES_INVENTED_TYPE_H

#include "rclite/loader.h"

/* demo/Invented, with the definitions of rclite/interfaces around it. Fails the test when the text
 * is wrong. The loader is freed by the caller. */
const rclite_type *invented_type(
    rclite_generation generation, const char *text, rclite_loader **ret_loader);

#endif
