#!/usr/bin/python3
"""rclite against the real ROS 1: rospy, roscpp (foreign.cpp, where it is built), actionlib and
ROS's command-line tools on one side, the program node.c on the other, over a private master. Usage:
interop.py BUILD_DIR. Exit 77: ROS 1 is not here."""
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BUILD = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "build"
HERE = os.path.dirname(os.path.abspath(__file__))
NODE = os.path.join(BUILD, "tests", "ros1_interop_node")
FOREIGN_CPP = os.path.join(BUILD, "tests", "ros1_foreign")
MESSAGES = os.path.join(BUILD, "peers", "rospy", "python")
WAIT = 20

sys.path.insert(0, MESSAGES)
try:
    import actionlib
    import rospy
    from actionlib_benchmark.msg import RoundtripAction, RoundtripGoal
    from nav_msgs.srv import GetMap
    from std_msgs.msg import String
except ImportError as problem:
    print(f"skipped: {problem}")
    sys.exit(77)
for tool in ("rosmaster", "rostopic", "rosservice", "rosnode"):
    if not shutil.which(tool):
        print(f"skipped: {tool} is not installed")
        sys.exit(77)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(*command):
    return subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                            env=dict(os.environ, PYTHONPATH=MESSAGES))


def start_serving(*command):
    process = start(*command)
    line = process.stdout.readline()
    if line != "serving\n":
        raise RuntimeError(f"{command} said {line!r}")
    return process


def run(*command, wait=WAIT):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=wait, check=False,
                          env=dict(os.environ, PYTHONPATH=MESSAGES)).stdout


class Serving(unittest.TestCase):
    """node.c serves; rospy and the tools use it."""

    @classmethod
    def setUpClass(cls):
        cls.node = start_serving(NODE, "serve")
        # One for all: rospy gives up and takes up again the topics of a client that is made anew,
        # and what is sent meanwhile is lost.
        cls.client = actionlib.ActionClient("/trip", RoundtripAction)

    @classmethod
    def tearDownClass(cls):
        cls.node.terminate()
        rest, _ = cls.node.communicate(timeout=WAIT)
        assert rest.endswith("ended\n"), rest  # a signal ends it cleanly
        assert cls.node.returncode == 0

    def test_latched_topic(self):
        self.assertEqual(rospy.wait_for_message("/latched", String, WAIT).data, "kept")

    def test_echo(self):
        came = threading.Event()
        texts = []
        subscriber = rospy.Subscriber("/pong", String,
                                      lambda message: (texts.append(message.data), came.set()))
        publisher = rospy.Publisher("/ping", String, queue_size=10)
        for text in ("one", "", "x" * 100000):
            came.clear()
            while publisher.get_num_connections() == 0 or subscriber.get_num_connections() == 0:
                rospy.sleep(0.01)
            publisher.publish(text)
            self.assertTrue(came.wait(WAIT))
            self.assertEqual(texts[-1], text)
        subscriber.unregister()
        publisher.unregister()

    def test_service(self):
        for persistent in (False, True):
            rospy.wait_for_service("/map", WAIT)
            proxy = rospy.ServiceProxy("/map", GetMap, persistent=persistent)
            for _ in range(3):
                response = proxy()
                self.assertEqual(response.map.info.width, 640)
                self.assertEqual(tuple(response.map.data), (1, 2, 3))
            proxy.close()

    def test_service_error(self):
        with self.assertRaisesRegex(rospy.ServiceException, "out of maps"):
            rospy.ServiceProxy("/fail", GetMap)()

    def wait_for(self, condition):
        deadline = time.monotonic() + WAIT
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.002)

    def check_goal(self, kind, expected, end=None):
        """Not with SimpleActionClient: that one overlooks transitions that come before its
        send_goal has returned, and this server is fast."""
        client = self.client
        self.assertTrue(client.wait_for_server(rospy.Duration(WAIT)))
        feedback = threading.Event()  # it has a topic of its own: a result may overtake it
        handle = client.send_goal(RoundtripGoal(rospy.Time(kind, 5)), lambda changed: None,
                                  lambda changed, message: feedback.set())
        if end:
            self.wait_for(lambda: handle.get_comm_state() == actionlib.CommState.ACTIVE)
            self.assertTrue(feedback.wait(WAIT))
            end(handle)
        self.wait_for(lambda: handle.get_comm_state() == actionlib.CommState.DONE)
        self.assertEqual(handle.get_goal_status(), expected)
        return handle.get_result()

    def test_action_success(self):
        result = self.check_goal(1, actionlib.GoalStatus.SUCCEEDED)
        self.assertEqual((result.received.secs, result.received.nsecs), (1, 5))

    def test_action_abort(self):
        self.check_goal(2, actionlib.GoalStatus.ABORTED)

    def test_action_reject(self):
        self.check_goal(4, actionlib.GoalStatus.REJECTED)

    def test_action_preempt(self):
        result = self.check_goal(3, actionlib.GoalStatus.PREEMPTED, lambda handle: handle.cancel())
        self.assertEqual(result.received.secs, 77)

    def test_action_cancel_all(self):
        self.check_goal(3, actionlib.GoalStatus.PREEMPTED,
                        lambda handle: self.client.cancel_all_goals())

    def test_tools(self):
        self.assertIn("data: \"kept\"", run("rostopic", "echo", "-n1", "/latched"))
        self.assertIn("std_msgs/String", run("rostopic", "info", "/latched"))
        self.assertIn("* /server (http://127.0.0.1:", run("rostopic", "info", "/ping"))
        self.assertIn("nav_msgs/GetMap", run("rosservice", "type", "/map"))
        self.assertIn("rosrpc://127.0.0.1:", run("rosservice", "info", "/map"))
        self.assertIn("width: 640", run("rosservice", "call", "/map"))
        self.assertIn("out of maps", run("rosservice", "call", "/fail"))
        self.assertIn("xmlrpc reply from", run("rosnode", "ping", "-c", "1", "/server"))
        info = run("rosnode", "info", "/server")
        for text in ("/latched [std_msgs/String]", "/trip/status", "/ping", "/map", "Pid: ",
                     "/rosout [rosgraph_msgs/Log]"):
            self.assertIn(text, info)

    def test_rate(self):
        came = threading.Event()
        hz = subprocess.Popen(["rostopic", "hz", "/trip/status"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        timer = threading.Timer(WAIT, hz.kill)
        timer.start()
        for line in hz.stdout:
            if "average rate" in line:
                self.assertLess(abs(float(line.split()[-1]) - 5), 2)
                came.set()
                break
        timer.cancel()
        hz.kill()
        hz.communicate()
        self.assertTrue(came.is_set())


@unittest.skipUnless(os.path.exists(FOREIGN_CPP), "roscpp's test program is not built")
class ServingRoscpp(unittest.TestCase):
    """node.c serves; a roscpp node uses it."""

    EXPECTED = ["latched kept from /server", "pong hello from /server"] + 6 * ["/map 640 3"] + 3 * [
        "/fail failed"] + ["success SUCCEEDED 1", "abort ABORTED 2", "reject REJECTED 0",
                           "cancel PREEMPTED 77", "cancel_all PREEMPTED 77", "ended"]

    def check(self, *delivery):
        node = start_serving(NODE, "serve", *delivery)
        try:
            said = subprocess.run([FOREIGN_CPP, "use"], capture_output=True, text=True, timeout=60,
                                  check=False)
            self.assertEqual(said.stdout.splitlines(), self.EXPECTED)
            self.assertEqual(said.stderr.count("responded with an error: out of maps"), 3)
        finally:
            node.terminate()
            node.communicate(timeout=WAIT)
        self.assertEqual(node.returncode, 0)

    def test_direct(self):
        self.check()

    def test_spin(self):
        self.check("spin")


class Killing(unittest.TestCase):
    def test_kill(self):
        node = start_serving(NODE, "serve", "spin")
        self.assertIn("killed", run("rosnode", "kill", "/server"))
        rest, _ = node.communicate(timeout=WAIT)
        self.assertTrue(rest.endswith("ended\n"))
        self.assertNotIn("/server", run("rosnode", "list"))


class Using(unittest.TestCase):
    """A rospy node serves; node.c uses it, in both deliveries."""

    FOREIGN = ("/usr/bin/python3", os.path.join(HERE, "foreign.py"))
    REASON = "service cannot process request: out of maps"

    @classmethod
    def setUpClass(cls):
        cls.foreign = start_serving(*cls.FOREIGN)

    @classmethod
    def tearDownClass(cls):
        cls.foreign.terminate()
        cls.foreign.communicate(timeout=WAIT)

    def check(self, *delivery):
        self.assertEqual(
            run(NODE, "use", *delivery, wait=60).splitlines(),
            ["latched kept from /foreign", "pong hello from /foreign"] + 6 * ["/map 640 3"] +
            3 * [f"/fail error service /fail: {self.REASON}"] +
            ["success SUCCEEDED 1", "abort ABORTED 2", "cancel CANCELED 77",
             "cancel_all CANCELED 77", "ended"])

    def test_direct(self):
        self.check()

    def test_spin(self):
        self.check("spin")


@unittest.skipUnless(os.path.exists(FOREIGN_CPP), "roscpp's test program is not built")
class UsingRoscpp(Using):
    """The same with a roscpp node; it can fail a call, but not say why."""

    FOREIGN = (FOREIGN_CPP, "serve")
    REASON = "refused by the other side"


def main():
    port = free_port()
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(ROS_MASTER_URI=f"http://127.0.0.1:{port}", ROS_IP="127.0.0.1",
                          ROS_HOME=home, ROS_LOG_DIR=home)
        os.environ.pop("ROS_HOSTNAME", None)
        os.environ.pop("ROS_NAMESPACE", None)
        master = subprocess.Popen(["rosmaster", "--core", "-p", str(port)],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            rospy.init_node("interop", disable_signals=True)
            program = unittest.main(argv=[sys.argv[0], "-v"], exit=False)
            status = 0 if program.result.wasSuccessful() else 1
        finally:
            rospy.signal_shutdown("done")
            master.kill()
            master.wait()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # rospy's threads


if __name__ == "__main__":
    main()
