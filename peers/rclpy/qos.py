"""The job's QoS as rclpy's."""
from rclpy.duration import Duration
from rclpy.qos import (DurabilityPolicy, HistoryPolicy, LivelinessPolicy, QoSProfile,
                       ReliabilityPolicy)


def make(asked):
    values = {
        "depth": asked.depth,
        "history": HistoryPolicy.KEEP_ALL if asked.history == "keep_all" else HistoryPolicy.KEEP_LAST,
        "reliability": (ReliabilityPolicy.RELIABLE if asked.reliability == "reliable"
                        else ReliabilityPolicy.BEST_EFFORT),
        "durability": (DurabilityPolicy.VOLATILE if asked.durability == "volatile"
                       else DurabilityPolicy.TRANSIENT_LOCAL),
        "liveliness": (LivelinessPolicy.AUTOMATIC if asked.liveliness == "automatic"
                       else LivelinessPolicy.MANUAL_BY_TOPIC),
    }
    for name, ns in (("deadline", asked.deadline_ns), ("lifespan", asked.lifespan_ns),
                     ("liveliness_lease_duration", asked.liveliness_lease_ns)):
        if ns:
            values[name] = Duration(nanoseconds=ns)
    return QoSProfile(**values)
