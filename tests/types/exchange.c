/* The C side of the exchange with real type support (exchange_ros1.py, exchange_ros2.py): reads
 * lines "name bytes" with a type's name and a serialized message in hexadecimal, and answers each
 * with one line: the type's fingerprint, the message's fields, and the message serialized again.
 * Types come from the search path in argv[2], at run time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rclite/loader.h"

#define LINE_BYTES_MAX (1 << 20)

static const rclite_type_view *view_of(const rclite_type *type) {
    return type->ros2 ? type->ros2 : type->ros1;
}

/* The part of an action that a suffix names. */
static const rclite_type *find_action_part(const rclite_action_type *action, const char *suffix) {
    const struct {
        const char *suffix;
        const rclite_type *type;
    } parts[] = {
        {"SendGoal_Request", action->ros2_send_goal ? action->ros2_send_goal->request : NULL},
        {"SendGoal_Response", action->ros2_send_goal ? action->ros2_send_goal->response : NULL},
        {"GetResult_Request", action->ros2_get_result ? action->ros2_get_result->request : NULL},
        {"GetResult_Response", action->ros2_get_result ? action->ros2_get_result->response : NULL},
        {"FeedbackMessage", action->ros2_feedback_message},
        {"Goal", action->goal},
        {"Result", action->result},
        {"Feedback", action->feedback},
        {"ActionGoal", action->ros1_action_goal},
        {"ActionResult", action->ros1_action_result},
        {"ActionFeedback", action->ros1_action_feedback},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(parts[i].suffix, suffix) == 0) {
            return parts[i].type;
        }
    }
    return NULL;
}

/* The request, response or message that a name like pkg/action/X_SendGoal_Request stands for. */
static rclite_result find_part(
    rclite_loader *loader, char *name, const rclite_type **ret_type, rclite_error *reterr) {
    char *kind = strchr(name, '/') + 1;
    if (strncmp(kind, "msg/", 4) == 0) {
        return rclite_loader_message(loader, name, ret_type, reterr);
    }
    char *suffix = strchr(strchr(kind, '/'), '_');
    if (!suffix) {
        return RCLITE_ERR_NAME;
    }
    *suffix++ = '\0';
    rclite_result result;
    if (strncmp(kind, "srv/", 4) == 0) {
        const rclite_service_type *service = NULL;
        result = rclite_loader_service(loader, name, &service, reterr);
        if (result == RCLITE_OK) {
            *ret_type = strcmp(suffix, "Request") == 0 ? service->request : service->response;
        }
    } else {
        const rclite_action_type *action = NULL;
        result = rclite_loader_action(loader, name, &action, reterr);
        if (result == RCLITE_OK) {
            *ret_type = find_action_part(action, suffix);
        }
    }
    return result ? result : *ret_type ? RCLITE_OK : RCLITE_ERR_NAME;
}

static void print_hex(const void *memory, size_t size) {
    const uint8_t *bytes = memory;
    for (size_t i = 0; i < size; i++) {
        printf("%02x", bytes[i]);
    }
}

static void print_fields(const rclite_type *type, const void *message);

static void print_element(const rclite_field *field, const void *element) {
    if (field->kind == RCLITE_FIELD_MESSAGE) {
        print_fields(field->type, element);
    } else if (field->kind == RCLITE_FIELD_STRING) {
        const rclite_string *string = element;
        print_hex(string->data, string->size);
    } else {
        print_hex(element, field->element_bytes);
    }
}

/* {name:value,list:[a;b],} with numbers and text as the hexadecimal of their bytes. */
static void print_fields(const rclite_type *type, const void *message) {
    putchar('{');
    for (uint32_t i = 0; i < view_of(type)->field_count; i++) {
        const rclite_field *field = &view_of(type)->fields[i];
        const char *address = (const char *)message + field->offset_bytes;
        size_t count = field->count;
        printf("%s:", field->name);
        if (field->array == RCLITE_ARRAY_SEQUENCE) {
            const rclite_uint8_sequence *sequence = (const void *)address;
            count = sequence->size;
            address = (const char *)sequence->data;
        }
        if (field->array == RCLITE_ARRAY_NONE) {
            print_element(field, address);
        } else {
            putchar('[');
            for (size_t n = 0; n < count; n++) {
                print_element(field, address + n * field->element_bytes);
                putchar(';');
            }
            putchar(']');
        }
        putchar(',');
    }
    putchar('}');
}

static size_t parse_hex(const char *text, uint8_t *ret_bytes) {
    size_t size = 0;
    unsigned byte;
    while (sscanf(text + 2 * size, "%2x", &byte) == 1) {
        ret_bytes[size++] = (uint8_t)byte;
    }
    return size;
}

static rclite_result answer(
    rclite_loader *loader, char *name, const char *hex, uint8_t *bytes, rclite_error *reterr) {
    const rclite_type *type = NULL;
    rclite_result result = find_part(loader, name, &type, reterr);
    if (result != RCLITE_OK) {
        return result;
    }
    void *message = malloc(type->size_bytes);
    if (!message || rclite_message_init(type, message, NULL) != RCLITE_OK) {
        free(message);
        return RCLITE_ERR_NO_MEMORY;
    }
    size_t size = parse_hex(hex, bytes);
    rclite_generation generation = type->ros2 ? RCLITE_ROS2 : RCLITE_ROS1;
    result = rclite_message_deserialize(type, generation, bytes, size, message, NULL);
    if (result == RCLITE_OK) {
        result =
            rclite_message_serialize(type, generation, message, bytes, LINE_BYTES_MAX / 2, &size);
    }
    if (result == RCLITE_OK) {
        printf("%s ", view_of(type)->fingerprint);
        print_fields(type, message);
        putchar(' ');
        print_hex(bytes, size);
        putchar('\n');
        fflush(stdout);
    }
    rclite_message_done(type, message, NULL);
    free(message);
    return result;
}

int main(int argc, char **argv) {
    static char line[LINE_BYTES_MAX];
    static uint8_t bytes[LINE_BYTES_MAX / 2];
    rclite_loader *loader;
    rclite_error error = {.text = ""};
    if (argc != 3 || rclite_loader_create(atoi(argv[1]) == 1 ? RCLITE_ROS1 : RCLITE_ROS2, argv[2],
                         NULL, &loader, &error) != RCLITE_OK) {
        fprintf(stderr, "usage: types_exchange 1|2 SEARCH-PATH\n");
        return 2;
    }
    int status = 0;
    while (status == 0 && fgets(line, sizeof line, stdin)) {
        char *space = strchr(line, ' ');
        rclite_result result = RCLITE_ERR_INVALID;
        if (space) {
            *space = '\0';
            result = answer(loader, line, space + 1, bytes, &error);
        }
        if (result != RCLITE_OK) {
            fprintf(stderr, "types_exchange: %s: %s %s\n", line, rclite_result_string(result),
                error.text);
            status = 1;
        }
    }
    rclite_loader_free(loader);
    return status;
}
