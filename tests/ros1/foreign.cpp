// A roscpp node for interop.py: `foreign serve` offers what `node serve` offers, `foreign use` does
// with node.c what `node use` does with others, and prints one line for each outcome.
#include <actionlib/client/action_client.h>
#include <actionlib/server/simple_action_server.h>
#include <actionlib_benchmark/RoundtripAction.h>
#include <nav_msgs/GetMap.h>
#include <ros/ros.h>
#include <std_msgs/String.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>

namespace {

using Action = actionlib_benchmark::RoundtripAction;

enum { SUCCEED = 1, ABORT = 2, HOLD = 3, REJECT = 4 }; // a goal's start.sec
const double WAIT_S = 15;

void wait_for(const char *what, const std::function<bool()> &done) {
    ros::WallTime deadline = ros::WallTime::now() + ros::WallDuration(WAIT_S);
    while (!done()) {
        if (ros::WallTime::now() > deadline || !ros::ok()) {
            std::printf("waited in vain for %s\n", what);
            std::exit(1);
        }
        ros::WallDuration(0.001).sleep();
    }
}

// ---- serve ----

bool serve_map(nav_msgs::GetMap::Request &, nav_msgs::GetMap::Response &response) {
    response.map.info.width = 640;
    response.map.data = {1, 2, 3};
    return true;
}

bool serve_failure(nav_msgs::GetMap::Request &, nav_msgs::GetMap::Response &) {
    return false;
}

class Trip {
  public:
    explicit Trip(ros::NodeHandle &node)
        : server_(
              node, "/trip",
              [this](const actionlib_benchmark::RoundtripGoalConstPtr &goal) { execute(*goal); },
              false) {
        server_.start();
    }

  private:
    void execute(const actionlib_benchmark::RoundtripGoal &goal) {
        actionlib_benchmark::RoundtripResult result;
        result.received = goal.start;
        server_.publishFeedback(actionlib_benchmark::RoundtripFeedback());
        if (goal.start.sec == SUCCEED) {
            server_.setSucceeded(result);
        } else if (goal.start.sec == ABORT) {
            server_.setAborted(result);
        } else {
            while (ros::ok() && !server_.isPreemptRequested()) {
                ros::WallDuration(0.001).sleep();
            }
            result.received = ros::Time(77);
            server_.setPreempted(result);
        }
    }

    actionlib::SimpleActionServer<Action> server_;
};

void serve(ros::NodeHandle &node) {
    ros::Publisher latched = node.advertise<std_msgs::String>("/latched", 1, true);
    std_msgs::String kept;
    kept.data = "kept";
    latched.publish(kept);
    ros::Publisher pong = node.advertise<std_msgs::String>("/pong", 10);
    ros::Subscriber ping = node.subscribe<std_msgs::String>(
        "/ping", 10, [&pong](const std_msgs::StringConstPtr &text) { pong.publish(text); });
    ros::ServiceServer map = node.advertiseService("/map", serve_map);
    ros::ServiceServer failure = node.advertiseService("/fail", serve_failure);
    Trip trip(node);
    std::puts("serving");
    std::fflush(stdout);
    ros::waitForShutdown();
}

// ---- use ----

class Inbox {
  public:
    using Event = ros::MessageEvent<std_msgs::String const>;

    Inbox(ros::NodeHandle &node, const char *topic)
        : subscriber_(node.subscribe<std_msgs::String, const Event &>(
              topic, 10, boost::function<void(const Event &)>([this](const Event &event) {
                  std::lock_guard<std::mutex> guard(lock_);
                  text_ = event.getMessage()->data + " from " + event.getPublisherName();
                  came_ = true;
              }))) {
    }

    std::string wait() {
        wait_for("a message", [this] { return came_.exchange(false); });
        std::lock_guard<std::mutex> guard(lock_);
        return text_;
    }

    bool is_connected() const {
        return subscriber_.getNumPublishers() > 0;
    }

  private:
    std::mutex lock_;
    std::string text_;
    std::atomic<bool> came_{false};
    ros::Subscriber subscriber_;
};

void use_topics(ros::NodeHandle &node) {
    Inbox latched(node, "/latched");
    std::printf("latched %s\n", latched.wait().c_str());
    Inbox pong(node, "/pong");
    ros::Publisher ping = node.advertise<std_msgs::String>("/ping", 10);
    wait_for("the echo", [&] { return ping.getNumSubscribers() > 0 && pong.is_connected(); });
    std_msgs::String text;
    text.data = "hello";
    ping.publish(text);
    std::printf("pong %s\n", pong.wait().c_str());
}

void use_service(ros::NodeHandle &node, const char *name, bool persistent) {
    ros::service::waitForService(name, ros::Duration(WAIT_S));
    ros::ServiceClient client = node.serviceClient<nav_msgs::GetMap>(name, persistent);
    for (int i = 0; i < 3; i++) {
        nav_msgs::GetMap call;
        if (client.call(call)) {
            std::printf(
                "%s %u %zu\n", name, call.response.map.info.width, call.response.map.data.size());
        } else {
            std::printf("%s failed\n", name); // roscpp gives the reason to its log only
        }
    }
}

using Client = actionlib::ActionClient<Action>;

// end: "" none, "cancel" the goal's, "cancel_all" of all.
void use_goal(Client &client, const char *name, uint32_t kind, const std::string &end) {
    actionlib_benchmark::RoundtripGoal goal;
    goal.start = ros::Time(kind, 5);
    std::atomic<int> feedbacks{0};
    Client::GoalHandle handle = client.sendGoal(
        goal, [](Client::GoalHandle) {},
        [&feedbacks](Client::GoalHandle, const actionlib_benchmark::RoundtripFeedbackConstPtr &) {
            feedbacks++;
        });
    if (!end.empty()) {
        wait_for("acceptance",
            [&] { return handle.getCommState() == actionlib::CommState::ACTIVE && feedbacks > 0; });
        if (end == "cancel") {
            handle.cancel();
        } else {
            client.cancelAllGoals();
        }
    }
    wait_for("the end", [&] { return handle.getCommState() == actionlib::CommState::DONE; });
    auto result = handle.getResult();
    std::printf("%s %s %u\n", name, handle.getTerminalState().toString().c_str(),
        result ? result->received.sec : 0);
}

void use_action(ros::NodeHandle &node) {
    Client client(node, "/trip");
    if (!client.waitForActionServerToStart(ros::Duration(WAIT_S))) {
        std::puts("no action server");
        std::exit(1);
    }
    use_goal(client, "success", SUCCEED, "");
    use_goal(client, "abort", ABORT, "");
    use_goal(client, "reject", REJECT, "");
    use_goal(client, "cancel", HOLD, "cancel");
    use_goal(client, "cancel_all", HOLD, "cancel_all");
}

void use(ros::NodeHandle &node) {
    use_topics(node);
    use_service(node, "/map", true);
    use_service(node, "/map", false);
    use_service(node, "/fail", false);
    use_action(node);
}

} // namespace

int main(int argc, char **argv) {
    bool serves = argc > 1 && std::string(argv[1]) == "serve";
    ros::init(argc, argv, serves ? "foreign" : "user");
    ros::NodeHandle node;
    ros::AsyncSpinner spinner(2);
    spinner.start();
    if (serves) {
        serve(node);
    } else {
        use(node);
    }
    std::puts("ended");
    return 0;
}
