"""Action server and client over actionlib_benchmark/Roundtrip."""
import time

import actionlib
import rospy
from actionlib_benchmark.msg import RoundtripAction, RoundtripGoal, RoundtripResult


def to_ros(ns):
    return rospy.Time(ns // 10**9, ns % 10**9)


class Server:
    def __init__(self, kit, job):
        self.kit = kit
        self.server = actionlib.SimpleActionServer(
            job.names.action, RoundtripAction, execute_cb=self._execute, auto_start=False)
        self.server.start()

    def is_matched(self):
        return True

    def _execute(self, goal):
        t2 = time.time_ns()
        # Before the result: the client may be through with its run as soon as it has that.
        self.kit.served(goal.start.to_nsec(), t2, 0)
        self.server.set_succeeded(RoundtripResult(to_ros(t2)))


class Client:
    def __init__(self, kit, job):
        self.kit = kit
        self.client = actionlib.ActionClient(job.names.action, RoundtripAction)
        self.handles = {}  # actionlib drops goals whose handles are gone

    def is_matched(self):
        return self.client.wait_for_server(rospy.Duration(0.2))

    def call(self, token, t1_ns):
        self.handles[token] = self.client.send_goal(
            RoundtripGoal(to_ros(t1_ns)), lambda handle: self._on_transition(token, handle))

    def forget(self, token):
        self.handles.pop(token, None)

    def _on_transition(self, token, handle):
        if handle.get_comm_state() != actionlib.CommState.DONE:
            return
        t4 = time.time_ns()
        result = handle.get_result()
        self.handles.pop(token, None)
        if handle.get_terminal_state() == actionlib.TerminalState.SUCCEEDED:
            self.kit.answered(token, result.received.to_nsec(), 0, t4)
        else:
            self.kit.unanswered(token)


def make(kit, job):
    return Server(kit, job) if job.role == "server" else Client(kit, job)
