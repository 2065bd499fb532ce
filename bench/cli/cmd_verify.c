/* rclbench verify PEER: does a peer keep the protocol? Before anything is measured with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"
#include "cli/command.h"
#include "util/memory.h"
#include "verify/verify.h"

#define REFERENCE "rclite"

static void print_check(void *user, const verify_check *check) {
    (void)user;
    printf("%-4s  %s\n", check->problem == NULL ? "ok" : "FAIL", check->subject);
    if (check->problem != NULL) {
        printf("      %s\n", check->problem);
    }
    fflush(stdout);
}

/* Another peer that it has to get on with; settings given by hand are for the peer alone. */
static const char *find_reference(
    const run_registry *registry, const run_peer *peer, const cli_settings *settings) {
    const run_peer *other = run_registry_find(registry, REFERENCE, NULL);
    bool meets = other != NULL && other != peer && strcmp(other->family, peer->family) == 0;
    return meets && settings->set_json == NULL ? REFERENCE : NULL;
}

static int print_summary(const char *name, const verify_report *report) {
    if (report->failed == 0) {
        printf("%s keeps the peer protocol: %zu checks passed.\n", name, report->count);
        return CLI_GOOD;
    }
    printf("%s breaks the peer protocol: %zu of %zu checks failed.\n", name, report->failed,
        report->count);
    return CLI_FAILED;
}

static int verify(
    const cli_command *command, cli_bench *bench, const cli_settings *settings, const char *name) {
    char *error = NULL;
    const run_variant *variant = NULL;
    const run_peer *peer = run_registry_find(&bench->registry, name, &variant);
    if (peer == NULL) {
        return cli_usage_trouble(command,
            util_format("there is no peer '%s'; `rclbench peers` lists those there are", name));
    }
    strvec wanted = {0};
    const char *reference = find_reference(&bench->registry, peer, settings);
    strvec_push(&wanted, name);
    if (reference != NULL) {
        strvec_push(&wanted, reference);
    }
    cli_bench_probe(bench, &wanted);
    strvec_done(&wanted);
    if (!peer->available) {
        error = util_format("%s cannot run here: %s; to install: %s", name, peer->probe_line,
            peer->install == NULL ? "(not said)" : peer->install);
        int trouble = cli_trouble(command, error);
        free(error);
        return trouble;
    }
    run_setting setting = cli_bench_setting(bench);
    verify_spec spec = {
        .setting = &setting,
        .peer = peer,
        .variant = variant,
        .reference = reference,
        .settings_json = settings->set_json == NULL ? "{}" : settings->set_json,
        .generation = settings->spec.cell.generation,
        .timeout_ns = settings->timeout_ns,
        .master_uri = settings->master_uri,
        .on_check = print_check,
    };
    verify_report report;
    int status;
    if (verify_peer(&spec, &report, &error)) {
        status = print_summary(name, &report);
    } else {
        status = cli_trouble(command, error);
        free(error);
    }
    verify_report_done(&report);
    return status;
}

int cmd_verify(const cli_command *command, const option_line *line) {
    cli_settings settings;
    char *error = NULL;
    cli_settings_init(&settings, PLAN_TOPIC);
    settings.spec.cell.generation = 0; /* all that the peer speaks */
    if (!cli_settings_set(&settings, line, &error)) {
        cli_settings_done(&settings);
        return cli_usage_trouble(command, error);
    }
    cli_bench bench;
    int status;
    if (cli_bench_open(&bench, &settings, true, &error)) {
        status = verify(command, &bench, &settings, line->operands.items[0]);
    } else {
        status = cli_trouble(command, error);
        free(error);
    }
    cli_bench_close(&bench);
    cli_settings_done(&settings);
    return status;
}
