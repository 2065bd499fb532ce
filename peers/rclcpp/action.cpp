// Server and client of actionlib_benchmark/Roundtrip.
#include <actionlib_benchmark/action/roundtrip.hpp>
#include <rclcpp_action/rclcpp_action.hpp>

#include "peer.hpp"

namespace {

using Roundtrip = actionlib_benchmark::action::Roundtrip;

class Server : public Role {
public:
    explicit Server(const Setting &setting) {
        using Handle = rclcpp_action::ServerGoalHandle<Roundtrip>;
        server_ = rclcpp_action::create_server<Roundtrip>(
            setting.node, setting.job->action,
            [](const rclcpp_action::GoalUUID &, Roundtrip::Goal::ConstSharedPtr) {
                return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
            },
            [](const std::shared_ptr<Handle>) { return rclcpp_action::CancelResponse::ACCEPT; },
            [kit = setting.kit](const std::shared_ptr<Handle> handle) {
                const int64_t t2 = peer_now_ns();
                auto result = std::make_shared<Roundtrip::Result>();
                result->received = stamp_from_ns(t2);
                peer_kit_served(kit, stamp_to_ns(handle->get_goal()->start), t2, 0);
                handle->succeed(result);
            });
    }

    void wait_matched(std::chrono::nanoseconds) override {}

private:
    rclcpp_action::Server<Roundtrip>::SharedPtr server_;
};

class Client : public Role {
public:
    explicit Client(const Setting &setting) : kit_(setting.kit) {
        client_ = rclcpp_action::create_client<Roundtrip>(setting.node, setting.job->action);
    }

    void wait_matched(std::chrono::nanoseconds timeout) override {
        if (!client_->wait_for_action_server(timeout)) {
            throw std::runtime_error("the action server did not appear in time");
        }
    }

    void call(uint64_t token, int64_t t1_ns) override {
        using Handle = rclcpp_action::ClientGoalHandle<Roundtrip>;
        Roundtrip::Goal goal;
        goal.start = stamp_from_ns(t1_ns);
        rclcpp_action::Client<Roundtrip>::SendGoalOptions options;
        options.goal_response_callback = [this, token](const Handle::SharedPtr &handle) {
            if (!handle) {
                peer_kit_unanswered(kit_, token);
            }
        };
        options.result_callback = [this, token](const Handle::WrappedResult &wrapped) {
            const int64_t t4 = peer_now_ns();
            if (wrapped.code != rclcpp_action::ResultCode::SUCCEEDED) {
                peer_kit_unanswered(kit_, token);
                return;
            }
            peer_kit_answered(kit_, token, stamp_to_ns(wrapped.result->received), 0, t4, false);
        };
        client_->async_send_goal(goal, options);
    }

private:
    peer_kit *kit_;
    rclcpp_action::Client<Roundtrip>::SharedPtr client_;
};

} // namespace

std::unique_ptr<Role> make_action(const Setting &setting) {
    if (setting.job->role == PEER_SERVER) {
        return std::make_unique<Server>(setting);
    }
    return std::make_unique<Client>(setting);
}
