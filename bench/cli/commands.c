/* Each command: its words, its bit in the table of options, its function. */
#include "cli/commands.h"

#include "cli/settings.h"

/* bench/cli/plan_file.h has the same. */
static const char plan_format[] =
    "A plan is YAML, and its keys are the long options of the commands:\n"
    "\n"
    "    rounds: 10\n"
    "    defaults: {payload: 1KiB}      # for each experiment that has the option\n"
    "    experiments:\n"
    "      - pattern: topic             # topic, service, action or startup\n"
    "        from: [rclite, rclcpp]     # or all\n"
    "        pairs: same\n"
    "        payload: [64, 1KiB, 1MiB]  # a list: one measurement each\n";

const cli_command cli_commands[] = {
    {"topic", "", "Measures a topic: messages from a publisher to a subscriber.", CLI_TOPIC, 0, 0,
        cmd_run_pattern, NULL},
    {"service", "", "Measures a service: calls from a client to a server.", CLI_SERVICE, 0, 0,
        cmd_run_pattern, NULL},
    {"action", "", "Measures an action: goals from a client to a server.", CLI_ACTION, 0, 0,
        cmd_run_pattern, NULL},
    {"startup", "", "Measures how long a node takes from its start to its first message.",
        CLI_STARTUP, 0, 0, cmd_run_pattern, NULL},
    {"run", "PLAN.yaml", "Measures a matrix that is written down.", CLI_RUN, 1, 1, cmd_run,
        plan_format},
    {"peers", "", "Lists the client libraries that can be measured, and what to install.",
        CLI_PEERS, 0, 0, cmd_peers, NULL},
    {"verify", "PEER", "Checks that a peer keeps the peer protocol, before it is measured.",
        CLI_VERIFY, 1, 1, cmd_verify, NULL},
    {"report", "RESULT.json", "Shows a saved result again, in any format.", CLI_REPORT, 1, 1,
        cmd_report, NULL},
    {"compare", "OLD.json NEW.json",
        "Judges whether a new result is better or worse (exit status 1: worse).", CLI_COMPARE, 2, 2,
        cmd_compare, NULL},
    {"doctor", "", "Tells what on this machine would spoil the numbers (exit status 1).",
        CLI_DOCTOR, 0, 0, cmd_doctor, NULL},
};
const size_t cli_command_count = sizeof cli_commands / sizeof cli_commands[0];

const cli_command cli_default_command = {"", "[COMMAND]",
    "Measures topics and services of every client library found here.", CLI_DEFAULT, 0, 0,
    cmd_default, NULL};
