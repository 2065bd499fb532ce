"""Publisher, subscriber, and both for the echo, over std_msgs/UInt8MultiArray."""
import qos
from std_msgs.msg import MultiArrayDimension, MultiArrayLayout, UInt8MultiArray


class Topic:
    def __init__(self, kit, job, node):
        self.kit = kit
        self.as_list = job.payload_kind == "list"
        self.publisher = self.subscription = None
        publishes = job.role == "publisher"
        names = job.names
        profile = qos.make(job.qos)
        if publishes:
            self._make_message(job.payload_bytes)
        if publishes or job.echo:
            self.publisher = node.create_publisher(
                UInt8MultiArray, names.topic if publishes else names.echo_topic, profile)
        if not publishes or job.echo:
            self.subscription = node.create_subscription(
                UInt8MultiArray, names.echo_topic if publishes else names.topic, self._on_message,
                profile)

    def _make_message(self, size):
        dims = [MultiArrayDimension(label="height", size=1, stride=size),
                MultiArrayDimension(label="width", size=size, stride=size),
                MultiArrayDimension(label="channel", size=1, stride=1)]
        self.outgoing = UInt8MultiArray(layout=MultiArrayLayout(dim=dims), data=self.kit.data)
        self.kit.data = self.outgoing.data  # the kit stamps the very array that the message holds
        self.values = list(self.kit.data) if self.as_list else None

    def is_matched(self):
        return ((self.publisher is None or self.publisher.get_subscription_count() > 0) and
                (self.subscription is None or self.subscription.get_publisher_count() > 0))

    def publish(self):
        if self.as_list:
            data = self.kit.data
            self.values[:32] = data[:32]
            self.values[-8:] = data[-8:]
            self.outgoing.data = self.values  # makes an array of it
            self.kit.data = self.outgoing.data
        self.publisher.publish(self.outgoing)

    def echo(self, message):
        if self.as_list:
            message.data = list(message.data)
        self.publisher.publish(message)

    def _on_message(self, message):
        self.kit.message(message.data, message)


def make(kit, job, node, _executor):
    return Topic(kit, job, node)
