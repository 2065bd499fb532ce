/* The backend without transport. */
#include "core/testing/fake_backend.h"

#include <assert.h>
#include <stdlib.h>

#include "core/endpoint.h"
#include "core/memory.h"

/* ---- types ---- */

static const rclite_field value_field = {.name = "value",
    .kind = RCLITE_FIELD_INT32,
    .array = RCLITE_ARRAY_NONE,
    .element_bytes = sizeof(int32_t)};
static const rclite_type_view view_ros1 = {.fields = &value_field,
    .field_count = 1,
    .wire_name = "fake_msgs/Value",
    .fingerprint = "0123456789abcdef0123456789abcdef",
    .definition = "int32 value\n"};
static const rclite_type_view view_ros2 = {.fields = &value_field,
    .field_count = 1,
    .wire_name = "fake_msgs::msg::dds_::Value_",
    .fingerprint = "RIHS01_00",
    .definition = "int32 value\n"};
const rclite_type fake_type = {.name = "fake_msgs/msg/Value",
    .size_bytes = sizeof(int32_t),
    .align_bytes = _Alignof(int32_t),
    .ros1 = &view_ros1,
    .ros2 = &view_ros2};
const rclite_type fake_type_ros2 = {.name = "fake_msgs/msg/Newer",
    .size_bytes = sizeof(int32_t),
    .align_bytes = _Alignof(int32_t),
    .ros2 = &view_ros2};
const rclite_service_type fake_service_type = {
    .name = "fake_msgs/srv/Value", .request = &fake_type, .response = &fake_type};
const rclite_action_type fake_action_type = {.name = "fake_msgs/action/Value",
    .goal = &fake_type,
    .result = &fake_type,
    .feedback = &fake_type,
    .ros2_send_goal = &fake_service_type,
    .ros2_get_result = &fake_service_type,
    .ros2_feedback_message = &fake_type};

/* ---- context and node ---- */

static rclite_result context_init(
    rclite_context *context, const rclite_context_options *options, rclite_error *reterr) {
    (void)options;
    context->describe = rclitei_copy_text(&context->allocator, "{\"backend\":\"fake\"}");
    return context->describe ? RCLITE_OK
                             : rclitei_fail(reterr, RCLITE_ERR_NO_MEMORY, 0, "no memory");
}

static void context_done(rclite_context *context) {
    assert(((fake_context *)context)->live == 0);
    (void)context;
}

static void context_interrupt(rclite_context *context) {
    ((fake_context *)context)->interrupts += 1;
}

static fake_context *context_of(const rclite_node *node) {
    return (fake_context *)node->context;
}

static rclite_result node_init(rclite_node *node, rclite_error *reterr) {
    (void)reterr;
    context_of(node)->live += 1;
    return RCLITE_OK;
}

static void node_done(rclite_node *node) {
    context_of(node)->live -= 1;
}

/* ---- topics ---- */

static rclite_result publisher_init(rclite_publisher *publisher, rclite_error *reterr) {
    (void)reterr;
    context_of(publisher->node)->live += 1;
    return RCLITE_OK;
}

static void publisher_done(rclite_publisher *publisher) {
    context_of(publisher->node)->live -= 1;
}

static rclite_result publisher_publish(rclite_publisher *publisher, const void *message) {
    (void)message;
    ((fake_publisher *)publisher)->published += 1;
    return RCLITE_OK;
}

static uint32_t publisher_matched(const rclite_publisher *publisher) {
    return ((const fake_publisher *)publisher)->matched;
}

static bool subscription_run(rclitei_ready *ready) {
    fake_subscription *subscription =
        (fake_subscription *)((char *)ready - offsetof(fake_subscription, ready));
    rclite_context *context = subscription->base.node->context;
    int before = atomic_fetch_sub(&subscription->waiting, 1);
    assert(before > 0);
    if (rclitei_callback_enter(context)) {
        int32_t message = before;
        rclite_message_info info = {0};
        subscription->base.callback(&message, &info, subscription->base.user);
        rclitei_callback_leave(context);
    }
    return before > 1;
}

static rclite_result subscription_init(rclite_subscription *subscription, rclite_error *reterr) {
    (void)reterr;
    ((fake_subscription *)subscription)->ready.run = subscription_run;
    context_of(subscription->node)->live += 1;
    return RCLITE_OK;
}

static void subscription_done(rclite_subscription *subscription) {
    rclitei_ready_remove(subscription->node->context, &((fake_subscription *)subscription)->ready);
    context_of(subscription->node)->live -= 1;
}

static bool subscription_has_data(rclite_subscription *subscription) {
    return ((fake_subscription *)subscription)->waiting > 0;
}

static rclite_result subscription_take(
    rclite_subscription *subscription, void *message, rclite_message_info *info) {
    (void)info;
    fake_subscription *fake = (fake_subscription *)subscription;
    if (fake->waiting == 0) {
        return RCLITE_EMPTY;
    }
    *(int32_t *)message = fake->waiting;
    fake->waiting -= 1;
    return RCLITE_OK;
}

static uint32_t subscription_matched(const rclite_subscription *subscription) {
    (void)subscription;
    return 0;
}

void fake_deliver(rclite_subscription *subscription) {
    fake_subscription *fake = (fake_subscription *)subscription;
    rclite_context *context = subscription->node->context;
    atomic_fetch_add(&fake->waiting, 1);
    if (!subscription->callback) {
        rclitei_signal(context);
    } else if (context->delivery == RCLITE_DELIVERY_SPIN) {
        rclitei_ready_push(context, &fake->ready);
    } else {
        subscription_run(&fake->ready);
    }
}

/* ---- services ---- */

static rclite_result service_init(rclite_service *service, rclite_error *reterr) {
    (void)reterr;
    context_of(service->node)->live += 1;
    return RCLITE_OK;
}

static void service_done(rclite_service *service) {
    context_of(service->node)->live -= 1;
}

static rclite_result client_init(rclite_client *client, rclite_error *reterr) {
    (void)reterr;
    pthread_mutex_init(&((fake_client *)client)->lock, NULL);
    context_of(client->node)->live += 1;
    return RCLITE_OK;
}

static bool call_end(
    rclite_client *client, const int64_t *id, rclite_result result, const void *response) {
    fake_client *fake = (fake_client *)client;
    pthread_mutex_lock(&fake->lock);
    rclite_client_callback callback = id && *id != fake->id ? NULL : fake->callback;
    if (callback) {
        fake->callback = NULL;
        callback(result, response, result == RCLITE_ERR_REJECTED ? "refused" : "", fake->user);
    }
    pthread_mutex_unlock(&fake->lock);
    return callback != NULL;
}

static void client_done(rclite_client *client) {
    call_end(client, NULL, RCLITE_ERR_SHUTDOWN, NULL);
    pthread_mutex_destroy(&((fake_client *)client)->lock);
    context_of(client->node)->live -= 1;
}

static bool client_ready(rclite_client *client) {
    return ((fake_client *)client)->ready;
}

static rclite_result client_call_async(rclite_client *client, const void *request,
    rclite_client_callback callback, void *user, int64_t *ret_id) {
    fake_client *fake = (fake_client *)client;
    if (*(const int32_t *)request < 0) {
        return RCLITE_ERR_TRANSPORT;
    }
    pthread_mutex_lock(&fake->lock);
    fake->callback = callback;
    fake->user = user;
    fake->id += 1;
    *ret_id = fake->id;
    pthread_mutex_unlock(&fake->lock);
    return RCLITE_OK;
}

static void client_forget(rclite_client *client, int64_t id) {
    call_end(client, &id, RCLITE_ERR_TIMEOUT, NULL);
}

bool fake_answer(rclite_client *client, rclite_result result, const void *response) {
    return call_end(client, NULL, result, response);
}

/* ---- actions ---- */

static rclite_result action_server_init(rclite_action_server *server, rclite_error *reterr) {
    (void)reterr;
    context_of(server->node)->live += 1;
    return RCLITE_OK;
}

static void action_server_done(rclite_action_server *server) {
    context_of(server->node)->live -= 1;
}

static rclite_result server_goal_step(
    rclite_server_goal *goal, rclite_goal_status to, const void *result) {
    (void)result;
    if (!rclitei_goal_step_is_legal(rclite_server_goal_get_status(goal), to)) {
        return RCLITE_ERR_STATE;
    }
    goal->status = (int)to;
    return RCLITE_OK;
}

static rclite_result action_client_init(rclite_action_client *client, rclite_error *reterr) {
    (void)reterr;
    context_of(client->node)->live += 1;
    return RCLITE_OK;
}

static void action_client_done(rclite_action_client *client) {
    context_of(client->node)->live -= 1;
}

static bool action_client_ready(rclite_action_client *client) {
    return ((fake_action_client *)client)->ready;
}

static rclite_result action_client_send(rclite_action_client *client, const void *goal,
    const rclite_goal_callbacks *callbacks, void *user, rclite_client_goal **ret_goal) {
    const rclite_allocator *allocator = &client->node->context->allocator;
    rclite_client_goal *handle = rclitei_allocate(allocator, sizeof *handle);
    if (!handle) {
        return RCLITE_ERR_NO_MEMORY;
    }
    handle->client = client;
    handle->callbacks = *callbacks;
    handle->user = user;
    handle->result = (void *)goal; /* the fake's result is the goal */
    *ret_goal = handle;
    return RCLITE_OK;
}

static rclite_result action_client_cancel(
    rclite_action_client *client, rclite_client_goal *goal, rclite_time stamp) {
    fake_action_client *fake = (fake_action_client *)client;
    fake->cancel_goal = goal;
    fake->cancel_stamp = stamp;
    fake->cancels += 1;
    return RCLITE_OK;
}

static void client_goal_free(rclite_client_goal *goal) {
    rclitei_release(&goal->client->node->context->allocator, goal);
}

/* ---- tables ---- */

#define CONTEXT_AND_NODE                                                                           \
    .context_bytes = sizeof(fake_context), .context_init = context_init,                           \
    .context_done = context_done, .context_interrupt = context_interrupt, .node_init = node_init,  \
    .node_done = node_done

const rclitei_backend fake_backend = {
    .name = "fake",
    CONTEXT_AND_NODE,
    .publisher_bytes = sizeof(fake_publisher),
    .subscription_bytes = sizeof(fake_subscription),
    .service_bytes = sizeof(rclite_service),
    .client_bytes = sizeof(fake_client),
    .action_server_bytes = sizeof(rclite_action_server),
    .action_client_bytes = sizeof(fake_action_client),
    .publisher_init = publisher_init,
    .publisher_done = publisher_done,
    .publisher_publish = publisher_publish,
    .publisher_matched = publisher_matched,
    .subscription_init = subscription_init,
    .subscription_done = subscription_done,
    .subscription_take = subscription_take,
    .subscription_has_data = subscription_has_data,
    .subscription_matched = subscription_matched,
    .service_init = service_init,
    .service_done = service_done,
    .client_init = client_init,
    .client_done = client_done,
    .client_ready = client_ready,
    .client_call_async = client_call_async,
    .client_forget = client_forget,
    .action_server_init = action_server_init,
    .action_server_done = action_server_done,
    .server_goal_step = server_goal_step,
    .action_client_init = action_client_init,
    .action_client_done = action_client_done,
    .action_client_ready = action_client_ready,
    .action_client_send = action_client_send,
    .action_client_cancel = action_client_cancel,
    .client_goal_free = client_goal_free,
};

const rclitei_backend fake_backend_empty = {.name = "empty", CONTEXT_AND_NODE};

#define FAILING_INIT(kind)                                                                         \
    static rclite_result kind##_fails(rclite_##kind *object, rclite_error *reterr) {               \
        (void)object;                                                                              \
        return rclitei_fail(reterr, RCLITE_ERR_TRANSPORT, 7, "told to fail");                      \
    }
FAILING_INIT(publisher)
FAILING_INIT(subscription)
FAILING_INIT(service)
FAILING_INIT(client)
FAILING_INIT(action_server)
FAILING_INIT(action_client)

const rclitei_backend fake_backend_failing = {
    .name = "failing",
    CONTEXT_AND_NODE,
    .publisher_bytes = sizeof(fake_publisher),
    .subscription_bytes = sizeof(fake_subscription),
    .service_bytes = sizeof(rclite_service),
    .client_bytes = sizeof(fake_client),
    .action_server_bytes = sizeof(rclite_action_server),
    .action_client_bytes = sizeof(fake_action_client),
    .publisher_init = publisher_fails,
    .subscription_init = subscription_fails,
    .service_init = service_fails,
    .client_init = client_fails,
    .action_server_init = action_server_fails,
    .action_client_init = action_client_fails,
};

rclite_context *fake_context_create(const rclite_context_options *options) {
    rclite_context *context = NULL;
    rclite_result result = rclitei_context_create_with(&fake_backend, options, &context, NULL);
    return result == RCLITE_OK ? context : NULL;
}
