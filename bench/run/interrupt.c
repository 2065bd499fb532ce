/* Ctrl-C and its kin; see interrupt.h. */
#include "run/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "run/clock.h"

/* The one mutable global of the harness: a signal handler can reach nothing else. */
static volatile sig_atomic_t interrupts;

static const int taken[] = {SIGINT, SIGTERM, SIGHUP};

static void count_interrupt(int signal_number) {
    (void)signal_number;
    if (interrupts < 100) {
        interrupts = interrupts + 1;
    }
}

static void taken_set(sigset_t *set) {
    sigemptyset(set);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        sigaddset(set, taken[i]);
    }
}

void run_interrupt_install(void) {
    sigset_t set;
    taken_set(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    struct sigaction action = {.sa_handler = count_interrupt};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        sigaction(taken[i], &action, NULL);
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, NULL);
}

int run_interrupt_count(void) {
    return interrupts;
}

int run_interrupt_poll(struct pollfd *fds, unsigned count, int64_t deadline_ns) {
    int64_t left = deadline_ns - run_clock_monotonic_ns();
    if (left < 0) {
        left = 0;
    }
    struct timespec timeout = {left / 1000000000, left % 1000000000};
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        sigdelset(&mask, taken[i]);
    }
    return ppoll(fds, count, &timeout, &mask);
}

void run_interrupt_reset_in_child(void) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        sigaction(taken[i], &standard, NULL);
    }
    sigaction(SIGPIPE, &standard, NULL);
    sigset_t set;
    taken_set(&set);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}
