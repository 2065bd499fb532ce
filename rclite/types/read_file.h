/* Reading a whole small text file. */
#ifndef RCLITE_TYPES_READ_FILE_H
#define RCLITE_TYPES_READ_FILE_H

#include "types/arena.h"

/* Appends the file to ret_text. RCLITE_EMPTY: there is no such file; RCLITE_ERR_SYSTEM: it cannot
 * be read or has more than size_max bytes. */
rclite_result rclitei_read_file(const char *path, size_t size_max, rclitei_text *ret_text);

#endif
