// Publisher, subscriber and echo over std_msgs/UInt8MultiArray.
#include <std_msgs/UInt8MultiArray.h>

#include "peer.hpp"

namespace {

using Message = std_msgs::UInt8MultiArray;

std_msgs::MultiArrayDimension dimension(const char *label, uint32_t size, uint32_t stride) {
    std_msgs::MultiArrayDimension result;
    result.label = label;
    result.size = size;
    result.stride = stride;
    return result;
}

class Topic : public Endpoints {
  public:
    Topic(ros::NodeHandle &node, peer_kit *kit, const peer_job &job) : kit_(kit) {
        bool publishes = job.role == PEER_PUBLISHER;
        uint32_t queue = job.qos.history == PEER_KEEP_ALL ? 0 : job.qos.depth;
        bool latch = job.qos.durability == PEER_TRANSIENT_LOCAL;
        if (publishes) {
            prepare(job);
        }
        if (publishes || job.echo) {
            publisher_ =
                node.advertise<Message>(publishes ? job.topic : job.echo_topic, queue, latch);
        }
        if (!publishes || job.echo) {
            subscriber_ = node.subscribe<Message>(publishes ? job.echo_topic : job.topic, queue,
                &Topic::on_message, this, ros::TransportHints().tcpNoDelay());
        }
    }

    bool is_matched() override {
        return (!publisher_ || publisher_.getNumSubscribers() > 0) &&
               (!subscriber_ || subscriber_.getNumPublishers() > 0);
    }

    void publish() override {
        publisher_.publish(outgoing_);
    }

    void echo(const void *message) override {
        publisher_.publish(*static_cast<const Message::ConstPtr *>(message));
    }

  private:
    void prepare(const peer_job &job) {
        uint32_t bytes = static_cast<uint32_t>(job.payload_bytes);
        outgoing_.layout.dim = {dimension("height", 1, bytes), dimension("width", bytes, bytes),
            dimension("channel", 1, 1)};
        outgoing_.data.resize(bytes);
        peer_kit_payload(kit_, outgoing_.data.data());
    }

    void on_message(const Message::ConstPtr &message) {
        peer_kit_message(kit_, message->data.data(), message->data.size(), &message);
    }

    peer_kit *kit_;
    Message outgoing_;
    ros::Publisher publisher_;
    ros::Subscriber subscriber_;
};

} // namespace

std::unique_ptr<Endpoints> make_topic(ros::NodeHandle &node, peer_kit *kit, const peer_job &job) {
    return std::make_unique<Topic>(node, kit, job);
}
