"""Publisher, subscriber and echo over std_msgs/UInt8MultiArray."""
import rospy
from std_msgs.msg import MultiArrayDimension, MultiArrayLayout, UInt8MultiArray


class Topic:
    def __init__(self, kit, job):
        self.kit = kit
        self.publisher = self.subscriber = None
        self.as_list = job.payload_kind == "list"
        publishes = job.role == "publisher"
        queue = 0 if job.qos.history == "keep_all" else job.qos.depth
        latch = job.qos.durability == "transient_local"
        names = job.names
        if publishes:
            self.outgoing = self._message(job.payload_bytes)
        if publishes or job.echo:
            self.publisher = rospy.Publisher(
                names.topic if publishes else names.echo_topic, UInt8MultiArray, queue_size=queue,
                latch=latch, tcp_nodelay=True)
        if not publishes or job.echo:
            self.subscriber = rospy.Subscriber(
                names.echo_topic if publishes else names.topic, UInt8MultiArray, self._on_message,
                queue_size=queue or None, tcp_nodelay=True,
                buff_size=max(65536, 2 * job.payload_bytes))

    def _message(self, size):
        dims = [MultiArrayDimension("height", 1, size), MultiArrayDimension("width", size, size),
                MultiArrayDimension("channel", 1, 1)]
        data = self.kit.data
        return UInt8MultiArray(MultiArrayLayout(dims, 0), list(data) if self.as_list else data)

    def is_matched(self):
        return ((self.publisher is None or self.publisher.get_num_connections() > 0) and
                (self.subscriber is None or self.subscriber.get_num_connections() > 0))

    def publish(self):
        data = self.kit.data
        if self.as_list:
            self.outgoing.data[:32] = data[:32]
            self.outgoing.data[-8:] = data[-8:]
        self.publisher.publish(self.outgoing)

    def echo(self, message):
        self.publisher.publish(message)

    def _on_message(self, message):
        self.kit.message(message.data, message)


def make(kit, job):
    return Topic(kit, job)
