#!/usr/bin/python3
"""The rospy peer: rospy's calls behind the kit."""
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "kit", "python"))
sys.path.insert(0, os.path.join(os.environ.get("RCLBENCH_BUILD_DIR", HERE), "python"))

import peer_kit  # noqa: E402
from probe import rospy_version  # noqa: E402

TYPES = {"topic": "std_msgs/msg/UInt8MultiArray", "startup": "std_msgs/msg/UInt8MultiArray",
         "service": "nav_msgs/srv/GetMap", "action": "actionlib_benchmark/action/Roundtrip"}
PLAIN_QOS = {"reliability": "reliable", "deadline_ns": 0, "lifespan_ns": 0,
             "liveliness": "automatic", "liveliness_lease_ns": 0}


class RospyPeer(peer_kit.Peer):
    settings = ("connection",)

    def __init__(self):
        self.endpoints = self.rospy = self.job = None

    def refuses(self, job):
        if job.generation != 1:
            return "generation"
        if job.type != TYPES[job.pattern]:
            return "type"
        if job.pattern == "service" and job.in_flight != 1:
            return "in_flight"
        if job.settings.get("connection", "persistent") not in ("persistent", "per_call"):
            return "settings.connection"
        return job.not_plain()

    def create(self, kit, job):
        namespace, name = job.names.node.rsplit("/", 1)
        os.environ["ROS_NAMESPACE"] = namespace or "/"
        import rosgraph
        import rospy
        self.rospy = rospy
        rosgraph.Master("/rclbench").getPid()  # fails at once where init_node would wait for ever
        rospy.init_node(name, disable_signals=True)
        module = {"service": "service", "action": "action"}.get(job.pattern, "topic")
        self.endpoints = __import__(f"{module}_endpoints").make(kit, job)
        self.job = job

    def effective(self):
        asked = self.job.qos  # TCPROS knows a queue and latching
        qos = {**PLAIN_QOS, "durability": asked.durability, "history": asked.history,
               "depth": asked.depth}
        return qos, "TCPROS", "rospy", rospy_version()

    def wait_matched(self, timeout_s):
        deadline = time.monotonic() + timeout_s
        while not self.endpoints.is_matched():
            if time.monotonic() > deadline:
                raise TimeoutError("no match in time")
            time.sleep(0.001)  # rospy has no event for it

    def publish(self):
        self.endpoints.publish()

    def echo(self, message):
        self.endpoints.echo(message)

    def call(self, token, t1_ns):
        self.endpoints.call(token, t1_ns)

    def forget(self, token):
        self.endpoints.forget(token)

    def destroy(self):
        if self.rospy:
            self.rospy.signal_shutdown("done")


if __name__ == "__main__":
    status = peer_kit.main(RospyPeer())
    sys.stdout.flush()
    os._exit(status)  # rospy leaves threads behind that may hold the interpreter
