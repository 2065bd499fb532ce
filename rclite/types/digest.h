/* MD5 and SHA-256 as lower-case hexadecimal text. They name types; nothing is kept secret by them,
 * so they are two short functions here and not a cryptographic library to link. */
#ifndef RCLITE_TYPES_DIGEST_H
#define RCLITE_TYPES_DIGEST_H

#include <stddef.h>

void rclitei_md5_hex(const void *data, size_t size, char ret_hex[33]);
void rclitei_sha256_hex(const void *data, size_t size, char ret_hex[65]);

#endif
