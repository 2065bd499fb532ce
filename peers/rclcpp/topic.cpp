// Publisher, subscriber, and both for the echo, over std_msgs/UInt8MultiArray.
#include <std_msgs/msg/u_int8_multi_array.hpp>

#include "peer.hpp"

namespace {

using Message = std_msgs::msg::UInt8MultiArray;

class Topic : public Role {
public:
    explicit Topic(const Setting &setting) : kit_(setting.kit), node_(setting.node) {
        const peer_job &job = *setting.job;
        const bool sends = job.role == PEER_PUBLISHER;
        const rclcpp::QoS qos = to_rclcpp(job.qos);
        if (sends || job.echo) {
            const char *topic = sends ? job.topic : job.echo_topic;
            publisher_ = node_->create_publisher<Message>(topic, qos);
        }
        if (sends) {
            fill_layout(job.payload_bytes);
            peer_kit_payload(kit_, outgoing_.data.data());
        }
        if (!sends || job.echo) {
            const char *topic = sends ? job.echo_topic : job.topic;
            subscription_ = node_->create_subscription<Message>(
                topic, qos, [kit = kit_](const Message &message) {
                    peer_kit_message(kit, message.data.data(), message.data.size(), &message);
                });
        }
    }

    // The graph tells of changes; the counts tell of matches of our own endpoints.
    void wait_matched(std::chrono::nanoseconds timeout) override {
        const auto deadline = std::chrono::steady_clock::now() + timeout;
        const auto event = node_->get_graph_event();
        while (!matched()) {
            if (std::chrono::steady_clock::now() > deadline) {
                throw std::runtime_error("nobody matched the topic in time");
            }
            event->check_and_clear();
            node_->wait_for_graph_change(event, std::chrono::milliseconds(10));
        }
    }

    void publish() override {
        publisher_->publish(outgoing_);
    }

    void echo(const void *message) override {
        publisher_->publish(*static_cast<const Message *>(message));
    }

    peer_qos effective(const peer_qos &) const override {
        return from_rclcpp(
            publisher_ ? publisher_->get_actual_qos() : subscription_->get_actual_qos());
    }

private:
    bool matched() const {
        return (!publisher_ || publisher_->get_subscription_count() > 0) &&
               (!subscription_ || subscription_->get_publisher_count() > 0);
    }

    void fill_layout(size_t payload_bytes) {
        const uint32_t size = static_cast<uint32_t>(payload_bytes);
        const struct {
            const char *label;
            uint32_t size, stride;
        } dims[] = {{"height", 1, size}, {"width", size, size}, {"channel", 1, 1}};
        for (const auto &dim : dims) {
            auto &added = outgoing_.layout.dim.emplace_back();
            added.label = dim.label;
            added.size = dim.size;
            added.stride = dim.stride;
        }
        outgoing_.data.resize(payload_bytes);
    }

    peer_kit *kit_;
    rclcpp::Node::SharedPtr node_;
    Message outgoing_;
    rclcpp::Publisher<Message>::SharedPtr publisher_;
    rclcpp::Subscription<Message>::SharedPtr subscription_;
};

} // namespace

std::unique_ptr<Role> make_topic(const Setting &setting) {
    return std::make_unique<Topic>(setting);
}
