#!/usr/bin/python3
"""The rclpy peer: rclpy's calls behind the kit. What is timed is in README.md."""
import os
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "kit", "python"))

import interpreter  # noqa: E402
import peer_kit  # noqa: E402
from probe import version  # noqa: E402

TYPES = {"topic": "std_msgs/msg/UInt8MultiArray", "startup": "std_msgs/msg/UInt8MultiArray",
         "service": "nav_msgs/srv/GetMap", "action": "actionlib_benchmark/action/Roundtrip"}
GRAPH_WAIT_S = 1


class RclpyPeer(peer_kit.Peer):
    settings = ("executor", "calling")

    def __init__(self):
        self.endpoints = self.node = self.executor = self.spinner = None
        self.rclpy = self.job = None

    def refuses(self, job):
        if job.generation != 2:
            return "generation"
        if job.type != TYPES[job.pattern]:
            return "type"
        if job.settings.get("executor", "single") not in ("single", "multi"):
            return "settings.executor"
        if job.settings.get("calling", "async") not in ("async", "until"):
            return "settings.calling"
        if self._spins_itself(job) and job.in_flight != 1:
            return "in_flight"
        return job.not_plain()

    @staticmethod
    def _spins_itself(job):
        return job.role == "client" and job.settings.get("calling") == "until"

    def create(self, kit, job):
        import rclpy
        import rclpy.executors
        from rclpy.signals import SignalHandlerOptions
        self.rclpy = rclpy
        self.job = job
        rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
        namespace, name = job.names.node.rsplit("/", 1)
        self.node = rclpy.create_node(name, namespace=namespace or None)
        multi = job.settings.get("executor") == "multi"
        kind = "MultiThreadedExecutor" if multi else "SingleThreadedExecutor"
        self.executor = getattr(rclpy.executors, kind)()
        module = {"service": "service", "action": "action"}.get(job.pattern, "topic")
        self.endpoints = __import__(f"{module}_endpoints").make(kit, job, self.node, self.executor)
        self.executor.add_node(self.node)
        if not self._spins_itself(job):
            self.spinner = threading.Thread(target=self._spin, args=(kit,), daemon=True)
            self.spinner.start()

    def effective(self):
        import qos
        wait_s = 0 if self.job.pattern == "startup" else GRAPH_WAIT_S
        in_force = qos.in_force(self.node, self.job, wait_s)
        rmw = self.rclpy.utilities.get_rmw_implementation_identifier()
        return in_force, rmw, "rclpy", version()

    def _spin(self, kit):
        try:
            self.executor.spin()
        except self.rclpy.executors.ExternalShutdownException:
            pass
        except Exception as problem:  # whatever the library throws ends the run
            kit.fail(str(problem) or type(problem).__name__)

    def wait_matched(self, timeout_s):
        deadline = time.monotonic() + timeout_s
        while not self.endpoints.is_matched():
            if time.monotonic() > deadline:
                raise TimeoutError("no match in time")
            time.sleep(0.002)  # rclpy has no event for it; its own wait_for_service sleeps 250 ms

    def publish(self):
        self.endpoints.publish()

    def echo(self, message):
        self.endpoints.echo(message)

    def call(self, token, t1_ns):
        self.endpoints.call(token, t1_ns)

    def destroy(self):
        if self.executor:
            self.executor.shutdown(timeout_sec=1)
        if self.spinner:
            self.spinner.join(timeout=2)
        if self.rclpy:
            self.rclpy.try_shutdown()


if __name__ == "__main__":
    missing = interpreter.settle()
    if missing:
        print(missing, file=sys.stderr)
        sys.exit(peer_kit.EXIT_UNAVAILABLE)
    status = peer_kit.main(RclpyPeer())
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # everything is written; a thread inside the middleware must not hold the exit
