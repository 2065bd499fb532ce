#!/usr/bin/python3
"""rclite against a real ROS 2: the ros2 command and rclpy meet rclite nodes, in both directions.

Usage: ros2_interop.py PATH_OF_rclite_node [--only WORD]

Runs where a ROS 2 installation is sourced or found below /opt/ros, over rmw_cyclonedds_cpp and on
loopback only; exits 77 where there is none. Prints one line for each check; exits 1 if one
fails."""

import glob
import json
import os
import re
import signal
import subprocess
import sys
import time

LOOPBACK = ('<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="lo" '
            'multicast="true"/></Interfaces></General></Domain></CycloneDDS>')
WAIT_S = 60


def find_prefix():
    """The installation's prefix, or None."""
    candidates = os.environ.get('AMENT_PREFIX_PATH', '').split(':')
    candidates += sorted(glob.glob('/opt/ros/*'), reverse=True)
    for prefix in candidates:
        if prefix and all(os.path.exists(prefix + part) for part in ('/setup.bash', '/bin/ros2')):
            return prefix
    return None


class Ros:
    """Runs commands in the environment of the installation."""

    def __init__(self, prefix, rmw):
        self.prefix = prefix
        self.rmw = rmw
        self.domain = str(100 + os.getpid() % 100)
        keep = {key: os.environ[key] for key in ('HOME', 'LANG', 'LD_LIBRARY_PATH')
                if key in os.environ}
        base = dict(keep, PATH='/usr/bin:/bin', ROS_DOMAIN_ID=self.domain,
                    RMW_IMPLEMENTATION=rmw, CYCLONEDDS_URI=LOOPBACK, PYTHONUNBUFFERED='1',
                    ROS_LOCALHOST_ONLY='0' if rmw == 'rmw_cyclonedds_cpp' else '1')
        if rmw == 'rmw_cyclonedds_cpp':
            del base['ROS_LOCALHOST_ONLY']
        out = subprocess.run(['bash', '-c', f'source {prefix}/setup.bash && env -0'], env=base,
                             stdout=subprocess.PIPE, check=True).stdout.decode()
        self.env = dict(item.split('=', 1) for item in out.split('\0') if '=' in item)

    def start(self, command):
        return subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, start_new_session=True)

    def run(self, command, timeout=WAIT_S):
        """(exit code, output); the code is None after the timeout."""
        process = self.start(command)
        try:
            output, _ = process.communicate(timeout=timeout)
            return process.returncode, output.decode()
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return None, output.decode()


def stop(process):
    """Ends a process that we started; its output."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        output, _ = process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    return output.decode()


class Suite:
    def __init__(self, ros, node):
        self.ros = ros
        self.node = node
        self.failed = 0

    def check(self, name, good, seen=''):
        print(('ok      ' if good else 'FAILED  ') + name, flush=True)
        if not good:
            self.failed += 1
            print('        ' + seen.strip().replace('\n', '\n        '), flush=True)

    def ros2(self, *words, timeout=WAIT_S):
        return self.ros.run(['ros2', *words], timeout)

    def rclite(self, *words):
        return self.ros.start([self.node, *words])

    def wait_for(self, pattern, *words):
        """Asks the ros2 command until its answer shows the pattern: discovery takes a moment."""
        end = time.monotonic() + WAIT_S
        while True:
            _, output = self.ros2(*words)
            if re.search(pattern, output) or time.monotonic() > end:
                return output

    # ---- the ros2 command against rclite nodes

    def graph(self):
        talker = self.rclite('talk', '/chatter', '0')
        output = self.wait_for(r'/rclite_node', 'node', 'list', '--no-daemon')
        self.check('ros2 node list', re.search(r'^/rclite_node$', output, re.M), output)
        _, output = self.ros2('node', 'info', '--no-daemon', '/rclite_node')
        self.check('ros2 node info', '/chatter: std_msgs/msg/String' in output, output)
        _, output = self.ros2('topic', 'list', '-t', '--no-daemon')
        self.check('ros2 topic list -t', '/chatter [std_msgs/msg/String]' in output, output)
        _, output = self.ros2('topic', 'info', '-v', '--no-daemon', '/chatter')
        with open(self.ros.prefix + '/share/std_msgs/msg/String.json', encoding='utf-8') as file:
            wanted = next(entry['hash_string'] for entry in json.load(file)['type_hashes']
                          if entry['type_name'] == 'std_msgs/msg/String')
        self.check('ros2 topic info -v: node, QoS and type hash',
                   'Node name: rclite_node' in output and 'KEEP_LAST (10)' in output and
                   wanted in output and 'RELIABLE' in output, output)
        self.check('no warning of type hashes', 'type hash for topic' not in output, output)
        _, output = self.ros2('topic', 'echo', '--once', '/chatter', 'std_msgs/msg/String')
        self.check('ros2 topic echo', re.search(r'data: hello \d+', output), output)
        _, output = self.ros2('topic', 'hz', '--window', '20', '/chatter', timeout=12)
        self.check('ros2 topic hz', re.search(r'average rate: (19|2[01])\.', output), output)
        stop(talker)

    def publish(self):
        listener = self.rclite('listen', '/heard', '3')
        _, output = self.ros2('topic', 'pub', '-w', '1', '-t', '3', '-r', '5', '/heard',
                              'std_msgs/msg/String', '{data: from the command line}')
        heard = stop(listener) if listener.poll() is None else listener.communicate()[0].decode()
        self.check('ros2 topic pub', heard.count('heard from the command line') >= 2,
                   output + heard)

    def services(self):
        server = self.rclite('serve_flag', '/flag', '0')
        output = self.wait_for(r'/flag', 'service', 'list', '-t', '--no-daemon')
        self.check('ros2 service list -t', '/flag [std_srvs/srv/SetBool]' in output, output)
        _, output = self.ros2('service', 'call', '/flag', 'std_srvs/srv/SetBool', '{data: true}')
        self.check('ros2 service call', "success=True, message='it is on'" in output, output)
        stop(server)
        server = self.rclite('serve', '/map', '0')
        _, output = self.ros2('service', 'call', '/map', 'nav_msgs/srv/GetMap', '{}')
        self.check('ros2 service call with an empty request',
                   "frame_id='rclite'" in output, output[-2000:])
        stop(server)

    def actions(self):
        server = self.rclite('act', '/count', '0')
        output = self.wait_for(r'/count', 'action', 'list', '-t')
        self.check('ros2 action list -t',
                   '/count [example_interfaces/action/Fibonacci]' in output, output)
        _, output = self.ros2('action', 'info', '/count')
        self.check('ros2 action info', re.search(r'Action servers: 1\s+/rclite_node', output),
                   output)
        _, output = self.ros2('action', 'send_goal', '--feedback', '/count',
                              'example_interfaces/action/Fibonacci', '{order: 5}')
        self.check('ros2 action send_goal --feedback',
                   'SUCCEEDED' in output and 'Feedback' in output and
                   re.search(r'sequence:\s*- 0\s*- 1\s*- 1\s*- 2\s*- 3', output), output)
        _, output = self.ros2('node', 'info', '--no-daemon', '/rclite_node')
        self.check('ros2 node info shows the action',
                   '/count: example_interfaces/action/Fibonacci' in output, output)
        stop(server)

    # ---- rclpy programs and rclite nodes

    def python(self, code):
        return self.ros.start(['/usr/bin/python3', '-c', code])

    def rclpy_service(self):
        server = self.python(RCLPY_SERVER)
        code, output = self.ros.run([self.node, 'call', '/pymap', '20'])
        self.check('rclite client, rclpy server, 20 calls',
                   code == 0 and output.count('answer rclpy 9') == 20, output)
        stop(server)
        server = self.rclite('serve', '/map', '0')
        code, output = self.ros.run(['/usr/bin/python3', '-c', RCLPY_CLIENT])
        self.check('rclpy client, rclite server, 20 calls',
                   code == 0 and output.count('answer rclite 64') == 20, output)
        stop(server)

    def rclpy_action(self):
        server = self.python(RCLPY_ACTION_SERVER)
        code, output = self.ros.run([self.node, 'goal', '/pycount', '3'])
        self.check('rclite action client, rclpy action server, 3 goals',
                   code == 0 and output.count('result SUCCEEDED 5') == 3 and
                   'feedback 3' in output, output)
        stop(server)

        server = self.rclite('act', '/count', '0')
        code, output = self.ros.run(['/usr/bin/python3', '-c', RCLPY_ACTION_CLIENT])
        served = stop(server)
        self.check('rclpy action client, rclite action server, 3 goals with feedback',
                   code == 0 and output.count('result 4 [0, 1, 1, 2, 3]') == 3 and
                   output.count('feedback 5') == 3, output + served)
        self.check('rclpy action client, rclite action server: canceled',
                   'canceling 1' in output and 'result 5 []' in output and
                   'canceled: ' in served, output + served)
        self.check('rclpy action client, rclite action server: rejected',
                   'accepted False' in output, output + served)

    def rclpy_graph(self):
        talker = self.python(RCLPY_TALKER)
        code, output = self.ros.run([self.node, 'nodes', '/ns/pytalker', '2'])
        self.check('the graph as rclite sees it', code == 0 and 'node /ns/pytalker' in output and
                   'node /rclite_node' in output, output)
        code, output = self.ros.run([self.node, 'listen', '/ns/chatter', '5'])
        self.check('rclpy publisher, rclite subscription',
                   code == 0 and output.count('heard from rclpy') == 5, output)
        stop(talker)

    def ranges(self):
        """An equal environment on both sides is enough to meet, whatever it says."""
        for name, value in (('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SUBNET'),
                            ('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST'),
                            ('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SYSTEM_DEFAULT'),
                            ('ROS_LOCALHOST_ONLY', '1'), ('ROS_STATIC_PEERS', '127.0.0.1')):
            saved = dict(self.ros.env)
            self.ros.env.pop('ROS_AUTOMATIC_DISCOVERY_RANGE', None)
            self.ros.env[name] = value
            talker = self.rclite('talk', '/chatter', '0')
            _, output = self.ros2('topic', 'echo', '--once', '/chatter', 'std_msgs/msg/String')
            self.check(f'meeting with {name}={value}', 'data: hello' in output, output)
            stop(talker)
            self.ros.env = saved

    def run(self, only):
        for name in ('graph', 'publish', 'services', 'actions', 'rclpy_service', 'rclpy_action',
                     'rclpy_graph', 'ranges'):
            if only in (None, name):
                getattr(self, name)()
        return 1 if self.failed else 0


RCLPY_SERVER = '''
import rclpy
from nav_msgs.srv import GetMap
def answer(request, response):
    response.map.header.frame_id = "rclpy"
    response.map.data = [7] * 9
    return response
rclpy.init()
node = rclpy.create_node("pyserver")
service = node.create_service(GetMap, "/pymap", answer)
rclpy.spin(node)
'''

RCLPY_CLIENT = '''
import rclpy
from nav_msgs.srv import GetMap
rclpy.init()
node = rclpy.create_node("pyclient")
client = node.create_client(GetMap, "/map")
assert client.wait_for_service(20)
for i in range(20):
    future = client.call_async(GetMap.Request())
    rclpy.spin_until_future_complete(node, future, timeout_sec=20)
    print("answer", future.result().map.header.frame_id, len(future.result().map.data))
'''

RCLPY_TALKER = '''
import rclpy
from std_msgs.msg import String
rclpy.init()
node = rclpy.create_node("pytalker", namespace="/ns")
publisher = node.create_publisher(String, "chatter", 10)
node.create_timer(0.05, lambda: publisher.publish(String(data="from rclpy")))
rclpy.spin(node)
'''

RCLPY_ACTION_CLIENT = '''
import rclpy
from rclpy.action import ActionClient
from example_interfaces.action import Fibonacci
rclpy.init()
node = rclpy.create_node("pyasker")
client = ActionClient(node, Fibonacci, "/count")
assert client.wait_for_server(20)
def wait(future):
    rclpy.spin_until_future_complete(node, future, timeout_sec=20)
    return future.result()
def told(message):
    print("feedback", len(message.feedback.sequence))
def send(order):
    return wait(client.send_goal_async(Fibonacci.Goal(order=order), feedback_callback=told))
def finish(handle):
    answer = wait(handle.get_result_async())
    print("result", answer.status, list(answer.result.sequence))
for i in range(3):
    finish(send(5))
held = send(0)
print("canceling", len(wait(held.cancel_goal_async()).goals_canceling))
finish(held)
print("accepted", send(-1).accepted)
'''

RCLPY_ACTION_SERVER = '''
import rclpy
from rclpy.action import ActionServer
from example_interfaces.action import Fibonacci
def execute(handle):
    sequence = [0, 1]
    while len(sequence) < handle.request.order:
        sequence.append(sequence[-1] + sequence[-2])
        handle.publish_feedback(Fibonacci.Feedback(sequence=sequence))
    handle.succeed()
    return Fibonacci.Result(sequence=sequence)
rclpy.init()
node = rclpy.create_node("pyactor")
server = ActionServer(node, Fibonacci, "/pycount", execute)
rclpy.spin(node)
'''


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    prefix = find_prefix()
    if prefix is None:
        print('skipped: no ROS 2 is sourced or found below /opt/ros')
        return 77
    if not os.path.exists(prefix + '/lib/librmw_cyclonedds_cpp.so'):
        print(f'skipped: {prefix} has no rmw_cyclonedds_cpp')
        return 77
    only = sys.argv[3] if len(sys.argv) > 3 and sys.argv[2] == '--only' else None
    print(f'ROS 2 at {prefix}, rmw_cyclonedds_cpp')
    ros = Ros(prefix, 'rmw_cyclonedds_cpp')
    try:
        return Suite(ros, sys.argv[1]).run(only)
    finally:
        ros.run(['ros2', 'daemon', 'stop'], timeout=20)


if __name__ == '__main__':
    sys.exit(main())
