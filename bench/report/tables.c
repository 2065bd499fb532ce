/* The tables of the result file's objects. A key is the member's name unless
 * the file has an older promise to keep; adding one here changes
 * docs/result-schema.json too. */
#include "report/tables.h"

#include "plan/plan.h"
#include "run/environment.h"
#include "run/run_record.h"
#include "stats/summary.h"

#define TABLE(name)                                                                                \
    const field_table table_##name = {                                                             \
        name##_fields, sizeof(name##_fields) / sizeof(name##_fields[0])}

#define E(member, kind) FIELD(run_environment, member, kind)
static const field environment_fields[] = {
    E(tool_version, FIELD_TEXT),
    E(revision, FIELD_TEXT),
    E(build_type, FIELD_TEXT),
    E(compiler, FIELD_TEXT),
    E(optimised, FIELD_BOOL),
    E(command_line, FIELD_TEXT),
    E(started_ns, FIELD_I64),
    E(hostname, FIELD_TEXT),
    E(kernel, FIELD_TEXT),
    E(distribution, FIELD_TEXT),
    E(cpu_model, FIELD_TEXT),
    E(cpu_count, FIELD_INT),
    E(governor, FIELD_TEXT),
    E(turbo, FIELD_TEXT),
    E(idle_states, FIELD_TEXT),
    E(virtual_machine, FIELD_BOOL),
    E(load_1min, FIELD_REAL_OR_NULL),
    E(memory_bytes, FIELD_I64_OR_NULL),
    E(rmem_max, FIELD_I64_OR_NULL),
    E(wmem_max, FIELD_I64_OR_NULL),
    E(rmem_default, FIELD_I64_OR_NULL),
    E(wmem_default, FIELD_I64_OR_NULL),
    E(ipfrag_high_thresh, FIELD_I64_OR_NULL),
    E(dds_library, FIELD_TEXT),
    E(dds_version, FIELD_TEXT),
    E(dds_configuration, FIELD_TEXT),
    E(fastdds_profiles, FIELD_TEXT),
    E(rmw, FIELD_TEXT),
    E(ros2_distribution, FIELD_TEXT),
    E(ros2_prefix, FIELD_TEXT),
    E(ros1_master, FIELD_TEXT),
    E(domain_id, FIELD_INT),
    E(isolated, FIELD_BOOL),
    E(clock_read_ns, FIELD_I64_OR_NULL),
};
TABLE(environment);

#define Q(member, kind) FIELD(plan_qos, member, kind)
static const field qos_fields[] = {
    Q(reliability, FIELD_TEXT),
    Q(durability, FIELD_TEXT),
    Q(history, FIELD_TEXT),
    Q(depth, FIELD_U32),
    Q(deadline_ns, FIELD_I64),
    Q(lifespan_ns, FIELD_I64),
    Q(liveliness, FIELD_TEXT),
    Q(liveliness_lease_ns, FIELD_I64),
};
TABLE(qos);

#define C(member, kind) FIELD(plan_cell, member, kind)
static const field cell_fields[] = {
    C(generation, FIELD_INT),
    C(echo, FIELD_BOOL),
    C(type, FIELD_TEXT),
    C(payload_bytes, FIELD_COUNT),
    C(payload_kind, FIELD_TEXT),
    C(count, FIELD_COUNT),
    C(duration_ns, FIELD_I64),
    C(period_ns, FIELD_I64),
    C(warmup, FIELD_COUNT),
    C(in_flight, FIELD_U32),
    C(verify, FIELD_TEXT),
    C(growth, FIELD_BOOL),
};
TABLE(cell);

#define R(member, kind) FIELD(run_round, member, kind)
static const field round_fields[] = {
    R(index, FIELD_U32),
    R(ok, FIELD_BOOL),
    R(failure, FIELD_TEXT),
    R(clock_step_ns, FIELD_I64),
    R(udp_receive_errors, FIELD_I64_OR_NULL),
    R(load_1min, FIELD_REAL_OR_NULL),
};
TABLE(round);

#define P(member, kind) FIELD(run_process, member, kind)
static const field process_fields[] = {
    P(role, FIELD_TEXT),
    P(variant, FIELD_TEXT),
    P(command, FIELD_TEXT),
    P(exit_status, FIELD_INT),
    P(signal, FIELD_INT),
    P(spawned_ns, FIELD_I64),
    P(created_ns, FIELD_I64),
    P(matched_ns, FIELD_I64),
    P(ready_ns, FIELD_I64),
    P(go_ns, FIELD_I64),
    P(measured_ns, FIELD_I64),
    P(done_rows, FIELD_COUNT),
    P(said, FIELD_TEXT),
};
TABLE(process);

#define U(member, kind) FIELD(run_resources, member, kind)
static const field resources_fields[] = {
    U(cpu_user_ns, FIELD_I64),
    U(cpu_system_ns, FIELD_I64),
    U(max_rss_bytes, FIELD_I64),
    U(voluntary_switches, FIELD_I64),
    U(involuntary_switches, FIELD_I64),
    U(minor_faults, FIELD_I64),
    U(major_faults, FIELD_I64),
};
TABLE(resources);

#define S(member, kind) FIELD(stats_summary, member, kind)
static const field sent_fields[] = {
    S(sent, FIELD_COUNT),
    S(warmup_sent, FIELD_COUNT),
};
TABLE(sent);

static const field received_fields[] = {
    S(received, FIELD_COUNT),
    S(duplicated, FIELD_COUNT),
    S(reordered, FIELD_COUNT),
    S(corrupt, FIELD_COUNT),
    S(warmup_received, FIELD_COUNT),
};
TABLE(received);

static const field counts_fields[] = {
    S(missing_rows, FIELD_COUNT),
    S(last_was_lost, FIELD_BOOL),
    S(clock_error_ns, FIELD_I64),
};
TABLE(counts);

#define G(member, kind) FIELD(stats_growth, member, kind)
static const field growth_fields[] = {
    G(first_ns, FIELD_REAL),
    G(last_ns, FIELD_REAL),
    FIELD_AS("slope_ns_per_goal", stats_growth, slope_ns, FIELD_REAL),
};
TABLE(growth);

static const field figures_fields[] = {
    S(discovery_ns, FIELD_I64_OR_NULL),
    S(publish_total_ns, FIELD_I64_OR_NULL),
    S(delivered_total_ns, FIELD_I64_OR_NULL),
    S(throughput_msgs_per_s, FIELD_REAL_OR_NULL),
    S(throughput_bytes_per_s, FIELD_REAL_OR_NULL),
};
TABLE(figures);
