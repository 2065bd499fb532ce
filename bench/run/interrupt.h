/* Ctrl-C and its kin. The handler only counts; whoever waits, waits with run_interrupt_poll(), in
 * which alone the signals are let through, so that none is missed between a look and a wait. */
#ifndef BENCH_RUN_INTERRUPT_H
#define BENCH_RUN_INTERRUPT_H

#include <poll.h>
#include <stdint.h>

/* Takes SIGINT, SIGTERM and SIGHUP over and ignores SIGPIPE, for the life of the program. */
void run_interrupt_install(void);

/* How often the user asked to stop. */
int run_interrupt_count(void);

/* As poll(), until a CLOCK_MONOTONIC time; -1 with EINTR when interrupted. */
int run_interrupt_poll(struct pollfd *fds, unsigned count, int64_t deadline_ns);

/* In a child, between fork and exec: undoes what run_interrupt_install() did. */
void run_interrupt_reset_in_child(void);

#endif
