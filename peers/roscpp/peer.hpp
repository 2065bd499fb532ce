// What the files of the roscpp peer share: one class per pattern behind the kit's table of
// functions.
#ifndef PEER_ROSCPP_PEER_HPP
#define PEER_ROSCPP_PEER_HPP

#include <ros/ros.h>

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "peer_kit.h"

// The endpoints of one pattern. Failures are exceptions; their text goes to the kit.
class Endpoints {
  public:
    virtual ~Endpoints() = default;
    virtual bool is_matched() = 0;
    virtual void publish() {
        throw std::logic_error("this pattern does not publish");
    }
    virtual void echo(const void *) {
        throw std::logic_error("this pattern does not echo");
    }
    virtual void call(uint64_t, int64_t) {
        throw std::logic_error("this pattern does not call");
    }
    virtual void forget(uint64_t) {
    }
};

std::unique_ptr<Endpoints> make_topic(ros::NodeHandle &node, peer_kit *kit, const peer_job &job);
std::unique_ptr<Endpoints> make_service(ros::NodeHandle &node, peer_kit *kit, const peer_job &job);
std::unique_ptr<Endpoints> make_action(ros::NodeHandle &node, peer_kit *kit, const peer_job &job);

inline ros::Time to_ros(int64_t ns) {
    return ros::Time(
        static_cast<uint32_t>(ns / 1000000000), static_cast<uint32_t>(ns % 1000000000));
}

#endif
