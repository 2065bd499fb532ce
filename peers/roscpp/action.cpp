// Action server and client over actionlib_benchmark/Roundtrip.
#include <actionlib/client/action_client.h>
#include <actionlib/server/simple_action_server.h>
#include <actionlib_benchmark/RoundtripAction.h>

#include <map>
#include <mutex>

#include "peer.hpp"

namespace {

using Action = actionlib_benchmark::RoundtripAction;

class Server : public Endpoints {
  public:
    Server(ros::NodeHandle &node, peer_kit *kit, const peer_job &job)
        : kit_(kit),
          server_(
              node, job.action,
              [this](const actionlib_benchmark::RoundtripGoalConstPtr &goal) { execute(*goal); },
              false) {
        server_.start();
    }

    bool is_matched() override {
        return true;
    }

  private:
    void execute(const actionlib_benchmark::RoundtripGoal &goal) {
        int64_t t2 = peer_now_ns();
        actionlib_benchmark::RoundtripResult result;
        result.received = to_ros(t2);
        // Before the result: the client may be through with its run as soon as it has that.
        peer_kit_served(kit_, static_cast<int64_t>(goal.start.toNSec()), t2, 0);
        server_.setSucceeded(result);
    }

    peer_kit *kit_;
    actionlib::SimpleActionServer<Action> server_;
};

class Client : public Endpoints {
  public:
    Client(ros::NodeHandle &node, peer_kit *kit, const peer_job &job)
        : kit_(kit), client_(node, job.action) {
    }

    bool is_matched() override {
        return client_.isServerConnected();
    }

    void call(uint64_t token, int64_t t1_ns) override {
        actionlib_benchmark::RoundtripGoal goal;
        goal.start = to_ros(t1_ns);
        Handle handle = client_.sendGoal(
            goal, [this, token](Handle changed) { on_transition(token, changed); });
        std::lock_guard<std::mutex> guard(lock_);
        handles_[token] = handle;
        for (uint64_t over : over_) { // handles live until their callback has returned
            handles_.erase(over);
        }
        over_.clear();
    }

    void forget(uint64_t token) override {
        std::lock_guard<std::mutex> guard(lock_);
        handles_.erase(token);
    }

  private:
    using Handle = actionlib::ActionClient<Action>::GoalHandle;

    void on_transition(uint64_t token, Handle &handle) {
        if (!(handle.getCommState() == actionlib::CommState::DONE)) {
            return;
        }
        int64_t t4 = peer_now_ns();
        {
            std::lock_guard<std::mutex> guard(lock_);
            over_.push_back(token);
        }
        auto result = handle.getResult();
        if (result && handle.getTerminalState() == actionlib::TerminalState::SUCCEEDED) {
            peer_kit_answered(
                kit_, token, static_cast<int64_t>(result->received.toNSec()), 0, t4, false);
        } else {
            peer_kit_unanswered(kit_, token);
        }
    }

    peer_kit *kit_;
    std::mutex lock_;
    std::map<uint64_t, Handle> handles_;
    std::vector<uint64_t> over_;
    actionlib::ActionClient<Action> client_;
};

} // namespace

std::unique_ptr<Endpoints> make_action(ros::NodeHandle &node, peer_kit *kit, const peer_job &job) {
    if (job.role == PEER_SERVER) {
        return std::make_unique<Server>(node, kit, job);
    }
    return std::make_unique<Client>(node, kit, job);
}
