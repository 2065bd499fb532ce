"""Action server and client over actionlib_benchmark/Roundtrip."""
import time

import rclpy
from action_msgs.msg import GoalStatus
from actionlib_benchmark.action import Roundtrip
from builtin_interfaces.msg import Time
from rclpy.action import ActionClient, ActionServer


def from_ns(ns):
    return Time(sec=ns // 10**9, nanosec=ns % 10**9)


def to_ns(stamp):
    return stamp.sec * 10**9 + stamp.nanosec


class Server:
    def __init__(self, kit, job, node):
        self.kit = kit
        self.server = ActionServer(node, Roundtrip, job.names.action, self._execute)

    def is_matched(self):
        return True

    def _execute(self, handle):
        t2 = time.time_ns()
        handle.succeed()
        self.kit.served(to_ns(handle.request.start), t2, 0)
        return Roundtrip.Result(received=from_ns(t2))


class Client:
    def __init__(self, kit, job, node, executor):
        self.kit = kit
        self.job = job
        self.node = node
        self.executor = executor
        self.until = job.settings.get("calling") == "until"
        self.client = ActionClient(node, Roundtrip, job.names.action)

    def is_matched(self):
        return self.client.server_is_ready()

    def call(self, token, t1_ns):
        future = self.client.send_goal_async(Roundtrip.Goal(start=from_ns(t1_ns)))
        if self.until:
            self._wait(token, future)
        else:
            future.add_done_callback(lambda done: self._on_response(token, done))

    def _on_response(self, token, future):
        handle = future.result()
        if not handle.accepted:
            self.kit.unanswered(token)
            return
        handle.get_result_async().add_done_callback(lambda done: self._on_result(token, done))

    def _wait(self, token, future):
        deadline = time.monotonic() + self.job.call_timeout_ns / 1e9
        rclpy.spin_until_future_complete(
            self.node, future, self.executor, deadline - time.monotonic())
        if not future.done() or not future.result().accepted:
            self.kit.unanswered(token)
            return
        result = future.result().get_result_async()
        rclpy.spin_until_future_complete(
            self.node, result, self.executor, max(0, deadline - time.monotonic()))
        if result.done():
            self._on_result(token, result)
        else:
            self.kit.unanswered(token)

    def _on_result(self, token, future):
        t4 = time.time_ns()
        answer = future.result()
        if answer.status == GoalStatus.STATUS_SUCCEEDED:
            self.kit.answered(token, to_ns(answer.result.received), 0, t4)
        else:
            self.kit.unanswered(token)


def make(kit, job, node, executor):
    return Server(kit, job, node) if job.role == "server" else Client(kit, job, node, executor)
