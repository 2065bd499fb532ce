// Server and client of nav_msgs/GetMap.
#include <nav_msgs/srv/get_map.hpp>

#include "peer.hpp"

namespace {

using GetMap = nav_msgs::srv::GetMap;

// Holds the map, as a map server does, and copies it into each response.
class Server : public Role {
public:
    explicit Server(const Setting &setting) {
        map_.header.frame_id = PEER_MAP_FRAME;
        map_.info.resolution = PEER_MAP_RESOLUTION;
        map_.info.width = PEER_MAP_WIDTH;
        map_.info.height = PEER_MAP_HEIGHT;
        map_.data.resize(setting.job->payload_bytes);
        peer_map_fill(map_.data.data(), map_.data.size());
        auto answer = [this, kit = setting.kit](
                          const GetMap::Request::SharedPtr, GetMap::Response::SharedPtr response) {
            const int64_t t2 = peer_now_ns();
            response->map = map_;
            response->map.info.map_load_time = stamp_from_ns(t2);
            const int64_t t3 = peer_now_ns();
            response->map.header.stamp = stamp_from_ns(t3);
            peer_kit_served(kit, 0, t2, t3);
        };
        service_ = setting.node->create_service<GetMap>(
            setting.job->service, answer, to_rclcpp(setting.job->qos));
    }

    void wait_matched(std::chrono::nanoseconds) override {}

private:
    nav_msgs::msg::OccupancyGrid map_;
    rclcpp::Service<GetMap>::SharedPtr service_;
};

class Client : public Role {
public:
    explicit Client(const Setting &setting) : kit_(setting.kit), job_(setting.job) {
        client_ =
            setting.node->create_client<GetMap>(setting.job->service, to_rclcpp(setting.job->qos));
    }

    void wait_matched(std::chrono::nanoseconds timeout) override {
        if (!client_->wait_for_service(timeout)) {
            throw std::runtime_error("the service did not appear in time");
        }
    }

    void call(uint64_t token, int64_t) override {
        client_->async_send_request(std::make_shared<GetMap::Request>(),
            [this, token](rclcpp::Client<GetMap>::SharedFuture future) {
                const int64_t t4 = peer_now_ns();
                const auto &map = future.get()->map;
                const bool intact = peer_map_check(
                    map.data.data(), map.data.size(), job_->payload_bytes, job_->verify);
                peer_kit_answered(kit_, token, stamp_to_ns(map.info.map_load_time),
                    stamp_to_ns(map.header.stamp), t4, !intact);
            });
    }

private:
    peer_kit *kit_;
    const peer_job *job_;
    rclcpp::Client<GetMap>::SharedPtr client_;
};

} // namespace

std::unique_ptr<Role> make_service(const Setting &setting) {
    if (setting.job->role == PEER_SERVER) {
        return std::make_unique<Server>(setting);
    }
    return std::make_unique<Client>(setting);
}
