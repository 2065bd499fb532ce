/* Contexts: creation and the end, shutdown, counters, logging. Spinning is in executor.c. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/endpoint.h"
#include "core/executor.h"
#include "core/memory.h"

static rclite_result check_options(const rclite_context_options *options, rclite_error *reterr) {
    if (options->size != sizeof *options) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0,
            "options.size is not that of this library: use RCLITE_CONTEXT_OPTIONS_INIT");
    }
    if (options->generation != RCLITE_ROS1 && options->generation != RCLITE_ROS2) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0,
            "options.generation is %d; it must be RCLITE_ROS1 or RCLITE_ROS2",
            (int)options->generation);
    }
    if ((unsigned)options->delivery >= RCLITE_DELIVERY_COUNT) {
        return rclitei_fail(
            reterr, RCLITE_ERR_INVALID, 0, "options.delivery is %d", (int)options->delivery);
    }
    if (options->argc < 0 || (options->argc > 0 && !options->argv)) {
        return rclitei_fail(
            reterr, RCLITE_ERR_INVALID, 0, "options.argc is %d without argv", options->argc);
    }
    for (int i = 0; i < options->argc; i++) {
        if (!options->argv[i]) {
            return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0, "options.argv[%d] is NULL", i);
        }
    }
    if (options->domain_id < RCLITE_DOMAIN_FROM_ENVIRONMENT || options->domain_id > 232) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0,
            "options.domain_id is %d; it must be 0 to 232", options->domain_id);
    }
    if (options->allocator && !options->allocator->reallocate) {
        return rclitei_fail(
            reterr, RCLITE_ERR_INVALID, 0, "options.allocator has no reallocate function");
    }
    return RCLITE_OK;
}

/* Frees what core made; the backend's part is gone. */
static void context_release(rclite_context *context) {
    rclitei_executor_free(context);
    rclitei_names_free(context->names, context->argc, context->argv);
    rclitei_release(&context->allocator, context->describe);
    rclite_allocator allocator = context->allocator;
    rclitei_release(&allocator, context);
}

rclite_result rclitei_context_create_with(const rclitei_backend *backend,
    const rclite_context_options *options, rclite_context **ret_context, rclite_error *reterr) {
    rclite_allocator allocator =
        options->allocator ? *options->allocator : rclite_allocator_default();
    if (!backend->context_init) {
        return rclitei_fail(
            reterr, RCLITE_ERR_UNSUPPORTED, 0, "this build has no backend '%s'", backend->name);
    }
    assert(backend->context_bytes >= sizeof(rclite_context));
    rclite_context *context = rclitei_allocate(&allocator, backend->context_bytes);
    if (!context) {
        return rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory for the context");
    }
    context->backend = backend;
    context->allocator = allocator;
    context->generation = options->generation;
    context->delivery = options->delivery;
    context->log = options->log;
    context->log_user = options->log_user;
    rclite_result result = rclitei_names_create(
        options, &allocator, &context->names, &context->argc, &context->argv, reterr);
    if (result == RCLITE_OK) {
        result = rclitei_executor_create(context, &context->executor, reterr);
    }
    if (result == RCLITE_OK) {
        result = backend->context_init(context, options, reterr);
    }
    if (result != RCLITE_OK) {
        context_release(context);
        return result;
    }
    *ret_context = context;
    return RCLITE_OK;
}

rclite_result rclite_context_create(
    const rclite_context_options *options, rclite_context **ret_context, rclite_error *reterr) {
    if (!options || !ret_context) {
        return rclitei_fail(reterr, RCLITE_ERR_INVALID, 0, "options or ret_context is NULL");
    }
    rclite_result result = check_options(options, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    const rclitei_backend *backend =
        options->generation == RCLITE_ROS1 ? &rclitei_ros1_backend : &rclitei_ros2_backend;
    return rclitei_context_create_with(backend, options, ret_context, reterr);
}

bool rclitei_has_no_children(
    rclite_context *context, const char *what, const _Atomic unsigned *children) {
    unsigned count = atomic_load(children);
    if (count > 0) {
        rclitei_context_log(context, RCLITE_LOG_FATAL,
            "%s was freed before %u of its children; it is kept, and leaks", what, count);
        assert(!"a parent was freed before its children");
    }
    return count == 0;
}

rclite_context *rclite_context_free(rclite_context *context) {
    if (!context || !rclitei_has_no_children(context, "the context", &context->children)) {
        return NULL;
    }
    context->backend->context_done(context);
    context_release(context);
    return NULL;
}

void rclite_context_shutdown(rclite_context *context) {
    if (!context || atomic_exchange(&context->shutdown, true)) {
        return;
    }
    rclitei_executor_interrupt(context);
    if (context->backend->context_interrupt) {
        context->backend->context_interrupt(context);
    }
}

bool rclite_context_is_shutdown(const rclite_context *context) {
    return context && atomic_load(&context->shutdown);
}

rclite_generation rclite_context_generation(const rclite_context *context) {
    return context->generation;
}

int rclite_context_arguments(const rclite_context *context, const char *const **ret_argv) {
    *ret_argv = context->argv;
    return context->argc;
}

const char *rclite_context_describe(const rclite_context *context) {
    return context->describe ? context->describe : "{}";
}

rclite_context_counters rclite_context_count(const rclite_context *context) {
    return (rclite_context_counters){
        .malformed = atomic_load(&context->malformed),
        .dropped = atomic_load(&context->dropped),
        .send_failures = atomic_load(&context->send_failures),
    };
}

void rclitei_context_log(rclite_context *context, rclite_log_level level, const char *format, ...) {
    if (!context->log || level < context->names->log_level) {
        return;
    }
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    context->log(level, text, context->log_user);
}
