#!/usr/bin/python3
"""The stress programs over rclite against the same jobs written with rclpy, in both directions.

Usage: ros2_programs.py FOLDER_OF_PROGRAMS

Runs where ros2_interop.py runs, and exits 77 where that does. Prints one line for each check."""

import os
import re
import signal
import subprocess
import sys

from ros2_interop import Ros, Suite, WAIT_S, find_prefix, stop

RUNS = 50
KIB = 16
TOOK = re.compile(r'^Benchmark took \d+ seconds and \d+ milliseconds\.$', re.M)

HEAD = f'''
import rclpy, time
from nav_msgs.srv import GetMap
from std_msgs.msg import UInt8MultiArray
RUNS, SIZE = {RUNS}, {KIB} * 1024
rclpy.init()
'''

PUBLISHER = HEAD + '''
node = rclpy.create_node("stress_publisher_rclpy")
publisher = node.create_publisher(UInt8MultiArray, "stress_topic", RUNS)
while publisher.get_subscription_count() == 0:
    rclpy.spin_once(node, timeout_sec=0.05)
for i in range(RUNS):
    publisher.publish(UInt8MultiArray(data=bytes(SIZE)))
publisher.wait_for_all_acked()
print("published")
'''

SUBSCRIPTION = HEAD + '''
node = rclpy.create_node("stress_subscription_rclpy")
sizes = []
node.create_subscription(UInt8MultiArray, "stress_topic", lambda m: sizes.append(len(m.data)), RUNS)
print("subscribed", flush=True)
while not sizes or sizes[-1] != SIZE:
    rclpy.spin_once(node)
print("received", set(sizes))
'''

SERVICE = HEAD + '''
node = rclpy.create_node("stress_service_rclpy")
def answer(request, response):
    response.map.header.frame_id = "main_frame"
    response.map.data = [125] * 100
    return response
service = node.create_service(GetMap, "get_map", answer)
rclpy.spin(node)
'''

CLIENT = HEAD + '''
node = rclpy.create_node("stress_client_rclpy")
client = node.create_client(GetMap, "get_map")
assert client.wait_for_service(20)
for i in range(RUNS):
    future = client.call_async(GetMap.Request())
    rclpy.spin_until_future_complete(node, future, timeout_sec=20)
    response = future.result()
    assert len(response.map.data) == SIZE and response.map.data[-1] == 125, response
    assert response.map.header.frame_id == "main_frame" and response.map.info.width == 1024
print("answered", i + 1)
'''


class Programs(Suite):
    def __init__(self, ros, programs):
        super().__init__(ros, node=None)
        self.programs = programs

    def program(self, name, *arguments):
        return [os.path.join(self.programs, name), *arguments]

    @staticmethod
    def end_of(process):
        """Its output, once it ended by itself; it is ended if it does not."""
        try:
            process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            pass
        return stop(process)

    def topic(self):
        ours = self.ros.start(self.program('subscription-stress-test'))
        code, theirs = self.ros.run(['/usr/bin/python3', '-c', PUBLISHER])
        ours.send_signal(signal.SIGINT)
        said = stop(ours)
        wanted = f'Received {RUNS} messages with {RUNS * KIB * 1024} bytes.'
        self.check('rclpy publishes, subscription-stress-test receives all',
                   code == 0 and ours.returncode == 0 and wanted in said, theirs + said)
        theirs = self.ros.start(['/usr/bin/python3', '-c', SUBSCRIPTION])
        code, said = self.ros.run(self.program('publisher-stress-test', '-r', str(RUNS), '-s',
                                               str(KIB)))
        heard = self.end_of(theirs)
        self.check('publisher-stress-test publishes, rclpy receives',
                   code == 0 and TOOK.search(said) and f'received {{{KIB * 1024}}}' in heard,
                   said + heard)

    def service(self):
        ours = self.ros.start(self.program('service-stress-test', '-s', str(KIB)))
        code, theirs = self.ros.run(['/usr/bin/python3', '-c', CLIENT])
        ours.send_signal(signal.SIGINT)
        said = stop(ours)
        self.check('service-stress-test answers every call of rclpy',
                   code == 0 and f'answered {RUNS}' in theirs and f'Served {RUNS} calls' in said,
                   theirs + said)
        theirs = self.ros.start(['/usr/bin/python3', '-c', SERVICE])
        code, said = self.ros.run(self.program('client-stress-test', '-r', str(RUNS)))
        self.check('client-stress-test is answered by rclpy', code == 0 and TOOK.search(said),
                   said + stop(theirs))


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    prefix = find_prefix()
    if prefix is None or not os.path.exists(prefix + '/lib/librmw_cyclonedds_cpp.so'):
        print('skipped: no ROS 2 with rmw_cyclonedds_cpp is sourced or found below /opt/ros')
        return 77
    suite = Programs(Ros(prefix, 'rmw_cyclonedds_cpp'), sys.argv[1])
    suite.topic()
    suite.service()
    return 1 if suite.failed else 0


if __name__ == '__main__':
    sys.exit(main())
