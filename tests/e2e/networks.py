#!/usr/bin/python3
"""Two processes with an equal environment, for each setting that DESIGN names, alone: do they meet,
and which interface carries their traffic?

Usage: networks.py FOLDER_OF_THE_PROGRAMS [CASE...]

Each case runs in network namespaces that it makes itself: one host with a loopback and an interface
rob0, and another host at the other end of that. The machine's own interfaces are not in there. The
publisher is publisher-stress-test, the subscriber subscription-stress-test on the same host, then
on the other; where a ROS 2 with rmw_cyclonedds_cpp is found, rclpy takes each of the two sides as
well. Exits 77 where namespaces may not be made."""

import concurrent.futures
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys

HERE, THERE = "10.77.0.1", "10.77.0.2"
LO = ('<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="lo" multicast="true"/>'
      "</Interfaces></General></Domain></CycloneDDS>")
ROB = LO.replace('name="lo" multicast="true"', 'name="rob0"')
RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
SUBNET = {RANGE: "SUBNET"}
NAMES = re.compile(r"ROS_|CYCLONEDDS_URI|RMW_|AMENT_|COLCON_|FASTDDS_|FASTRTPS_")
DEADLINE_S = 90


class Expected:
    """near, far: do two processes of one host meet, of two hosts? carries: does rob0 carry anything
    of two processes of one host? (None: it may.) stock: is a stock ROS 2 in the same environment
    like rclite?"""

    def __init__(self, settings, near, far, carries, stock=True):
        self.settings, self.near, self.far = settings, near, far
        self.carries, self.stock = carries, stock


CASES = {
    # A stock ROS 2 leaves loopback then.
    "nothing set": Expected({}, True, False, False, stock=False),
    "SUBNET": Expected(SUBNET, True, True, True),
    "LOCALHOST": Expected({RANGE: "LOCALHOST"}, True, False, False),
    "OFF": Expected({RANGE: "OFF"}, False, False, False),
    "SYSTEM_DEFAULT": Expected({RANGE: "SYSTEM_DEFAULT"}, True, True, True),
    "ROS_LOCALHOST_ONLY": Expected({"ROS_LOCALHOST_ONLY": "1"}, True, False, False),
    "ROS_STATIC_PEERS": Expected({RANGE: "LOCALHOST", "ROS_STATIC_PEERS": f"{HERE};{THERE}"}, True,
                                 True, None),
    "ROS_DOMAIN_ID": Expected(dict(SUBNET, ROS_DOMAIN_ID="32"), True, True, True),
    "CYCLONEDDS_URI with lo": Expected({"CYCLONEDDS_URI": LO}, True, False, False),
    "CYCLONEDDS_URI with rob0": Expected({"CYCLONEDDS_URI": ROB}, True, True, True),
    "ROS_MASTER_URI": Expected({"ROS_MASTER_URI": f"http://{HERE}:11311"}, True, True, None,
                               stock=False),
}

RCLPY = """
import sys, time, rclpy
from rclpy.duration import Duration
from std_msgs.msg import UInt8MultiArray
rclpy.init()
node = rclpy.create_node("stock")
end = time.monotonic() + float(sys.argv[2])
heard = []
if sys.argv[1] == "subscribe":
    subscription = node.create_subscription(UInt8MultiArray, "stress_topic", heard.append, 10)
    print("waiting", flush=True)
    while not heard and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.1)
    print("heard", len(heard))
else:
    publisher = node.create_publisher(UInt8MultiArray, "stress_topic", 10)
    while publisher.get_subscription_count() == 0 and time.monotonic() < end:
        time.sleep(0.05)
    for i in range(20 if publisher.get_subscription_count() else 0):
        publisher.publish(UInt8MultiArray(data=b"x" * 1024))
        publisher.wait_for_all_acked(Duration(seconds=10))
"""


def plain_environment():
    return {name: value for name, value in os.environ.items() if not NAMES.match(name)}


def stock_ros2():
    """What sourcing a ROS 2 that has Cyclone DDS sets, or None."""
    for prefix in sorted(glob.glob("/opt/ros/*"), reverse=True):
        if all(os.path.exists(prefix + part)
               for part in ("/lib/librmw_cyclonedds_cpp.so", "/setup.bash")):
            out = subprocess.run(["bash", "-c", f"source {prefix}/setup.bash && env -0"],
                                 env=dict(plain_environment(), PATH="/usr/bin:/bin"),
                                 stdout=subprocess.PIPE, check=True)
            sourced = dict(item.split("=", 1) for item in out.stdout.decode().split("\0")
                           if "=" in item)
            sourced.pop(RANGE, None)
            sourced.pop("ROS_LOCALHOST_ONLY", None)
            return dict(sourced, RMW_IMPLEMENTATION="rmw_cyclonedds_cpp")
    return None


def make_hosts():
    """In a fresh namespace: gives this host its interfaces, and starts a process that holds the
    other host."""
    holder = subprocess.Popen(["unshare", "-n", "sh", "-c", "echo; exec sleep 600"],
                              stdout=subprocess.PIPE)
    holder.stdout.readline()
    other = ["nsenter", "-t", str(holder.pid), "-n"]
    quiet = ("for file in /proc/sys/net/ipv6/conf/*/disable_ipv6; do echo 1 2>/dev/null >$file; "
             "done; ip link set lo up")
    # Quiet before there is an interface on which IPv6 could say something.
    for host, command in (
            ([], quiet), (other, quiet),
            ([], f"ip link add rob0 type veth peer name rob1 netns {holder.pid}"),
            ([], f"ip addr add {HERE}/24 dev rob0 && ip link set rob0 up"),
            (other, "ip link set rob1 name rob0"),
            (other, f"ip addr add {THERE}/24 dev rob0 && ip link set rob0 up")):
        subprocess.run([*host, "sh", "-c", command], check=True)
    return holder, other


def packets_on_rob0():
    shown = subprocess.run(["ip", "-s", "-j", "link", "show", "rob0"], capture_output=True,
                           check=True).stdout
    counts = json.loads(shown)[0]["stats64"]
    return counts["tx"]["packets"] + counts["rx"]["packets"]


class Case:
    def __init__(self, folder, name):
        self.folder = folder
        self.name = name
        self.expected = CASES[name]
        self.ros = "1" if name == "ROS_MASTER_URI" else "2"
        self.failed = False

    def check(self, good, what, seen):
        self.failed |= not good
        print(f"{'ok     ' if good else 'FAILED '} {self.name}: {what}", flush=True)
        if not good:
            print("        " + seen.strip().replace("\n", "\n        "), flush=True)

    def start(self, host, command, base=None, **more):
        environment = dict(base or plain_environment(), **dict(self.expected.settings, **more))
        return subprocess.Popen([*host, *command], env=environment, text=True,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)

    def program(self, host, *words, **more):
        address = {"ROS_IP": THERE if host else HERE} if self.ros == "1" else {}
        return self.start(host, [os.path.join(self.folder, words[0]), *words[1:], "--ros",
                                 self.ros],
                          **address, **more)

    def publish(self, subscriber, what, meets, **more):
        """The publisher ends well when it has met somebody, else in trouble after 10 s."""
        publisher = self.program([], "publisher-stress-test", "-r", "200", "-s", "1", **more)
        said = publisher.communicate(timeout=DEADLINE_S)[0]
        subscriber.send_signal(signal.SIGINT)
        heard = subscriber.communicate(timeout=DEADLINE_S)[0]
        arrived = re.search(r"Received [1-9]|heard [1-9]", heard) is not None
        good = (publisher.returncode == 0 and arrived) if meets else (
            publisher.returncode == 2 and not arrived and "common interface" in said)
        self.check(good, f"{what}: they {'meet' if meets else 'do not meet'}", said + heard)

    def meet_stock(self, ros2):
        meets = self.expected.near
        python = ["/usr/bin/python3", "-c", RCLPY]
        patience = "60" if meets else "8"
        subscriber = self.start([], [*python, "subscribe", patience], ros2)
        subscriber.stdout.readline()
        publisher = self.program([], "publisher-stress-test", "-r", "200", "-s", "1")
        said = publisher.communicate(timeout=DEADLINE_S)[0]
        heard = subscriber.communicate(timeout=DEADLINE_S)[0]
        self.check(("heard 1" in heard) == meets and (publisher.returncode == 0) == meets,
                   f"rclite to a stock ROS 2: they {'meet' if meets else 'do not meet'}",
                   said + heard)
        subscriber = self.program([], "subscription-stress-test")
        said = self.start([], [*python, "publish", patience],
                          ros2).communicate(timeout=DEADLINE_S)[0]
        subscriber.send_signal(signal.SIGINT)
        heard = subscriber.communicate(timeout=DEADLINE_S)[0]
        self.check(("Received 20 " in heard) == meets,
                   f"a stock ROS 2 to rclite: they {'meet' if meets else 'do not meet'}",
                   said + heard)

    def run_between(self, other):
        expected = self.expected
        before = packets_on_rob0()
        self.publish(self.program([], "subscription-stress-test"), "one host", expected.near)
        carried = packets_on_rob0() - before
        if expected.carries is not None:
            self.check((carried > 0) == expected.carries,
                       f"rob0 carries {'something' if expected.carries else 'nothing'}",
                       f"{carried} packets")
        self.publish(self.program(other, "subscription-stress-test"), "two hosts", expected.far)
        if self.name == "ROS_DOMAIN_ID":
            self.publish(self.program([], "subscription-stress-test"), "another domain", False,
                         ROS_DOMAIN_ID="33")
        ros2 = stock_ros2() if expected.stock else None
        if ros2:
            self.meet_stock(ros2)

    def run(self):
        if self.ros == "1" and not shutil.which("rosmaster"):
            print(f"skipped {self.name}: rosmaster is not installed")
            return 0
        holder, other = make_hosts()
        master = None
        if self.ros == "1":
            master = self.start([], ["rosmaster", "--core", "-p", "11311"], ROS_IP=HERE)
        try:
            self.run_between(other)
        finally:
            if master:
                master.terminate()
                master.communicate(timeout=DEADLINE_S)
            holder.kill()
            holder.wait()
        return 1 if self.failed else 0


def namespace_command():
    """How a namespace is made here, or why none is."""
    own_user = [] if os.geteuid() == 0 else ["-r"]
    command = ["unshare", *own_user, "-n"]
    for tool in ("unshare", "nsenter", "ip"):
        if not shutil.which(tool):
            return None, f"{tool} is not installed"
    probe = "ip link set lo up && ip link add rob0 type veth peer name rob1 && unshare -n true"
    tried = subprocess.run([*command, "sh", "-c", probe], capture_output=True, text=True,
                           check=False)
    said = tried.stderr.strip().splitlines() or ["no reason was given"]
    if tried.returncode != 0:
        return None, f"no network namespace may be made: {said[-1]}"
    return command, None


def main():
    if len(sys.argv) > 2 and sys.argv[2] == "--inside":
        return Case(sys.argv[1], sys.argv[3]).run()
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    command, reason = namespace_command()
    if reason:
        print(f"skipped: {reason}")
        return 77

    def run_case(name):
        inside = [*command, sys.executable, os.path.abspath(__file__), sys.argv[1], "--inside",
                  name]
        return subprocess.run(inside, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)

    failures = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for done in pool.map(run_case, sys.argv[2:] or CASES):
            print(done.stdout, end="", flush=True)
            failures += done.returncode != 0
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
