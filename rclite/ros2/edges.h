/* What ThreadSanitizer has to be told: the Cyclone of Debian is not instrumented, so it does not
 * see that what one thread leaves to Cyclone another gets from it later. `object` stands for what
 * is handed over: a serdata, a sertype, or whatever a listener was made for. In other builds this
 * is nothing. */
#ifndef RCLITE_ROS2_EDGES_H
#define RCLITE_ROS2_EDGES_H

#if defined(__SANITIZE_THREAD__)
#define ROS2_TELLS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ROS2_TELLS_TSAN 1
#endif
#endif

#ifdef ROS2_TELLS_TSAN
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#endif

/* Before it is left to Cyclone: a call that takes it, the end of a function that Cyclone calls. */
static inline void ros2_leave(const void *object) {
#ifdef ROS2_TELLS_TSAN
    __tsan_release((void *)object);
#else
    (void)object;
#endif
}

/* When it has come from Cyclone: the start of a function that Cyclone calls, or after a call. */
static inline void ros2_enter(const void *object) {
#ifdef ROS2_TELLS_TSAN
    __tsan_acquire((void *)object);
#else
    (void)object;
#endif
}

#endif
