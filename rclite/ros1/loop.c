/* The epoll loop; see loop.h. */
#include "ros1/loop.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "rclite/time.h"
#include "ros1/turn.h"

#define EVENTS_PER_BATCH 64
#define NS_PER_MS INT64_C(1000000)

struct rclitei_loop {
    rclite_allocator allocator;
    int epoll_fd;
    rclitei_watch wake;
    pthread_t thread;
    atomic_bool stopping;
    rclitei_turn turn;
    rclitei_helpers *helpers;
    int batch_count;           /* of the events being handled; with the turn */
    pthread_mutex_t mutex;     /* guards all below */
    pthread_cond_t idle;       /* running changed */
    const void *running;       /* the timer or task whose handler runs now */
    rclitei_loop_timer **heap; /* heap[0] is due first */
    size_t heap_count, heap_capacity;
    rclitei_task *tasks, **tasks_end;
    rclitei_grave *graves;
};

/* Does this thread come by the tasks and timers before it waits. */
static bool is_own_thread(const rclitei_loop *loop) {
    return pthread_equal(loop->thread, pthread_self());
}

/* ---- timers: a binary heap ordered by due_ns ------------------------------------------------ */

static void heap_put(rclitei_loop *loop, size_t index, rclitei_loop_timer *timer) {
    loop->heap[index] = timer;
    timer->heap_index = index + 1;
}

static void heap_sift_up(rclitei_loop *loop, size_t index) {
    rclitei_loop_timer *timer = loop->heap[index];
    while (index > 0) {
        size_t parent = (index - 1) / 2;
        if (loop->heap[parent]->due_ns <= timer->due_ns) {
            break;
        }
        heap_put(loop, index, loop->heap[parent]);
        index = parent;
    }
    heap_put(loop, index, timer);
}

static void heap_sift_down(rclitei_loop *loop, size_t index) {
    rclitei_loop_timer *timer = loop->heap[index];
    for (;;) {
        size_t child = 2 * index + 1;
        if (child >= loop->heap_count) {
            break;
        }
        if (child + 1 < loop->heap_count &&
            loop->heap[child + 1]->due_ns < loop->heap[child]->due_ns) {
            child++;
        }
        if (timer->due_ns <= loop->heap[child]->due_ns) {
            break;
        }
        heap_put(loop, index, loop->heap[child]);
        index = child;
    }
    heap_put(loop, index, timer);
}

static void heap_take(rclitei_loop *loop, rclitei_loop_timer *timer) {
    if (timer->heap_index == 0) {
        return;
    }
    size_t index = timer->heap_index - 1;
    timer->heap_index = 0;
    rclitei_loop_timer *last = loop->heap[--loop->heap_count];
    if (last != timer) {
        heap_put(loop, index, last);
        heap_sift_up(loop, index);
        heap_sift_down(loop, last->heap_index - 1);
    }
}

rclite_result rclitei_loop_timer_start(
    rclitei_loop *loop, rclitei_loop_timer *timer, int64_t delay_ns) {
    pthread_mutex_lock(&loop->mutex);
    heap_take(loop, timer);
    if (loop->heap_count == loop->heap_capacity) {
        size_t capacity = loop->heap_capacity ? 2 * loop->heap_capacity : 64;
        void *heap = loop->allocator.reallocate(
            loop->allocator.state, loop->heap, capacity * sizeof *loop->heap);
        if (!heap) {
            pthread_mutex_unlock(&loop->mutex);
            return RCLITE_ERR_NO_MEMORY;
        }
        loop->heap = heap;
        loop->heap_capacity = capacity;
    }
    timer->due_ns = rclite_monotonic_ns() + delay_ns;
    heap_put(loop, loop->heap_count++, timer);
    heap_sift_up(loop, loop->heap_count - 1);
    bool first = loop->heap[0] == timer;
    pthread_mutex_unlock(&loop->mutex);
    if (first && !is_own_thread(loop)) {
        rclitei_loop_wake(loop);
    }
    return RCLITE_OK;
}

/* Waits until the handler of `what` does not run on the loop's thread. The mutex is held. */
static void wait_not_running(rclitei_loop *loop, const void *what) {
    while (loop->running == what && !rclitei_loop_is_current(loop)) {
        pthread_cond_wait(&loop->idle, &loop->mutex);
    }
}

void rclitei_loop_timer_stop(rclitei_loop *loop, rclitei_loop_timer *timer) {
    pthread_mutex_lock(&loop->mutex);
    do {
        heap_take(loop, timer);
        wait_not_running(loop, timer);
    } while (timer->heap_index != 0); /* its handler started it again */
    pthread_mutex_unlock(&loop->mutex);
}

/* ---- tasks and graves ----------------------------------------------------------------------- */

void rclitei_loop_post(rclitei_loop *loop, rclitei_task *task) {
    pthread_mutex_lock(&loop->mutex);
    bool added = !task->queued;
    if (added) {
        task->queued = true;
        task->next = NULL;
        *loop->tasks_end = task;
        loop->tasks_end = &task->next;
    }
    pthread_mutex_unlock(&loop->mutex);
    if (added && !is_own_thread(loop)) {
        rclitei_loop_wake(loop);
    }
}

void rclitei_loop_task_cancel(rclitei_loop *loop, rclitei_task *task) {
    pthread_mutex_lock(&loop->mutex);
    do {
        if (task->queued) {
            rclitei_task **at = &loop->tasks;
            while (*at != task) {
                at = &(*at)->next;
            }
            *at = task->next;
            if (!*at) {
                loop->tasks_end = at;
            }
            task->queued = false;
        }
        wait_not_running(loop, task);
    } while (task->queued);
    pthread_mutex_unlock(&loop->mutex);
}

void rclitei_loop_bury(rclitei_loop *loop, rclitei_grave *grave) {
    pthread_mutex_lock(&loop->mutex);
    grave->next = loop->graves;
    loop->graves = grave;
    pthread_mutex_unlock(&loop->mutex);
    if (!is_own_thread(loop)) {
        rclitei_loop_wake(loop);
    }
}

static void free_graves(rclitei_loop *loop) {
    pthread_mutex_lock(&loop->mutex);
    rclitei_grave *grave = loop->graves;
    loop->graves = NULL;
    pthread_mutex_unlock(&loop->mutex);
    while (grave) {
        rclitei_grave *next = grave->next;
        grave->release(grave);
        grave = next;
    }
}

/* ---- the thread ----------------------------------------------------------------------------- */

static void finish_running(rclitei_loop *loop) {
    loop->running = NULL;
    pthread_cond_broadcast(&loop->idle);
}

/* Runs the tasks that are there now, and the timers that are due. */
static void run_pending(rclitei_loop *loop) {
    pthread_mutex_lock(&loop->mutex);
    int64_t now = loop->heap_count ? rclite_monotonic_ns() : 0;
    for (;;) {
        rclitei_task *task = loop->tasks;
        if (task) {
            loop->tasks = task->next;
            if (!loop->tasks) {
                loop->tasks_end = &loop->tasks;
            }
            task->queued = false;
            loop->running = task;
            pthread_mutex_unlock(&loop->mutex);
            task->run(task);
            pthread_mutex_lock(&loop->mutex);
            finish_running(loop);
        } else if (loop->heap_count && loop->heap[0]->due_ns <= now) {
            rclitei_loop_timer *timer = loop->heap[0];
            heap_take(loop, timer);
            loop->running = timer;
            pthread_mutex_unlock(&loop->mutex);
            timer->on_due(timer);
            pthread_mutex_lock(&loop->mutex);
            finish_running(loop);
        } else {
            break;
        }
    }
    pthread_mutex_unlock(&loop->mutex);
}

/* How long epoll may wait, in milliseconds rounded up; -1: for ever. */
static int next_timeout_ms(rclitei_loop *loop) {
    pthread_mutex_lock(&loop->mutex);
    int timeout = -1;
    if (loop->tasks) {
        timeout = 0;
    } else if (loop->heap_count) {
        int64_t wait_ns = loop->heap[0]->due_ns - rclite_monotonic_ns();
        int64_t wait_ms = wait_ns <= 0 ? 0 : (wait_ns + NS_PER_MS - 1) / NS_PER_MS;
        timeout = wait_ms > 60000 ? 60000 : (int)wait_ms;
    }
    pthread_mutex_unlock(&loop->mutex);
    return timeout;
}

static void *run_loop(void *argument) {
    rclitei_loop *loop = argument;
    struct epoll_event events[EVENTS_PER_BATCH];
    rclitei_turn_take(&loop->turn);
    while (!atomic_load(&loop->stopping)) {
        run_pending(loop);
        free_graves(loop);
        int timeout_ms = next_timeout_ms(loop);
        rclitei_turn_pass(&loop->turn);
        int count = epoll_wait(loop->epoll_fd, events, EVENTS_PER_BATCH, timeout_ms);
        rclitei_turn_take(&loop->turn);
        loop->batch_count = count;
        for (int i = 0; i < count; i++) {
            rclitei_watch *watch = events[i].data.ptr;
            if (!atomic_load(&watch->dead)) {
                watch->on_ready(watch, events[i].events);
            }
        }
    }
    rclitei_turn_pass(&loop->turn);
    return NULL;
}

static void on_wake(rclitei_watch *watch, uint32_t events) {
    (void)events;
    uint64_t count;
    ssize_t got = read(watch->fd, &count, sizeof count);
    (void)got; /* Non-blocking: there may be nothing, and that is as good. */
}

void rclitei_loop_wake(rclitei_loop *loop) {
    int saved = errno;
    uint64_t one = 1;
    ssize_t put = write(loop->wake.fd, &one, sizeof one);
    (void)put; /* It fails only when the counter is full, and then the loop wakes anyway. */
    errno = saved;
}

bool rclitei_loop_is_current(const rclitei_loop *loop) {
    return rclitei_turn_is_mine(&loop->turn);
}

void rclitei_loop_enter(rclitei_loop *loop) {
    rclitei_turn_take(&loop->turn);
}

void rclitei_loop_leave(rclitei_loop *loop) {
    rclitei_turn_pass(&loop->turn);
}

rclitei_helpers *rclitei_loop_helpers(const rclitei_loop *loop) {
    return loop->helpers;
}

bool rclitei_loop_is_calm(const rclitei_loop *loop) {
    return loop->batch_count == 1;
}

int rclitei_loop_add(rclitei_loop *loop, rclitei_watch *watch, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = watch};
    return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, watch->fd, &event) == 0 ? 0 : errno;
}

void rclitei_loop_modify(rclitei_loop *loop, rclitei_watch *watch, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = watch};
    epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, watch->fd, &event);
}

void rclitei_loop_remove(rclitei_loop *loop, rclitei_watch *watch) {
    if (!atomic_exchange(&watch->dead, true)) {
        epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
    }
}

/* Returns 0 or errno. */
static int open_parts(rclitei_loop *loop) {
    loop->wake.on_ready = on_wake;
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    loop->wake.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->epoll_fd < 0 || loop->wake.fd < 0) {
        return errno;
    }
    loop->helpers = rclitei_helpers_create(&loop->allocator);
    if (!loop->helpers) {
        return ENOMEM;
    }
    int error = rclitei_loop_add(loop, &loop->wake, EPOLLIN);
    /* run_loop asks for loop->thread only in handlers, which need a watch that is added later. */
    return error == 0 ? rclitei_thread_start(&loop->thread, run_loop, loop) : error;
}

static void close_parts(rclitei_loop *loop) {
    rclite_allocator allocator = loop->allocator;
    if (loop->wake.fd >= 0) {
        close(loop->wake.fd);
    }
    if (loop->epoll_fd >= 0) {
        close(loop->epoll_fd);
    }
    rclitei_helpers_free(loop->helpers);
    allocator.reallocate(allocator.state, loop->heap, 0);
    rclitei_turn_done(&loop->turn);
    pthread_cond_destroy(&loop->idle);
    pthread_mutex_destroy(&loop->mutex);
    allocator.reallocate(allocator.state, loop, 0);
}

rclite_result rclitei_loop_create(
    const rclite_allocator *allocator, rclitei_loop **ret_loop, int *ret_errno) {
    rclitei_loop *loop = allocator->reallocate(allocator->state, NULL, sizeof *loop);
    if (!loop) {
        return RCLITE_ERR_NO_MEMORY;
    }
    memset(loop, 0, sizeof *loop);
    loop->allocator = *allocator;
    loop->tasks_end = &loop->tasks;
    pthread_mutex_init(&loop->mutex, NULL);
    pthread_cond_init(&loop->idle, NULL);
    rclitei_turn_init(&loop->turn);
    int error = open_parts(loop);
    if (error != 0) {
        *ret_errno = error;
        close_parts(loop);
        return error == ENOMEM ? RCLITE_ERR_NO_MEMORY : RCLITE_ERR_SYSTEM;
    }
    *ret_loop = loop;
    return RCLITE_OK;
}

rclitei_loop *rclitei_loop_free(rclitei_loop *loop) {
    if (!loop) {
        return NULL;
    }
    atomic_store(&loop->stopping, true);
    rclitei_loop_wake(loop);
    pthread_join(loop->thread, NULL);
    rclitei_turn_take(&loop->turn);
    run_pending(loop); /* closes the last connections, so that guests leave */
    rclitei_turn_pass(&loop->turn);
    loop->helpers = rclitei_helpers_free(loop->helpers);
    rclitei_turn_take(&loop->turn);
    while (loop->graves || loop->tasks) {
        run_pending(loop);
        free_graves(loop);
    }
    rclitei_turn_pass(&loop->turn);
    close_parts(loop);
    return NULL;
}
