// The rclcpp peer: an ordinary rclcpp program behind the C kit. One node; an executor, chosen by
// the setting `executor`, spins it on a thread of its own. What is timed is in README.md.
#include "peer.hpp"

#include <cstdio>
#include <cstring>
#include <rclcpp/experimental/executors/events_executor/events_executor.hpp>
#include <rclcpp/version.h>
#include <rmw/rmw.h>

namespace {

struct Peer {
    peer_kit *kit = nullptr;
    const peer_job *job = nullptr;
    rclcpp::Node::SharedPtr node;
    std::unique_ptr<rclcpp::Executor> executor;
    std::unique_ptr<Role> role;
    std::thread spinner;
};

// Runs one step; an exception becomes the kit's error text.
template <typename Step> bool guarded(char *error, Step step) {
    try {
        step();
        return true;
    } catch (const std::exception &failure) {
        snprintf(error, PEER_ERROR_BYTES, "%s", failure.what());
        return false;
    }
}

std::unique_ptr<rclcpp::Executor> make_executor(const std::string &name) {
    if (name == "multi") {
        return std::make_unique<rclcpp::executors::MultiThreadedExecutor>();
    }
    if (name == "events") {
        return std::make_unique<rclcpp::experimental::executors::EventsExecutor>();
    }
    return std::make_unique<rclcpp::executors::SingleThreadedExecutor>();
}

const char *refuses(void *, const peer_job *job) {
    if (job->generation != 2) {
        return "generation";
    }
    if (const char *field = peer_job_not_plain(job)) {
        return field;
    }
    if (strcmp(job->type, peer_pattern_type(job->pattern)) != 0) {
        return "type";
    }
    const std::string executor = peer_job_setting(job, "executor", "single");
    if (executor != "single" && executor != "multi" && executor != "events") {
        return "settings.executor";
    }
    return nullptr;
}

rclcpp::Node::SharedPtr make_node(const std::string &full_name) {
    const size_t slash = full_name.rfind('/');
    if (slash == std::string::npos) {
        return std::make_shared<rclcpp::Node>(full_name);
    }
    return std::make_shared<rclcpp::Node>(full_name.substr(slash + 1), full_name.substr(0, slash));
}

std::unique_ptr<Role> make_role(const Setting &setting) {
    switch (setting.job->pattern) {
    case PEER_SERVICE:
        return make_service(setting);
    case PEER_ACTION:
        return make_action(setting);
    default:
        return make_topic(setting);
    }
}

bool create(void *self, peer_kit *kit, const peer_job *job, char *error) {
    auto *peer = static_cast<Peer *>(self);
    return guarded(error, [&] {
        peer->kit = kit;
        peer->job = job;
        rclcpp::init(
            0, nullptr, rclcpp::InitOptions(), rclcpp::SignalHandlerOptions::None);
        peer->node = make_node(job->node);
        peer->role = make_role({kit, job, peer->node});
        const peer_qos qos = peer->role->effective(job->qos);
        peer_kit_effective(
            kit, &qos, rmw_get_implementation_identifier(), "rclcpp", RCLCPP_VERSION_STR);
        peer->executor = make_executor(peer_job_setting(job, "executor", "single"));
        peer->executor->add_node(peer->node);
        peer->spinner = std::thread([peer] {
            char text[PEER_ERROR_BYTES];
            if (!guarded(text, [peer] { peer->executor->spin(); })) {
                peer_kit_fail(peer->kit, text);
            }
        });
    });
}

bool wait_matched(void *self, int64_t timeout_ns, char *error) {
    return guarded(error, [&] {
        static_cast<Peer *>(self)->role->wait_matched(std::chrono::nanoseconds(timeout_ns));
    });
}

bool publish(void *self, char *error) {
    return guarded(error, [&] { static_cast<Peer *>(self)->role->publish(); });
}

bool echo(void *self, const void *message, char *error) {
    return guarded(error, [&] { static_cast<Peer *>(self)->role->echo(message); });
}

bool call(void *self, uint64_t token, int64_t t1_ns, char *error) {
    return guarded(error, [&] { static_cast<Peer *>(self)->role->call(token, t1_ns); });
}

void forget(void *self, uint64_t token) {
    static_cast<Peer *>(self)->role->forget(token);
}

void destroy(void *self) {
    auto *peer = static_cast<Peer *>(self);
    if (peer->spinner.joinable()) {
        peer->executor->cancel();
        peer->spinner.join();
    }
    peer->role.reset();
    peer->executor.reset();
    peer->node.reset();
    rclcpp::shutdown();
}

} // namespace

rclcpp::QoS to_rclcpp(const peer_qos &asked) {
    rclcpp::QoS qos = asked.history == PEER_KEEP_ALL ? rclcpp::QoS(rclcpp::KeepAll())
                                                     : rclcpp::QoS(rclcpp::KeepLast(asked.depth));
    asked.reliability == PEER_RELIABLE ? qos.reliable() : qos.best_effort();
    asked.durability == PEER_VOLATILE ? qos.durability_volatile() : qos.transient_local();
    qos.liveliness(asked.liveliness == PEER_AUTOMATIC ? rclcpp::LivelinessPolicy::Automatic
                                                      : rclcpp::LivelinessPolicy::ManualByTopic);
    if (asked.deadline_ns) {
        qos.deadline(rclcpp::Duration(std::chrono::nanoseconds(asked.deadline_ns)));
    }
    if (asked.lifespan_ns) {
        qos.lifespan(rclcpp::Duration(std::chrono::nanoseconds(asked.lifespan_ns)));
    }
    if (asked.liveliness_lease_ns) {
        qos.liveliness_lease_duration(
            rclcpp::Duration(std::chrono::nanoseconds(asked.liveliness_lease_ns)));
    }
    return qos;
}

// rmw says "infinite" or nothing where the job says 0.
static int64_t finite_ns(const rclcpp::Duration &duration) {
    const int64_t ns = duration.nanoseconds();
    return ns >= INT64_C(9000000000000000000) ? 0 : ns;
}

peer_qos from_rclcpp(const rclcpp::QoS &qos) {
    peer_qos effective{};
    effective.reliability =
        qos.reliability() == rclcpp::ReliabilityPolicy::Reliable ? PEER_RELIABLE : PEER_BEST_EFFORT;
    effective.durability = qos.durability() == rclcpp::DurabilityPolicy::Volatile
                               ? PEER_VOLATILE
                               : PEER_TRANSIENT_LOCAL;
    effective.history =
        qos.history() == rclcpp::HistoryPolicy::KeepAll ? PEER_KEEP_ALL : PEER_KEEP_LAST;
    effective.liveliness = qos.liveliness() == rclcpp::LivelinessPolicy::ManualByTopic
                               ? PEER_MANUAL_BY_TOPIC
                               : PEER_AUTOMATIC;
    effective.depth = static_cast<uint32_t>(qos.depth());
    effective.deadline_ns = finite_ns(qos.deadline());
    effective.lifespan_ns = finite_ns(qos.lifespan());
    effective.liveliness_lease_ns = finite_ns(qos.liveliness_lease_duration());
    return effective;
}

int64_t stamp_to_ns(const builtin_interfaces::msg::Time &stamp) {
    return int64_t{stamp.sec} * 1000000000 + stamp.nanosec;
}

builtin_interfaces::msg::Time stamp_from_ns(int64_t ns) {
    builtin_interfaces::msg::Time stamp;
    stamp.sec = static_cast<int32_t>(ns / 1000000000);
    stamp.nanosec = static_cast<uint32_t>(ns % 1000000000);
    return stamp;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("rclcpp %s, %s\n", RCLCPP_VERSION_STR, rmw_get_implementation_identifier());
        return PEER_EXIT_GOOD;
    }
    static const char *const settings[] = {"executor", nullptr};
    peer_ops ops{};
    ops.settings = settings;
    ops.refuses = refuses;
    ops.create = create;
    ops.wait_matched = wait_matched;
    ops.publish = publish;
    ops.echo = echo;
    ops.call = call;
    ops.forget = forget;
    ops.destroy = destroy;
    Peer peer;
    return peer_main(argc, argv, &ops, &peer);
}
