#!/usr/bin/python3
"""A rospy node that offers what `node serve` offers, for interop.py."""
import sys

import actionlib
import rospy
from actionlib_benchmark.msg import (RoundtripAction, RoundtripFeedback, RoundtripResult)
from nav_msgs.srv import GetMap, GetMapResponse
from std_msgs.msg import String

SUCCEED, ABORT, HOLD = 1, 2, 3


def serve_map(_request):
    response = GetMapResponse()
    response.map.info.width = 640
    response.map.data = [1, 2, 3]
    return response


def serve_failure(_request):
    raise rospy.ServiceException("out of maps")


class Trip:
    def __init__(self):
        self.server = actionlib.SimpleActionServer("/trip", RoundtripAction, self.execute, False)
        self.server.start()

    def execute(self, goal):
        self.server.publish_feedback(RoundtripFeedback())
        if goal.start.secs == SUCCEED:
            self.server.set_succeeded(RoundtripResult(goal.start))
        elif goal.start.secs == ABORT:
            self.server.set_aborted(RoundtripResult(goal.start))
        else:
            while not self.server.is_preempt_requested():
                rospy.sleep(0.01)
            self.server.set_preempted(RoundtripResult(rospy.Time(77)))


def main():
    rospy.init_node("foreign")
    latched = rospy.Publisher("/latched", String, queue_size=1, latch=True)
    latched.publish("kept")
    pong = rospy.Publisher("/pong", String, queue_size=10)
    rospy.Subscriber("/ping", String, pong.publish)
    rospy.Service("/map", GetMap, serve_map)
    rospy.Service("/fail", GetMap, serve_failure)
    trip = Trip()
    print("serving", flush=True)
    rospy.spin()
    del trip


if __name__ == "__main__":
    sys.exit(main())
