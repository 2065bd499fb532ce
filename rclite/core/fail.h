/* Filling the detail object of a failure. */
#ifndef RCLITE_CORE_FAIL_H
#define RCLITE_CORE_FAIL_H

#include "rclite/result.h"

/* Writes reterr, if it is not NULL, and returns code. */
rclite_result rclitei_fail(rclite_error *reterr, rclite_result code, int native_code,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
