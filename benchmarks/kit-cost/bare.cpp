// An rclcpp ping-pong with nothing else in it: what the rclcpp peer is compared with.
// Usage: bare ping COUNT BYTES (prints each round trip in ns) | bare pong
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/u_int8_multi_array.hpp>
#include <thread>
#include <vector>

using Message = std_msgs::msg::UInt8MultiArray;
using Clock = std::chrono::steady_clock;

static void pong(const rclcpp::Node::SharedPtr &node) {
    auto publisher = node->create_publisher<Message>("pong", 10);
    auto subscription = node->create_subscription<Message>(
        "ping", 10, [publisher](const Message &message) { publisher->publish(message); });
    rclcpp::spin(node);
}

static void ping(const rclcpp::Node::SharedPtr &node, size_t count, size_t bytes) {
    std::mutex lock;
    std::condition_variable came;
    std::vector<int64_t> trips;
    Message message;
    message.data.resize(bytes);
    auto publisher = node->create_publisher<Message>("ping", 10);
    Clock::time_point sent;
    auto send = [&] {
        sent = Clock::now();
        publisher->publish(message);
    };
    auto subscription = node->create_subscription<Message>("pong", 10, [&](const Message &) {
        const std::lock_guard<std::mutex> guard(lock);
        trips.push_back((Clock::now() - sent).count());
        trips.size() < count ? send() : came.notify_all();
    });
    while (publisher->get_subscription_count() == 0 || subscription->get_publisher_count() == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::thread spinner([&] { rclcpp::spin(node); });
    std::this_thread::sleep_for(std::chrono::milliseconds(500)); // the other side's match
    std::unique_lock<std::mutex> guard(lock);
    send();
    came.wait_for(guard, std::chrono::seconds(60), [&] { return trips.size() >= count; });
    rclcpp::shutdown();
    guard.unlock();
    spinner.join();
    for (const int64_t trip : trips) {
        printf("%lld\n", static_cast<long long>(trip));
    }
}

int main(int argc, char **argv) {
    rclcpp::init(argc, argv);
    auto node = std::make_shared<rclcpp::Node>(argc == 4 ? "ping" : "pong");
    if (argc == 4) {
        ping(node, strtoul(argv[2], nullptr, 10), strtoul(argv[3], nullptr, 10));
    } else {
        pong(node);
    }
    return 0;
}
