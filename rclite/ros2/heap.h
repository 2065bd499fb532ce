/* What the heap keeps. Cyclone receives into buffers of 1 MiB that it allocates and frees as
 * datagrams come; glibc gives what is freed back to the kernel from 128 KiB on, or twice the
 * largest block that was freed before, and the next buffer costs a page fault for every 4 KiB. A
 * stream of large messages is received three times slower so, and then loses most of its datagrams.
 */
#ifndef RCLITE_ROS2_HEAP_H
#define RCLITE_ROS2_HEAP_H

/* From now on the heap keeps some 16 MiB per arena instead of giving them back. Whoever has set
 * malloc's thresholds (mallopt, MALLOC_TRIM_THRESHOLD_, GLIBC_TUNABLES) prevails. Touches no
 * memory; may be called again and again. */
void ros2_heap_keep_receive_buffers(void);

#endif
