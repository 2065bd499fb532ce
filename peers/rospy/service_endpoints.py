"""Service server and client over nav_msgs/GetMap. rospy's call blocks."""
import time

import rospy
from nav_msgs.srv import GetMap, GetMapResponse
from peer_kit import payload


class Server:
    def __init__(self, kit, job):
        self.kit = kit
        self.response = GetMapResponse()
        grid = self.response.map
        grid.header.frame_id = payload.MAP_FRAME
        grid.info.resolution = payload.MAP_RESOLUTION
        grid.info.width = payload.MAP_WIDTH
        grid.info.height = payload.MAP_HEIGHT
        grid.data = tuple(payload.make_map(job.payload_bytes))
        self.server = rospy.Service(job.names.service, GetMap, self._on_request)

    def is_matched(self):
        return True

    def _on_request(self, _request):
        t2 = time.time_ns()
        grid = self.response.map
        grid.info.map_load_time = rospy.Time(t2 // 10**9, t2 % 10**9)
        t3 = time.time_ns()
        grid.header.stamp = rospy.Time(t3 // 10**9, t3 % 10**9)
        self.kit.served(0, t2, t3)
        return self.response


class Client:
    def __init__(self, kit, job):
        self.kit = kit
        self.job = job
        persistent = job.settings.get("connection", "persistent") == "persistent"
        self.proxy = rospy.ServiceProxy(job.names.service, GetMap, persistent=persistent)

    def is_matched(self):
        try:
            rospy.wait_for_service(self.job.names.service, timeout=0.2)
        except rospy.ROSException:
            return False
        return True

    def call(self, token, _t1_ns):
        try:
            response = self.proxy()
        except rospy.ServiceException:
            self.kit.unanswered(token)
            return
        t4 = time.time_ns()
        grid = response.map
        intact = payload.is_map_intact(grid.data, self.job.payload_bytes, self.job.verify == "full")
        self.kit.answered(token, grid.info.map_load_time.to_nsec(), grid.header.stamp.to_nsec(), t4,
                          not intact)

    def forget(self, token):
        pass  # the call has returned already


def make(kit, job):
    return Server(kit, job) if job.role == "server" else Client(kit, job)
