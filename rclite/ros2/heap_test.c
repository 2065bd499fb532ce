/* The heap keeps what a burst of large messages used: the second burst's memory is there already.
 * Counted in page faults, on a thread of its own, as Cyclone's receive thread is. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "ros2/heap.h"
#include "ros2/testing/ros2_testing.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OTHER_HEAP 1 /* a sanitizer's, which has its own ways */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OTHER_HEAP 1
#endif
#endif
#if !defined(__GLIBC__)
#define OTHER_HEAP 1
#endif

#define BLOCK_BYTES ((size_t)1 << 20)
#define BLOCK_COUNT 10u
#define BURST_COUNT 20

static void burst(void) {
    char *blocks[BLOCK_COUNT];
    for (size_t i = 0; i < BLOCK_COUNT; i++) {
        blocks[i] = malloc(BLOCK_BYTES);
        if (blocks[i]) {
            memset(blocks[i], 1, BLOCK_BYTES);
        }
    }
    for (size_t i = 0; i < BLOCK_COUNT; i++) {
        free(blocks[i]);
    }
}

static long faults(void) {
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_minflt : -1;
}

static void *receive(void *user) {
    long *ret_later = user;
    burst();
    const long first = faults();
    for (int i = 0; i < BURST_COUNT; i++) {
        burst();
    }
    *ret_later = faults() - first;
    return NULL;
}

static void memory_of_a_burst_stays(void **state) {
    (void)state;
#ifdef OTHER_HEAP
    skip();
#endif
    if (getenv("MALLOC_TRIM_THRESHOLD_") || getenv("MALLOC_MMAP_THRESHOLD_") ||
        getenv("GLIBC_TUNABLES")) {
        skip(); /* the user's word prevails */
    }
    ros2_heap_keep_receive_buffers();
    pthread_t thread;
    long later = -1;
    assert_int_equal(pthread_create(&thread, NULL, receive, &later), 0);
    pthread_join(thread, NULL);
    /* Fewer than one burst would cost in new memory; without it, twenty times that. */
    assert_in_range(later, 0, BLOCK_COUNT * BLOCK_BYTES / 4096);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_of_a_burst_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
