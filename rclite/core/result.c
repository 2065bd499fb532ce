/* Result codes as text, and filling the detail object. */
#include <stdarg.h>
#include <stdio.h>

#include "core/backend.h"

const char *rclite_result_string(rclite_result result) {
    switch (result) {
    case RCLITE_EMPTY:
        return "nothing there yet";
    case RCLITE_OK:
        return "ok";
    case RCLITE_ERR_INVALID:
        return "invalid argument";
    case RCLITE_ERR_NO_MEMORY:
        return "out of memory";
    case RCLITE_ERR_TIMEOUT:
        return "timed out";
    case RCLITE_ERR_TRANSPORT:
        return "transport failed";
    case RCLITE_ERR_NAME:
        return "invalid name";
    case RCLITE_ERR_TYPE:
        return "unknown or unsupported type";
    case RCLITE_ERR_MALFORMED:
        return "malformed data";
    case RCLITE_ERR_SHUTDOWN:
        return "context is shut down";
    case RCLITE_ERR_UNSUPPORTED:
        return "not supported here";
    case RCLITE_ERR_REJECTED:
        return "refused by the other side";
    case RCLITE_ERR_STATE:
        return "not allowed in this state";
    case RCLITE_ERR_OVERFLOW:
        return "a bound is exceeded";
    case RCLITE_ERR_SYSTEM:
        return "operating system error";
    }
    return "unknown result";
}

rclite_result rclitei_fail(
    rclite_error *reterr, rclite_result code, int native_code, const char *format, ...) {
    if (reterr) {
        reterr->code = code;
        reterr->native_code = native_code;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(reterr->text, sizeof reterr->text, format, arguments);
        va_end(arguments);
    }
    return code;
}
