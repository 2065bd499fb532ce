// The roscpp peer: roscpp's calls behind the kit's table of functions.
#include "peer.hpp"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

namespace {

struct Peer {
    peer_kit *kit = nullptr;
    const peer_job *job = nullptr;
    std::unique_ptr<ros::NodeHandle> node;
    std::unique_ptr<ros::AsyncSpinner> spinner;
    std::unique_ptr<Endpoints> endpoints;
};

Peer &peer_of(void *self) {
    return *static_cast<Peer *>(self);
}

// Runs a step; an exception becomes the kit's error text.
template <typename Step> bool attempt(char *error, Step step) {
    try {
        step();
        return true;
    } catch (const std::exception &failure) {
        std::snprintf(error, PEER_ERROR_BYTES, "%s", failure.what());
        return false;
    }
}

const char *refuses(void *, const peer_job *job) {
    static const char *const types[] = {"std_msgs/msg/UInt8MultiArray", "nav_msgs/srv/GetMap",
        "actionlib_benchmark/action/Roundtrip", "std_msgs/msg/UInt8MultiArray"};
    const char *not_plain = peer_job_not_plain(job);
    if (not_plain) {
        return not_plain;
    }
    if (job->generation != 1) {
        return "generation";
    }
    if (std::strcmp(job->type, types[job->pattern]) != 0) {
        return "type";
    }
    if (job->pattern == PEER_SERVICE && job->in_flight != 1) {
        return "in_flight";
    }
    std::string connection = peer_job_setting(job, "connection", "persistent");
    return connection == "persistent" || connection == "per_call" ? nullptr : "settings.connection";
}

void start_node(const peer_job &job) {
    std::string full = job.node;
    std::size_t slash = full.rfind('/');
    ros::M_string remappings;
    if (slash != std::string::npos && slash > 0) {
        remappings["__ns"] = full.substr(0, slash);
    }
    ros::init(remappings, full.substr(slash == std::string::npos ? 0 : slash + 1),
        ros::init_options::NoSigintHandler);
    if (!ros::master::check()) { // roscpp would try for ever
        throw std::runtime_error("no ROS 1 master at " + ros::master::getURI());
    }
}

std::unique_ptr<Endpoints> make_endpoints(Peer &peer) {
    switch (peer.job->pattern) {
    case PEER_SERVICE:
        return make_service(*peer.node, peer.kit, *peer.job);
    case PEER_ACTION:
        return make_action(*peer.node, peer.kit, *peer.job);
    default:
        return make_topic(*peer.node, peer.kit, *peer.job);
    }
}

bool create(void *self, peer_kit *kit, const peer_job *job, char *error) {
    Peer &peer = peer_of(self);
    peer.kit = kit;
    peer.job = job;
    return attempt(error, [&] {
        start_node(*job);
        peer.node = std::make_unique<ros::NodeHandle>();
        peer.spinner = std::make_unique<ros::AsyncSpinner>(1);
        peer.spinner->start();
        peer.endpoints = make_endpoints(peer);
        peer_kit_effective(kit, &job->qos, "{\"transport\": \"TCPROS\", \"spinner\": \"async, 1\"}",
            "roscpp", ROSCPP_VERSION_TEXT);
    });
}

bool wait_matched(void *self, int64_t timeout_ns, char *error) {
    Peer &peer = peer_of(self);
    return attempt(error, [&] {
        auto deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(timeout_ns);
        while (!peer.endpoints->is_matched()) {
            if (std::chrono::steady_clock::now() >= deadline) {
                throw std::runtime_error("no match in time");
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1)); // roscpp has no event for it
        }
    });
}

bool publish(void *self, char *error) {
    return attempt(error, [&] { peer_of(self).endpoints->publish(); });
}

bool echo(void *self, const void *message, char *error) {
    return attempt(error, [&] { peer_of(self).endpoints->echo(message); });
}

bool call(void *self, uint64_t token, int64_t t1_ns, char *error) {
    return attempt(error, [&] { peer_of(self).endpoints->call(token, t1_ns); });
}

void forget(void *self, uint64_t token) {
    peer_of(self).endpoints->forget(token);
}

void destroy(void *self) {
    Peer &peer = peer_of(self);
    if (peer.spinner) {
        peer.spinner->stop();
    }
    peer.endpoints.reset();
    peer.spinner.reset();
    peer.node.reset();
    if (ros::isStarted()) {
        ros::shutdown();
    }
}

} // namespace

int main(int argc, char **argv) {
    static const char *const settings[] = {"connection", nullptr};
    peer_ops ops = {};
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
