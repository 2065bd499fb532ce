"""The Fibonacci action with rclpy: the other end of fibonacci.c, same arguments, same output."""
import sys
import time

import rclpy
from action_msgs.msg import GoalStatus
from example_interfaces.action import Fibonacci
from rclpy.action import ActionClient, ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor

WORDS = {GoalStatus.STATUS_SUCCEEDED: 'SUCCEEDED', GoalStatus.STATUS_CANCELED: 'CANCELED',
         GoalStatus.STATUS_ABORTED: 'ABORTED'}


def say(*words):
    print(*words, flush=True)


def execute(handle):
    order = handle.request.order
    numbers = []
    result = Fibonacci.Result()
    while len(numbers) < (5 if order == 77 else order):
        if handle.is_cancel_requested:
            handle.canceled()
            result.sequence = numbers
            return result
        numbers.append(len(numbers) if len(numbers) < 2 else (numbers[-1] + numbers[-2]) % 2**31)
        handle.publish_feedback(Fibonacci.Feedback(sequence=numbers))
        time.sleep(0.02)
    if order == 77:
        handle.abort()
    else:
        handle.succeed()
    result.sequence = numbers
    return result


def serve(node):
    server = ActionServer(
        node, Fibonacci, 'fibonacci', execute,
        callback_group=ReentrantCallbackGroup(),
        goal_callback=lambda goal: GoalResponse.REJECT if goal.order < 0 else GoalResponse.ACCEPT,
        cancel_callback=lambda handle: CancelResponse.ACCEPT)
    executor = MultiThreadedExecutor()
    executor.add_node(node)
    say('ready')
    try:
        executor.spin()
    finally:
        server.destroy()


def call(node, order, cancels):
    client = ActionClient(node, Fibonacci, 'fibonacci')
    if not client.wait_for_server(timeout_sec=20.0):
        sys.exit('no server')
    state = {'feedbacks': 0, 'handle': None}

    def cancel_when_due():
        if cancels and state['feedbacks'] >= 3 and state['handle']:
            state['handle'].cancel_goal_async()
            state['handle'] = None

    def on_feedback(message):
        say('feedback', *message.feedback.sequence)
        state['feedbacks'] += 1
        cancel_when_due()

    sent = client.send_goal_async(Fibonacci.Goal(order=order), feedback_callback=on_feedback)
    rclpy.spin_until_future_complete(node, sent, timeout_sec=20.0)
    handle = sent.result()
    if not handle.accepted:
        say('rejected')
        say('REJECTED')
        return
    say('accepted')
    state['handle'] = handle
    cancel_when_due()
    got = handle.get_result_async()
    rclpy.spin_until_future_complete(node, got, timeout_sec=20.0)
    say(WORDS[got.result().status])
    say('result', *got.result().result.sequence)


def main():
    rclpy.init(args=sys.argv)
    role = sys.argv[1]
    node = rclpy.create_node('fibonacci_' + role)
    try:
        if role == 'server':
            serve(node)
        else:
            call(node, int(sys.argv[2]), 'cancel' in sys.argv[3:])
    except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
        pass
    node.destroy_node()


if __name__ == '__main__':
    main()
