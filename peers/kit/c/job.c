/* The job's fields as one table: where each stands in the JSON and in the struct, and what it may
 * hold. A field that the table does not know is refused by its name, and so is a value out of
 * range, because a peer that ignored one would measure something else than was asked. */
#include "job.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define TIME_NS_MAX INT64_C(1000000000000000) /* eleven days: no sum of two times overflows */
#define COUNT_MAX INT64_C(1000000000)
#define ENDPOINTS_MAX 10000
#define JOB_BYTES_MAX (16u << 20) /* scripts of the null peer can be long */

typedef enum field_kind {
    FIELD_INT32,
    FIELD_INT64,
    FIELD_BOOL,
    FIELD_TEXT, /* not null, not empty */
    FIELD_TEXT_OR_NULL,
    FIELD_CHOICE /* one of `choices`; stored as its index */
} field_kind;

typedef struct job_field {
    const char *section; /* "" for the top level */
    const char *name;
    field_kind kind;
    size_t offset;
    int64_t min, max;
    const char *const *choices;
} job_field;

static const char *const patterns[] = {"topic", "service", "action", "startup", NULL};
static const char *const roles[] = {"publisher", "subscriber", "client", "server", NULL};
static const char *const reliabilities[] = {"reliable", "best_effort", NULL};
static const char *const durabilities[] = {"volatile", "transient_local", NULL};
static const char *const histories[] = {"keep_last", "keep_all", NULL};
static const char *const livelinesses[] = {"automatic", "manual_by_topic", NULL};
static const char *const payload_kinds[] = {"bytes", "list", NULL};
static const char *const verifies[] = {"ends", "full", NULL};

#define AT(member) offsetof(peer_job, member)
#define NUMBER(section, name, kind, member, min, max)                                              \
    { section, name, kind, AT(member), min, max, NULL }
#define OTHER(section, name, kind, member, choices)                                                \
    { section, name, kind, AT(member), 0, 0, choices }

static const job_field fields[] = {
    NUMBER("", "protocol", FIELD_INT32, protocol, 1, 1),
    NUMBER("", "generation", FIELD_INT32, generation, 1, 2),
    OTHER("", "pattern", FIELD_CHOICE, pattern, patterns),
    OTHER("", "role", FIELD_CHOICE, role, roles),
    OTHER("", "echo", FIELD_BOOL, echo, NULL),
    OTHER("names", "node", FIELD_TEXT, node, NULL),
    OTHER("names", "topic", FIELD_TEXT_OR_NULL, topic, NULL),
    OTHER("names", "echo_topic", FIELD_TEXT_OR_NULL, echo_topic, NULL),
    OTHER("names", "service", FIELD_TEXT_OR_NULL, service, NULL),
    OTHER("names", "action", FIELD_TEXT_OR_NULL, action, NULL),
    OTHER("", "type", FIELD_TEXT, type, NULL),
    OTHER("qos", "reliability", FIELD_CHOICE, qos.reliability, reliabilities),
    OTHER("qos", "durability", FIELD_CHOICE, qos.durability, durabilities),
    OTHER("qos", "history", FIELD_CHOICE, qos.history, histories),
    NUMBER("qos", "depth", FIELD_INT32, qos.depth, 1, INT32_MAX),
    NUMBER("qos", "deadline_ns", FIELD_INT64, qos.deadline_ns, 0, TIME_NS_MAX),
    NUMBER("qos", "lifespan_ns", FIELD_INT64, qos.lifespan_ns, 0, TIME_NS_MAX),
    OTHER("qos", "liveliness", FIELD_CHOICE, qos.liveliness, livelinesses),
    NUMBER("qos", "liveliness_lease_ns", FIELD_INT64, qos.liveliness_lease_ns, 0, TIME_NS_MAX),
    NUMBER("", "payload_bytes", FIELD_INT64, payload_bytes, 0, INT32_MAX),
    OTHER("", "payload_kind", FIELD_CHOICE, payload_kind, payload_kinds),
    NUMBER("", "count", FIELD_INT64, count, 0, COUNT_MAX),
    NUMBER("", "duration_ns", FIELD_INT64, duration_ns, 0, TIME_NS_MAX),
    NUMBER("", "period_ns", FIELD_INT64, period_ns, 0, TIME_NS_MAX),
    NUMBER("", "warmup", FIELD_INT64, warmup, 0, COUNT_MAX),
    NUMBER("", "in_flight", FIELD_INT32, in_flight, 1, ENDPOINTS_MAX),
    NUMBER("endpoints", "publishers", FIELD_INT32, publishers, 1, ENDPOINTS_MAX),
    NUMBER("endpoints", "subscribers", FIELD_INT32, subscribers, 1, ENDPOINTS_MAX),
    NUMBER("endpoints", "clients", FIELD_INT32, clients, 1, ENDPOINTS_MAX),
    NUMBER("endpoints", "servers", FIELD_INT32, servers, 1, ENDPOINTS_MAX),
    NUMBER("endpoints", "nodes", FIELD_INT32, nodes, 1, ENDPOINTS_MAX),
    OTHER("", "verify", FIELD_CHOICE, verify, verifies),
    NUMBER("", "run_id", FIELD_INT64, run_id, 0, INT64_MAX),
    OTHER("", "foreign", FIELD_BOOL, foreign, NULL),
    NUMBER("", "match_timeout_ns", FIELD_INT64, match_timeout_ns, 1, TIME_NS_MAX),
    NUMBER("", "quiet_ns", FIELD_INT64, quiet_ns, 0, TIME_NS_MAX),
    NUMBER("", "call_timeout_ns", FIELD_INT64, call_timeout_ns, 1, TIME_NS_MAX),
    OTHER("", "samples", FIELD_TEXT, samples, NULL),
};
#define FIELD_COUNT (sizeof fields / sizeof fields[0])

static const char *const sections[] = {"names", "qos", "endpoints", NULL};

static bool refuse(peer_job_error *reterr, const char *section, const char *name) {
    snprintf(reterr->refused, sizeof reterr->refused, "%s%s%s", section, *section ? "." : "",
        *name ? name : "\"\"");
    return false;
}

static bool in_list(const char *const *list, const char *text) {
    for (; *list; list++) {
        if (strcmp(*list, text) == 0) {
            return true;
        }
    }
    return false;
}

static bool store_choice(const job_field *field, const json_t *value, void *to) {
    const char *text = json_string_value(value);
    for (int i = 0; text && field->choices[i]; i++) {
        if (strcmp(field->choices[i], text) == 0) {
            memcpy(to, &i, sizeof i); /* an enum of the header: int */
            return true;
        }
    }
    return false;
}

static bool store_text(const job_field *field, const json_t *value, void *to) {
    const char *text = json_string_value(value);
    if (!text && !(json_is_null(value) && field->kind == FIELD_TEXT_OR_NULL)) {
        return false;
    }
    if (text && (!*text || strlen(text) != json_string_length(value))) {
        return false;
    }
    memcpy(to, &text, sizeof text);
    return true;
}

static bool store_number(const job_field *field, const json_t *value, void *to) {
    int64_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < field->min || number > field->max) {
        return false;
    }
    if (field->kind == FIELD_INT32) {
        int32_t narrow = (int32_t)number;
        memcpy(to, &narrow, sizeof narrow);
    } else {
        memcpy(to, &number, sizeof number);
    }
    return true;
}

static bool store_field(const job_field *field, const json_t *value, peer_job *job) {
    void *to = (char *)job + field->offset;
    switch (field->kind) {
    case FIELD_CHOICE:
        return store_choice(field, value, to);
    case FIELD_TEXT:
    case FIELD_TEXT_OR_NULL:
        return store_text(field, value, to);
    case FIELD_BOOL:
        *(bool *)to = json_is_true(value);
        return json_is_boolean(value);
    case FIELD_INT32:
    case FIELD_INT64:
        return store_number(field, value, to);
    }
    return false;
}

static const job_field *find_field(const char *section, const char *name) {
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (strcmp(fields[i].section, section) == 0 && strcmp(fields[i].name, name) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

/* Every key of one object must be a field, and fit. */
static bool store_section(
    json_t *object, const char *section, peer_job *job, peer_job_error *reterr) {
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) {
        const job_field *field = find_field(section, name);
        if (field) {
            if (!store_field(field, value, job)) {
                return refuse(reterr, section, name);
            }
        } else if (*section || (!in_list(sections, name) && strcmp(name, "settings") != 0)) {
            return refuse(reterr, section, name);
        } else if (!json_is_object(value)) {
            return refuse(reterr, "", name);
        }
    }
    return true;
}

static bool check_complete(json_t *root, peer_job_error *reterr) {
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const json_t *object = *fields[i].section ? json_object_get(root, fields[i].section) : root;
        if (!json_object_get(object, fields[i].name)) {
            snprintf(reterr->text, sizeof reterr->text, "the job lacks the field %s%s%s",
                fields[i].section, *fields[i].section ? "." : "", fields[i].name);
            return false;
        }
    }
    if (!json_object_get(root, "settings")) {
        snprintf(reterr->text, sizeof reterr->text, "the job lacks the field settings");
        return false;
    }
    return true;
}

/* What the fields must be together. */
static bool check_sense(const peer_job *job, peer_job_error *reterr) {
    bool calls = job->pattern == PEER_SERVICE || job->pattern == PEER_ACTION;
    bool role_calls = job->role == PEER_CLIENT || job->role == PEER_SERVER;
    if (calls != role_calls) {
        return refuse(reterr, "", "role");
    }
    if (job->echo && job->pattern != PEER_TOPIC) {
        return refuse(reterr, "", "echo");
    }
    if (job->count == 0 && job->duration_ns == 0) {
        return refuse(reterr, "", "count");
    }
    if (!calls && job->payload_bytes < PEER_PAYLOAD_BYTES_MIN) {
        return refuse(reterr, "", "payload_bytes");
    }
    if (!calls && !job->topic) {
        return refuse(reterr, "names", "topic");
    }
    if (job->echo && !job->echo_topic) {
        return refuse(reterr, "names", "echo_topic");
    }
    if (job->pattern == PEER_SERVICE && !job->service) {
        return refuse(reterr, "names", "service");
    }
    if (job->pattern == PEER_ACTION && !job->action) {
        return refuse(reterr, "names", "action");
    }
    return true;
}

bool peer_job_parse(const char *text, size_t size, peer_job *ret_job, peer_job_error *reterr) {
    peer_job job = {0};
    json_error_t json_error;
    memset(reterr, 0, sizeof *reterr);
    job.root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &json_error);
    if (!job.root || !json_is_object(job.root)) {
        snprintf(reterr->text, sizeof reterr->text, "the job is not a JSON object: %.100s",
            job.root ? "something else" : json_error.text);
        goto failed;
    }
    if (!store_section(job.root, "", &job, reterr)) {
        goto failed;
    }
    for (const char *const *section = sections; *section; section++) {
        json_t *object = json_object_get(job.root, *section);
        if (object && !store_section(object, *section, &job, reterr)) {
            goto failed;
        }
    }
    if (!check_complete(job.root, reterr) || !check_sense(&job, reterr)) {
        goto failed;
    }
    job.settings = json_object_get(job.root, "settings");
    *ret_job = job;
    return true;
failed:
    json_decref(job.root);
    return false;
}

bool peer_job_read(const char *path, peer_job *ret_job, peer_job_error *reterr) {
    memset(reterr, 0, sizeof *reterr);
    FILE *file = fopen(path, "re");
    if (!file) {
        snprintf(reterr->text, sizeof reterr->text, "cannot open the job %.180s: %m", path);
        return false;
    }
    char *text = malloc(JOB_BYTES_MAX);
    size_t size = text ? fread(text, 1, JOB_BYTES_MAX, file) : 0;
    bool whole = text && !ferror(file) && size < JOB_BYTES_MAX;
    fclose(file);
    if (!whole) {
        snprintf(reterr->text, sizeof reterr->text, "cannot read the job %.180s", path);
        free(text);
        return false;
    }
    bool good = peer_job_parse(text, size, ret_job, reterr);
    free(text);
    return good;
}

const char *peer_job_unknown_setting(const peer_job *job, const char *const *known) {
    const char *key;
    json_t *value;
    json_object_foreach(job->settings, key, value) {
        if (!in_list(known, key)) {
            return key;
        }
    }
    return NULL;
}

const char *peer_job_setting(const peer_job *job, const char *key, const char *otherwise) {
    const char *text = json_string_value(json_object_get(job->settings, key));
    return text ? text : otherwise;
}

const char *peer_pattern_type(peer_pattern pattern) {
    switch (pattern) {
    case PEER_SERVICE:
        return "nav_msgs/srv/GetMap";
    case PEER_ACTION:
        return "actionlib_benchmark/action/Roundtrip";
    default:
        return "std_msgs/msg/UInt8MultiArray";
    }
}

const char *peer_job_not_plain(const peer_job *job) {
    const struct {
        const char *name;
        uint32_t value;
    } counts[] = {
        {"endpoints.publishers", job->publishers},
        {"endpoints.subscribers", job->subscribers},
        {"endpoints.clients", job->clients},
        {"endpoints.servers", job->servers},
        {"endpoints.nodes", job->nodes},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (counts[i].value != 1) {
            return counts[i].name;
        }
    }
    if (job->payload_kind == PEER_LIST) {
        return "payload_kind";
    }
    return strcmp(job->type, peer_pattern_type(job->pattern)) != 0 ? "type" : NULL;
}

void peer_job_done(peer_job *job) {
    json_decref(job->root);
    memset(job, 0, sizeof *job);
}
