/* What becomes of a goal on the client's side: accepted or rejected, feedback, status, result,
 * lost.
 *
 * A goal is listed in the client's table from before it is sent, so that feedback which overtakes
 * the answer finds it, until it has ended. Each callback of the user is entered in the goal while
 * it runs: freeing a goal waits for those of other threads, and a callback may free its own goal.
 */
#include <string.h>

#include "action_msgs/msg/GoalStatusArray.h"
#include "core/memory.h"
#include "ros2/action_client.h"

static ros2_action_client *client_of(const ros2_client_goal *goal) {
    return (ros2_action_client *)goal->base.client;
}

static ros2_client_goal *goal_of_entry(ros2_goal_entry *entry) {
    return (ros2_client_goal *)((char *)entry - offsetof(ros2_client_goal, entry));
}

/* ---- pool and table ------------------------------------------------------------------------- */

static void release(ros2_action_client *client, ros2_client_goal *goal) {
    const rclite_allocator *allocator = ros2_client_allocator(client);
    rclitei_message_free(client->base.type->result, goal->result, allocator);
    rclitei_release(allocator, goal);
}

/* Lock held. */
static ros2_client_goal *take_goal(ros2_action_client *client) {
    ros2_client_goal *goal = client->free;
    if (goal) {
        client->free = goal->next_free;
        return goal;
    }
    const rclite_allocator *allocator = ros2_client_allocator(client);
    goal = rclitei_allocate(allocator, sizeof *goal);
    if (!goal) {
        return NULL;
    }
    goal->result = rclitei_message_create(client->base.type->result, allocator);
    if (!goal->result) {
        return rclitei_release(allocator, goal);
    }
    goal->base.client = &client->base;
    goal->next_made = client->made;
    client->made = goal;
    return goal;
}

static void give_goal(ros2_action_client *client, ros2_client_goal *goal) {
    goal->next_free = client->free;
    client->free = goal;
}

ros2_client_goal *ros2_client_goal_create(ros2_action_client *client, const uint8_t *uuid,
    const rclite_goal_callbacks *callbacks, void *user) {
    pthread_mutex_lock(&client->lock);
    ros2_client_goal *goal = take_goal(client);
    if (goal) {
        memcpy(goal->entry.uuid, uuid, ROS2_UUID_BYTES);
        ros2_uuid_text(uuid, goal->base.id.text, sizeof goal->base.id.text);
        goal->base.id.stamp = rclite_time_from_ns(rclite_now_ns());
        goal->base.callbacks = *callbacks;
        goal->base.user = user;
        goal->base.result = NULL;
        atomic_store(&goal->base.status, RCLITE_GOAL_UNKNOWN);
        goal->send_id = 0;
        goal->result_id = 0;
        goal->freed = false;
        goal->listed =
            ros2_goal_table_add(&client->table, ros2_client_allocator(client), &goal->entry);
        if (!goal->listed) {
            give_goal(client, goal);
            goal = NULL;
        }
    }
    pthread_mutex_unlock(&client->lock);
    return goal;
}

/* Lock held. */
static void unlist(ros2_action_client *client, ros2_client_goal *goal) {
    if (goal->listed) {
        ros2_goal_table_remove(&client->table, &goal->entry);
        goal->listed = false;
    }
}

void ros2_client_release_goals(ros2_action_client *client) {
    while (client->made) {
        ros2_client_goal *goal = client->made;
        client->made = goal->next_made;
        release(client, goal);
    }
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* Lock held. */
static bool run_begin_locked(ros2_client_goal *goal, ros2_goal_run *run) {
    if (goal->freed) {
        return false;
    }
    run->thread = pthread_self();
    run->next = goal->runs;
    goal->runs = run;
    return true;
}

/* False: the goal was freed, and must not be touched. */
static bool run_begin(ros2_client_goal *goal, ros2_goal_run *run) {
    ros2_action_client *client = client_of(goal);
    pthread_mutex_lock(&client->lock);
    bool begun = run_begin_locked(goal, run);
    pthread_mutex_unlock(&client->lock);
    return begun;
}

/* The goal may be gone afterwards. */
static void run_end(ros2_client_goal *goal, ros2_goal_run *run) {
    ros2_action_client *client = client_of(goal);
    pthread_mutex_lock(&client->lock);
    ros2_goal_run **at = &goal->runs;
    while (*at != run) {
        at = &(*at)->next;
    }
    *at = run->next;
    if (goal->freed && !goal->runs) {
        give_goal(client, goal);
    }
    pthread_cond_broadcast(&client->ran);
    pthread_mutex_unlock(&client->lock);
}

/* Lock held. */
static bool runs_elsewhere(const ros2_client_goal *goal) {
    for (const ros2_goal_run *run = goal->runs; run; run = run->next) {
        if (!pthread_equal(run->thread, pthread_self())) {
            return true;
        }
    }
    return false;
}

void ros2_client_goal_free(rclite_client_goal *base) {
    ros2_client_goal *goal = (ros2_client_goal *)base;
    ros2_action_client *client = client_of(goal);
    pthread_mutex_lock(&client->lock);
    goal->freed = true;
    unlist(client, goal);
    ros2_goal_run self = {.thread = pthread_self(), .next = goal->runs};
    goal->runs = &self; /* keeps it until the calls are forgotten, too */
    while (runs_elsewhere(goal)) {
        pthread_cond_wait(&client->ran, &client->lock);
    }
    int64_t send_id = goal->send_id, result_id = goal->result_id;
    pthread_mutex_unlock(&client->lock);
    rclite_client_forget(client->goal_client, send_id);
    rclite_client_forget(client->result_client, result_id);
    run_end(goal, &self);
}

/* ---- the end of a goal ---------------------------------------------------------------------- */

/* Once for each goal; inside a run. message is a result or NULL. */
static void finish(ros2_client_goal *goal, rclite_goal_status status, const void *message) {
    ros2_action_client *client = client_of(goal);
    rclite_context *context = client->base.node->context;
    pthread_mutex_lock(&client->lock);
    bool first = goal->listed;
    rclite_result copied = RCLITE_OK;
    if (first) {
        unlist(client, goal);
        if (message) {
            copied = rclite_message_copy(
                client->base.type->result, goal->result, message, ros2_client_allocator(client));
        }
        status = copied == RCLITE_OK ? status : RCLITE_GOAL_LOST;
        goal->base.result = message && copied == RCLITE_OK ? goal->result : NULL;
        atomic_store(&goal->base.status, (int)status);
    }
    pthread_mutex_unlock(&client->lock);
    if (!first) {
        return;
    }
    if (copied != RCLITE_OK) {
        rclitei_context_log(context, RCLITE_LOG_ERROR,
            "action %s: the result of goal %s is lost: %s", client->base.name, goal->base.id.text,
            rclite_result_string(copied));
    }
    rclitei_signal(context);
    if (goal->base.callbacks.result) {
        goal->base.callbacks.result(&goal->base, status, goal->base.result, goal->base.user);
    }
}

void ros2_client_lose_all(ros2_action_client *client) {
    for (;;) {
        ros2_goal_run run;
        pthread_mutex_lock(&client->lock);
        ros2_goal_entry *entry = ros2_goal_table_any(&client->table);
        bool begun = entry && run_begin_locked(goal_of_entry(entry), &run);
        pthread_mutex_unlock(&client->lock);
        if (!begun) {
            return; /* what is listed is not freed */
        }
        finish(goal_of_entry(entry), RCLITE_GOAL_LOST, NULL);
        run_end(goal_of_entry(entry), &run);
    }
}

/* ---- result --------------------------------------------------------------------------------- */

static void on_result(
    rclite_result result, const void *response, const char *error_text, void *user) {
    (void)error_text;
    ros2_client_goal *goal = user;
    ros2_goal_run run;
    if (!run_begin(goal, &run)) {
        return;
    }
    const ros2_action_layout *layout = &client_of(goal)->layout;
    rclite_goal_status status = RCLITE_GOAL_LOST;
    if (result == RCLITE_OK) {
        int8_t told = *(const int8_t *)ros2_const_field(response, layout->result_status);
        if (told >= RCLITE_GOAL_SUCCEEDED && told <= RCLITE_GOAL_ABORTED) {
            status = (rclite_goal_status)told; /* else the server does not know the goal any more */
        }
    }
    finish(goal, status,
        status == RCLITE_GOAL_LOST ? NULL : ros2_const_field(response, layout->result_result));
    run_end(goal, &run);
}

/* Asks for the result; inside a run. */
static rclite_result ask_for_result(ros2_client_goal *goal) {
    ros2_action_client *client = client_of(goal);
    void *request = ros2_scratch_take(&client->scratch, ros2_client_allocator(client));
    if (!request) {
        return RCLITE_ERR_NO_MEMORY;
    }
    memcpy(
        ros2_field(request, client->layout.result_request_id), goal->entry.uuid, ROS2_UUID_BYTES);
    rclite_result result =
        rclite_client_call_async(client->result_client, request, on_result, goal, &goal->result_id);
    ros2_scratch_give(&client->scratch, request);
    return result;
}

/* ---- the answer to the goal ----------------------------------------------------------------- */

/* To a later status, never back, and never to an end. Lock held. */
static void advance(ros2_client_goal *goal, int status) {
    int now = atomic_load(&goal->base.status);
    if (status > now && status < RCLITE_GOAL_SUCCEEDED) {
        atomic_store(&goal->base.status, status);
    }
}

/* True while the goal may still get a result. */
static bool is_open(ros2_client_goal *goal) {
    ros2_action_client *client = client_of(goal);
    pthread_mutex_lock(&client->lock);
    bool open = goal->listed && !goal->freed;
    pthread_mutex_unlock(&client->lock);
    return open;
}

static void accept_goal(ros2_client_goal *goal, rclite_time stamp) {
    ros2_action_client *client = client_of(goal);
    pthread_mutex_lock(&client->lock);
    if (stamp.sec != 0 || stamp.nanosec != 0) {
        goal->base.id.stamp = stamp; /* rclcpp leaves it empty */
    }
    advance(goal, RCLITE_GOAL_ACCEPTED);
    pthread_mutex_unlock(&client->lock);
    if (goal->base.callbacks.response) {
        goal->base.callbacks.response(&goal->base, true, goal->base.user);
    }
    if (is_open(goal) && ask_for_result(goal) != RCLITE_OK) {
        finish(goal, RCLITE_GOAL_LOST, NULL);
    }
}

void ros2_goal_on_response(
    rclite_result result, const void *response, const char *error_text, void *user) {
    (void)error_text;
    ros2_client_goal *goal = user;
    ros2_goal_run run;
    if (!run_begin(goal, &run)) {
        return;
    }
    const ros2_action_layout *layout = &client_of(goal)->layout;
    if (result != RCLITE_OK) {
        finish(goal, RCLITE_GOAL_LOST, NULL);
    } else if (*(const bool *)ros2_const_field(response, layout->response_accepted)) {
        accept_goal(goal, *(const rclite_time *)ros2_const_field(response, layout->response_stamp));
    } else {
        if (goal->base.callbacks.response) {
            goal->base.callbacks.response(&goal->base, false, goal->base.user);
        }
        if (is_open(goal)) {
            finish(goal, RCLITE_GOAL_REJECTED, NULL);
        }
    }
    run_end(goal, &run);
}

/* ---- topics --------------------------------------------------------------------------------- */

void ros2_client_on_feedback(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    ros2_action_client *client = user;
    ros2_goal_run run;
    pthread_mutex_lock(&client->lock);
    ros2_goal_entry *entry =
        ros2_goal_table_find(&client->table, ros2_const_field(message, client->layout.feedback_id));
    bool begun = entry && run_begin_locked(goal_of_entry(entry), &run);
    pthread_mutex_unlock(&client->lock);
    if (!begun) {
        return; /* of another client's goal, or late */
    }
    ros2_client_goal *goal = goal_of_entry(entry);
    if (goal->base.callbacks.feedback) {
        goal->base.callbacks.feedback(&goal->base,
            ros2_const_field(message, client->layout.feedback_feedback), goal->base.user);
    }
    run_end(goal, &run);
}

void ros2_client_advance(ros2_action_client *client, const uint8_t *uuid, int8_t status) {
    pthread_mutex_lock(&client->lock);
    ros2_goal_entry *entry = ros2_goal_table_find(&client->table, uuid);
    if (entry) {
        advance(goal_of_entry(entry), status);
    }
    pthread_mutex_unlock(&client->lock);
}

/* Most of a long list are goals that have ended: they are passed over before looking for them. */
void ros2_client_on_status(const void *message, const rclite_message_info *info, void *user) {
    (void)info;
    ros2_action_client *client = user;
    const action_msgs__msg__GoalStatusArray *array = message;
    for (size_t i = 0; i < array->status_list.size; i++) {
        const action_msgs__msg__GoalStatus *status = &array->status_list.data[i];
        if (status->status < RCLITE_GOAL_SUCCEEDED) {
            ros2_client_advance(client, status->goal_info.goal_id.uuid, status->status);
        }
    }
}
