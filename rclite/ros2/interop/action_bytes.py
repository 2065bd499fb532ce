"""Writes the messages of action_bytes_test.c with rclpy's type support, as hexadecimal digits."""
from action_msgs.msg import GoalInfo, GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from builtin_interfaces.msg import Time
from example_interfaces.action import Fibonacci
from rclpy.serialization import serialize_message
import numpy


def uuid(number):
    return numpy.array([(number * 16 + i) % 256 for i in range(16)], dtype=numpy.uint8)


def show(message):
    print(type(message).__name__, serialize_message(message).hex())


def info(number, sec, nanosec):
    message = GoalInfo(stamp=Time(sec=sec, nanosec=nanosec))
    message.goal_id.uuid = uuid(number)
    return message


wrapper = Fibonacci.Impl
message = wrapper.SendGoalService.Request()
message.goal_id.uuid = uuid(1)
message.goal.order = 10
show(message)
show(wrapper.SendGoalService.Response(
    accepted=True, stamp=Time(sec=1700000000, nanosec=123456789)))
message = wrapper.GetResultService.Request()
message.goal_id.uuid = uuid(2)
show(message)
message = wrapper.GetResultService.Response(status=GoalStatus.STATUS_SUCCEEDED)
message.result.sequence = [0, 1, 1, 2, 3]
show(message)
message = wrapper.FeedbackMessage()
message.goal_id.uuid = uuid(3)
message.feedback.sequence = [0, 1]
show(message)
show(CancelGoal.Request(goal_info=info(4, 5, 6)))
show(CancelGoal.Response(goals_canceling=[info(5, 7, 8), info(6, 9, 10)]))
show(CancelGoal.Response(return_code=CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID))
show(GoalStatusArray(status_list=[
    GoalStatus(goal_info=info(7 + i, 100 + i, i), status=status)
    for i, status in enumerate((2, 4, 6))]))
