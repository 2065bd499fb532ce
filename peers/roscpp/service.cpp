// Service server and client over nav_msgs/GetMap. roscpp's call blocks: the thread that the kit
// calls on waits for the answer. Back to back, the kit asks for the next call from inside the
// report of the answer; it is then made after that report has returned, so that the stack does not
// grow.
#include <nav_msgs/GetMap.h>

#include <string>

#include "peer.hpp"

namespace {

using GetMap = nav_msgs::GetMap;

class Server : public Endpoints {
  public:
    Server(ros::NodeHandle &node, peer_kit *kit, const peer_job &job) : kit_(kit) {
        nav_msgs::OccupancyGrid &map = answer_.map;
        map.header.frame_id = PEER_MAP_FRAME;
        map.info.resolution = PEER_MAP_RESOLUTION;
        map.info.width = PEER_MAP_WIDTH;
        map.info.height = PEER_MAP_HEIGHT;
        map.data.resize(job.payload_bytes);
        peer_map_fill(map.data.data(), map.data.size());
        server_ = node.advertiseService(job.service, &Server::on_request, this);
    }

    bool is_matched() override {
        return true;
    }

  private:
    bool on_request(GetMap::Request &, GetMap::Response &response) {
        int64_t t2 = peer_now_ns();
        response = answer_;
        response.map.info.map_load_time = to_ros(t2);
        int64_t t3 = peer_now_ns();
        response.map.header.stamp = to_ros(t3);
        peer_kit_served(kit_, 0, t2, t3);
        return true;
    }

    peer_kit *kit_;
    GetMap::Response answer_;
    ros::ServiceServer server_;
};

class Client : public Endpoints {
  public:
    Client(ros::NodeHandle &node, peer_kit *kit, const peer_job &job)
        : node_(node), kit_(kit), job_(job),
          persistent_(
              std::string(peer_job_setting(&job, "connection", "persistent")) == "persistent") {
        if (!persistent_) {
            client_ = node_.serviceClient<GetMap>(job_.service, false);
        }
    }

    bool is_matched() override {
        if (persistent_ && !client_.isValid()) { // a persistent client connects when it is made
            client_ = node_.serviceClient<GetMap>(job_.service, true);
        }
        return persistent_ ? client_.isValid() : client_.exists();
    }

    void call(uint64_t token, int64_t) override {
        if (calling_) {
            next_token_ = token;
            has_next_ = true;
            return;
        }
        calling_ = true;
        do {
            has_next_ = false;
            call_once(token);
            token = next_token_;
        } while (has_next_);
        calling_ = false;
    }

  private:
    void call_once(uint64_t token) {
        GetMap service;
        bool good = client_.call(service);
        int64_t t4 = peer_now_ns();
        if (!good) {
            peer_kit_unanswered(kit_, token);
            return;
        }
        const nav_msgs::OccupancyGrid &map = service.response.map;
        bool intact =
            peer_map_check(map.data.data(), map.data.size(), job_.payload_bytes, job_.verify);
        peer_kit_answered(kit_, token, static_cast<int64_t>(map.info.map_load_time.toNSec()),
            static_cast<int64_t>(map.header.stamp.toNSec()), t4, !intact);
    }

    ros::NodeHandle &node_;
    peer_kit *kit_;
    const peer_job &job_;
    bool persistent_;
    ros::ServiceClient client_;
    bool calling_ = false, has_next_ = false;
    uint64_t next_token_ = 0;
};

} // namespace

std::unique_ptr<Endpoints> make_service(ros::NodeHandle &node, peer_kit *kit, const peer_job &job) {
    if (job.role == PEER_SERVER) {
        return std::make_unique<Server>(node, kit, job);
    }
    return std::make_unique<Client>(node, kit, job);
}
