"""Service server and client over nav_msgs/GetMap."""
import time

import qos
import rclpy
from nav_msgs.srv import GetMap
from peer_kit import payload


class Server:
    def __init__(self, kit, job, node):
        self.kit = kit
        grid = self.map = GetMap.Response().map
        grid.header.frame_id = payload.MAP_FRAME
        grid.info.resolution = payload.MAP_RESOLUTION
        grid.info.width = payload.MAP_WIDTH
        grid.info.height = payload.MAP_HEIGHT
        values = list(payload.make_map(job.payload_bytes))
        grid.data = values  # the message keeps an array.array
        self.values = values if job.payload_kind == "list" else None
        self.service = node.create_service(
            GetMap, job.names.service, self._on_request, qos_profile=qos.make(job.qos))

    def is_matched(self):
        return True

    def _on_request(self, _request, response):
        t2 = time.time_ns()
        response.map = grid = self.map
        if self.values is not None:
            grid.data = self.values
        grid.info.map_load_time.sec, grid.info.map_load_time.nanosec = divmod(t2, 10**9)
        t3 = time.time_ns()
        grid.header.stamp.sec, grid.header.stamp.nanosec = divmod(t3, 10**9)
        self.kit.served(0, t2, t3)
        return response


def to_ns(stamp):
    return stamp.sec * 10**9 + stamp.nanosec


class Client:
    def __init__(self, kit, job, node, executor):
        self.kit = kit
        self.job = job
        self.node = node
        self.executor = executor
        self.until = job.settings.get("calling") == "until"
        self.client = node.create_client(GetMap, job.names.service, qos_profile=qos.make(job.qos))

    def is_matched(self):
        return self.client.service_is_ready()

    def call(self, token, _t1_ns):
        future = self.client.call_async(GetMap.Request())
        if not self.until:
            future.add_done_callback(lambda done: self._on_answer(token, done))
            return
        rclpy.spin_until_future_complete(
            self.node, future, self.executor, self.job.call_timeout_ns / 1e9)
        if future.done():
            self._on_answer(token, future)
        else:
            self.kit.unanswered(token)

    def _on_answer(self, token, future):
        t4 = time.time_ns()
        grid = future.result().map
        intact = payload.is_map_intact(grid.data, self.job.payload_bytes, self.job.verify == "full")
        self.kit.answered(token, to_ns(grid.info.map_load_time), to_ns(grid.header.stamp), t4,
                          not intact)


def make(kit, job, node, executor):
    return Server(kit, job, node) if job.role == "server" else Client(kit, job, node, executor)
