/* The table of options. Rows are printed by --help in this order; a command has the rows with its
 * bit. */
#include "cli/settings.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "util/memory.h"

#define AT(member) offsetof(cli_settings, member)
#define CELL(member) offsetof(cli_settings, spec.cell.member)
#define PAYLOAD_MAX (INT64_C(1) << 30)
#define COUNT_MAX INT64_C(1000000000)
#define HOUR_NS INT64_C(3600000000000)

#define WITH_QOS (CLI_TOPIC | CLI_SERVICE | CLI_STARTUP)
#define MEASURING (CLI_PATTERNS | CLI_DEFAULT | CLI_RUN)
#define CALLS (CLI_SERVICE | CLI_ACTION)
#define TOPICS (CLI_TOPIC | CLI_STARTUP)

static const char *const pairs_choices[] = {"all", "same", NULL};
static const char *const kind_choices[] = {"bytes", "list", NULL};
static const char *const verify_choices[] = {"ends", "full", NULL};
static const char *const reliability_choices[] = {"reliable", "best_effort", NULL};
static const char *const durability_choices[] = {"volatile", "transient_local", NULL};
static const char *const history_choices[] = {"keep_last", "keep_all", NULL};
static const char *const liveliness_choices[] = {"automatic", "manual_by_topic", NULL};
static const char *const transport_choices[] = {"stock", "tuned", NULL};
static const char *const only_call_choices[] = {"client", "server", NULL};
static const char *const only_topic_choices[] = {"publisher", "subscriber", NULL};
static const char *const format_choices[] = {"text", "json", "csv", "markdown", "html", NULL};
static const char *const profile_choices[] = {
    "default", "sensor_data", "services_default", "system_default", NULL};

static bool set_pairs(void *settings, const char *value, char **ret_error) {
    (void)ret_error;
    ((cli_settings *)settings)->spec.pairs_same = strcmp(value, "same") == 0;
    return true;
}

/* rmw's profiles. system_default leaves it to the DDS library, whose defaults are these. */
static bool set_profile(void *settings, const char *value, char **ret_error) {
    (void)ret_error;
    plan_qos *qos = &((cli_settings *)settings)->spec.cell.qos;
    *qos = plan_cell_default(PLAN_TOPIC).qos;
    if (strcmp(value, "sensor_data") == 0) {
        qos->reliability = "best_effort";
        qos->depth = 5;
    } else if (strcmp(value, "system_default") == 0) {
        qos->depth = 1;
    }
    return true;
}

static bool set_depth(void *settings, const char *value, char **ret_error) {
    char *end;
    unsigned long depth = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || depth < 1 || depth > 1000000) {
        *ret_error =
            util_format("--qos-depth: '%s' is not possible; it takes a whole number, from 1 "
                        "to 1000000",
                value);
        return false;
    }
    ((cli_settings *)settings)->spec.cell.qos.depth = (uint32_t)depth;
    return true;
}

static bool set_in_flight(void *settings, const char *value, char **ret_error) {
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || number < 1 || number > 1000) {
        *ret_error = util_format(
            "--in-flight: '%s' is not possible; it takes a whole number, from 1 to 1000", value);
        return false;
    }
    ((cli_settings *)settings)->spec.cell.in_flight = (uint32_t)number;
    return true;
}

/* KEY=VALUE; a value that is not JSON is a text. */
static bool set_setting(void *settings, const char *value, char **ret_error) {
    cli_settings *all = settings;
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value) {
        *ret_error = util_format("--set: '%s' is not possible; it takes KEY=VALUE", value);
        return false;
    }
    json_t *object = all->set_json == NULL ? json_object() : json_loads(all->set_json, 0, NULL);
    json_t *parsed = json_loads(equals + 1, JSON_DECODE_ANY, NULL);
    if (parsed == NULL) {
        parsed = json_string(equals + 1);
    }
    char *key = util_strndup(value, (size_t)(equals - value));
    bool ok = parsed != NULL && json_object_set_new(object, key, parsed) == 0;
    free(key);
    if (ok) {
        free(all->set_json);
        all->set_json = json_dumps(object, JSON_COMPACT);
    } else {
        *ret_error = util_format("--set: '%s' is not UTF-8", value);
    }
    json_decref(object);
    return ok;
}

const cli_option cli_options[] = {
    {"from", 0, OPTION_LIST, false, TOPICS, AT(spec.from), 0, 0, NULL, NULL, "PEERS", NULL,
        "who publishes: peers as `rclbench peers` lists them, comma separated, or 'all'", "Peers"},
    {"peers", 0, OPTION_LIST, false, CLI_DEFAULT, AT(spec.from), 0, 0, NULL, NULL, "PEERS", "from",
        "only these, each with itself: as `rclbench peers` lists them, comma separated", "Peers"},
    {"to", 0, OPTION_LIST, false, TOPICS, AT(spec.to), 0, 0, NULL, NULL, "PEERS", NULL,
        "who subscribes; without it the same as --from", NULL},
    {"client", 0, OPTION_LIST, false, CALLS, AT(spec.from), 0, 0, NULL, NULL, "PEERS", NULL,
        "who calls: peers as `rclbench peers` lists them, comma separated, or 'all'", NULL},
    {"server", 0, OPTION_LIST, false, CALLS, AT(spec.to), 0, 0, NULL, NULL, "PEERS", NULL,
        "who serves; without it the same as --client", NULL},
    {"pairs", 0, OPTION_CUSTOM, false, CLI_PATTERNS, 0, 0, 0, pairs_choices, set_pairs, "WHICH",
        NULL, "every pair, or only those with equal sides", NULL},
    {"ros", 0, OPTION_NUMBER, true, CLI_PATTERNS | CLI_DEFAULT | CLI_VERIFY, CELL(generation), 1, 2,
        NULL, NULL, "1|2", NULL, "the generation of ROS (2; without arguments: both)", NULL},
    {"set", 0, OPTION_CUSTOM, false, CLI_PATTERNS | CLI_VERIFY, 0, 0, 0, NULL, set_setting,
        "KEY=VALUE", NULL, "a setting for the peers, see their READMEs; may be given again", NULL},
    {"peer-path", 0, OPTION_LIST, false, MEASURING | CLI_PEERS | CLI_VERIFY, AT(peer_path), 0, 0,
        NULL, NULL, "DIR", NULL, "look for peers in this folder too", NULL},
    {"ros2-prefix", 0, OPTION_TEXT, false, MEASURING | CLI_PEERS | CLI_VERIFY, AT(ros2_prefix), 0,
        0, NULL, NULL, "DIR", NULL,
        "the ROS 2 installation (the sourced one, else the newest of /opt/ros)", NULL},

    {"payload", 's', OPTION_BYTES, true, TOPICS, CELL(payload_bytes), 40, PAYLOAD_MAX, NULL, NULL,
        "SIZE", "size", "bytes of a message's data: 64, 1KiB, 1MB, 1MiB (1KiB)", "Messages"},
    {"payload", 's', OPTION_BYTES, true, CLI_SERVICE, CELL(payload_bytes), 0, PAYLOAD_MAX, NULL,
        NULL, "SIZE", "size", "bytes of a response's map: 64, 1KiB, 1MB, 1MiB (1KiB)", NULL},
    {"payload", 's', OPTION_BYTES, false, CLI_DEFAULT, CELL(payload_bytes), 40, PAYLOAD_MAX, NULL,
        NULL, "SIZE", "size", "bytes of a message (1MiB)", NULL},
    {"payload-kind", 0, OPTION_CHOICE, true, CLI_TOPIC | CLI_SERVICE, CELL(payload_kind), 0, 0,
        kind_choices, NULL, "KIND", NULL, "the library's fast form of bytes, or a plain list",
        NULL},
    {"type", 0, OPTION_TEXT, false, CLI_TOPIC, AT(type), 0, 0, NULL, NULL, "PKG/msg/NAME", "msg",
        "another message type (std_msgs/msg/UInt8MultiArray)", NULL},
    {"echo", 0, OPTION_FLAG, true, CLI_TOPIC, CELL(echo), 0, 0, NULL, NULL, NULL, NULL,
        "ping-pong: the subscriber sends each message back, the round trip is timed", NULL},
    {"verify", 0, OPTION_CHOICE, false, CLI_TOPIC | CLI_SERVICE, CELL(verify), 0, 0, verify_choices,
        NULL, "MODE", NULL, "check the ends of each payload, or every byte", NULL},

    {"count", 'n', OPTION_COUNT, true, CLI_PATTERNS | CLI_DEFAULT, AT(count), 1, COUNT_MAX, NULL,
        NULL, "N", NULL,
        "messages, calls or goals of one round, exactly so many, without the warm-up", "How much"},
    {"duration", 0, OPTION_DURATION, true, CLI_TOPIC | CALLS, CELL(duration_ns), 1000000, HOUR_NS,
        NULL, NULL, "TIME", "max-runtime", "instead of a count", NULL},
    {"rate", 'r', OPTION_RATE, true, CLI_TOPIC | CALLS, CELL(period_ns), 0, 0, NULL, NULL, "HZ",
        NULL, "send on a schedule; without it back to back (actions: 20)", NULL},
    {"period", 0, OPTION_DURATION, true, CLI_TOPIC | CALLS, CELL(period_ns), 0, HOUR_NS, NULL, NULL,
        "TIME", NULL, "the same as a time between two sends; 0: back to back", NULL},
    {"warmup", 0, OPTION_COUNT, false, CLI_TOPIC | CALLS | CLI_DEFAULT, CELL(warmup), 0, COUNT_MAX,
        NULL, NULL, "N", "ignore", "messages before the counted ones, reported apart (10)", NULL},
    {"in-flight", 0, OPTION_CUSTOM, true, CALLS, 0, 0, 0, NULL, set_in_flight, "N", NULL,
        "calls or goals outstanding at once (1)", NULL},
    {"rounds", 0, OPTION_NUMBER, false, MEASURING, AT(rounds), 1, 1000, NULL, NULL, "N", NULL,
        "how often each is measured, in fresh processes (1; plans: 10)", NULL},
    {"growth", 0, OPTION_FLAG, false, CLI_ACTION, CELL(growth), 0, 0, NULL, NULL, NULL, NULL,
        "1000 goals, 5 ms apart: how the round trip grows with the goals that are remembered",
        NULL},

    {"qos-profile", 0, OPTION_CUSTOM, true, WITH_QOS, 0, 0, 0, profile_choices, set_profile, "NAME",
        NULL, "one of ROS's profiles; single settings may follow", "Quality of service"},
    {"qos-reliability", 0, OPTION_CHOICE, true, WITH_QOS, CELL(qos.reliability), 0, 0,
        reliability_choices, NULL, "WORD", "reliability", "", NULL},
    {"qos-durability", 0, OPTION_CHOICE, true, WITH_QOS, CELL(qos.durability), 0, 0,
        durability_choices, NULL, "WORD", "durability", "", NULL},
    {"qos-history", 0, OPTION_CHOICE, true, WITH_QOS, CELL(qos.history), 0, 0, history_choices,
        NULL, "WORD", "history", "", NULL},
    {"qos-depth", 0, OPTION_CUSTOM, true, WITH_QOS, 0, 0, 0, NULL, set_depth, "N", "history-depth",
        "messages kept (10)", NULL},
    {"qos-deadline", 0, OPTION_DURATION, false, WITH_QOS, CELL(qos.deadline_ns), 0, HOUR_NS, NULL,
        NULL, "TIME", NULL, "0: none", NULL},
    {"qos-lifespan", 0, OPTION_DURATION, false, WITH_QOS, CELL(qos.lifespan_ns), 0, HOUR_NS, NULL,
        NULL, "TIME", NULL, "0: none", NULL},
    {"qos-liveliness", 0, OPTION_CHOICE, false, WITH_QOS, CELL(qos.liveliness), 0, 0,
        liveliness_choices, NULL, "WORD", NULL, "", NULL},
    {"qos-liveliness-lease-duration", 0, OPTION_DURATION, false, WITH_QOS,
        CELL(qos.liveliness_lease_ns), 0, HOUR_NS, NULL, NULL, "TIME", NULL, "0: none", NULL},

    {"transport", 0, OPTION_INDEX, true, CLI_PATTERNS | CLI_DEFAULT, CELL(transport), 0, 0,
        transport_choices, NULL, "PROFILE", NULL,
        "the DDS library's defaults, or large datagrams and buffers", "Network"},
    {"domain", 0, OPTION_NUMBER, false, MEASURING | CLI_VERIFY, AT(domain_id), 0, 232, NULL, NULL,
        "ID", NULL, "the DDS domain (a free one)", NULL},
    {"master", 0, OPTION_TEXT, false, MEASURING | CLI_VERIFY, AT(master_uri), 0, 0, NULL, NULL,
        "URI", NULL, "the ROS 1 master (a private one)", NULL},
    {"only", 0, OPTION_CHOICE, false, TOPICS, AT(only), 0, 0, only_topic_choices, NULL, "ROLE",
        NULL, "run this side only, in your own ROS environment; the other is yours", NULL},
    {"only", 0, OPTION_CHOICE, false, CALLS, AT(only), 0, 0, only_call_choices, NULL, "ROLE", NULL,
        "run this side only, in your own ROS environment; the other is yours", NULL},
    {"name", 0, OPTION_TEXT, false, CLI_PATTERNS, AT(name), 0, 0, NULL, NULL, "NAME", "topic",
        "of the topic, service or action, for --only (as the stress programs have it)", NULL},

    {"format", 0, OPTION_CHOICE, false, MEASURING | CLI_REPORT | CLI_COMPARE, AT(format), 0, 0,
        format_choices, NULL, "FORMAT", NULL, "", "Output"},
    {"output", 'o', OPTION_TEXT, false, MEASURING | CLI_REPORT | CLI_COMPARE, AT(output), 0, 0,
        NULL, NULL, "FILE", "logfile",
        "instead of standard output; its suffix can choose the format", NULL},
    {"save-samples", 0, OPTION_TEXT, false, MEASURING, AT(samples_dir), 0, 0, NULL, NULL, "DIR",
        NULL, "keep the raw samples there", NULL},
    {"baseline", 0, OPTION_TEXT, false, CLI_COMPARE, AT(baseline), 0, 0, NULL, NULL, "PEER", NULL,
        "compare relative to this one, measured in the same rounds: a busier machine cancels out",
        NULL},
    {"baseline", 0, OPTION_TEXT, false, MEASURING | CLI_REPORT, AT(baseline), 0, 0, NULL, NULL,
        "PEER", NULL, "what ratios refer to (the C++ library of each ROS; else rclite)", NULL},
    {"detail", 0, OPTION_FLAG, false, MEASURING | CLI_REPORT, AT(detail), 0, 0, NULL, NULL, NULL,
        NULL, "each round and process too", NULL},
    {"seed", 0, OPTION_COUNT, false, MEASURING, AT(seed), 0, 0, NULL, NULL, "N", NULL,
        "of the bootstrap behind the intervals (1)", NULL},

    {"timeout", 0, OPTION_DURATION, false, MEASURING | CLI_VERIFY, AT(timeout_ns), 1000000, HOUR_NS,
        NULL, NULL, "TIME", NULL, "how long a round may take beyond its own length (60s)",
        "Limits"},
    {"budget", 0, OPTION_DURATION, false, MEASURING, AT(budget_ns), 1000000, 24 * HOUR_NS, NULL,
        NULL, "TIME", NULL,
        "lower counts, then leave measurements out, to fit (default plan: 5m; else no limit)",
        NULL},
};
const size_t cli_option_count = sizeof cli_options / sizeof cli_options[0];

option_table cli_option_table(unsigned command) {
    return (option_table){cli_options, cli_option_count, command};
}
