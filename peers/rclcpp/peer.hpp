// What the files of the rclcpp peer share: the process's ROS objects, and one interface per
// pattern.
#ifndef PEER_RCLCPP_PEER_HPP
#define PEER_RCLCPP_PEER_HPP

#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <thread>

#include "peer_kit.h"

// One role of one pattern. Failures are exceptions; peer.cpp turns them into the kit's errors.
class Role {
public:
    virtual ~Role() = default;
    virtual void wait_matched(std::chrono::nanoseconds timeout) = 0;
    virtual void publish() {}
    virtual void echo(const void *) {}
    virtual void call(uint64_t, int64_t) {}
    virtual void forget(uint64_t) {}
    // The settings in force; services and actions keep what was asked for.
    virtual peer_qos effective(const peer_qos &asked) const {
        return asked;
    }
};

struct Setting {
    peer_kit *kit;
    const peer_job *job;
    rclcpp::Node::SharedPtr node;
};

std::unique_ptr<Role> make_topic(const Setting &setting);
std::unique_ptr<Role> make_service(const Setting &setting);
std::unique_ptr<Role> make_action(const Setting &setting);

rclcpp::QoS to_rclcpp(const peer_qos &qos);
peer_qos from_rclcpp(const rclcpp::QoS &qos);
int64_t stamp_to_ns(const builtin_interfaces::msg::Time &stamp);
builtin_interfaces::msg::Time stamp_from_ns(int64_t ns);

#endif
