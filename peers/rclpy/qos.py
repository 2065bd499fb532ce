"""The job's QoS as rclpy's, and the QoS in force as the job's."""
import time

from rclpy.duration import Duration
from rclpy.qos import (DurabilityPolicy, HistoryPolicy, LivelinessPolicy, QoSProfile,
                       ReliabilityPolicy)


def make(asked):
    values = {
        "depth": asked.depth,
        "history": (HistoryPolicy.KEEP_ALL if asked.history == "keep_all"
                    else HistoryPolicy.KEEP_LAST),
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


INFINITE_NS = 2**63 - 1
NAMES = ("reliability", "durability", "history", "depth", "deadline_ns", "lifespan_ns",
         "liveliness", "liveliness_lease_ns")
WORDS = ("reliable", "best_effort", "volatile", "transient_local", "keep_last", "keep_all",
         "automatic", "manual_by_topic")


def in_force(node, job, wait_s):
    """What the graph says of this node's endpoint of the job (of a service, that of its requests),
    which it learns a little after the endpoint was made; None where the middleware does not
    tell."""
    topic = {"service": f"rq{job.names.service}Request",
             "action": f"rq{job.names.action}/_action/send_goalRequest"}.get(
                 job.pattern, f"rt{job.names.topic}")
    ask = node.get_publishers_info_by_topic if job.sends else node.get_subscriptions_info_by_topic
    until = time.monotonic() + wait_s
    while True:
        for info in ask(topic, no_mangle=True):
            if (info.node_namespace, info.node_name) == (node.get_namespace(), node.get_name()):
                return _values(info.qos_profile)
        if time.monotonic() >= until:
            return dict.fromkeys(NAMES)
        time.sleep(0.002)


def _values(profile):
    values = {}
    for name in ("reliability", "durability", "history", "liveliness"):
        word = getattr(profile, name).name.lower()
        values[name] = word if word in WORDS else None
    values["depth"] = profile.depth if values["history"] == "keep_last" else None
    for name, duration in (("deadline_ns", profile.deadline), ("lifespan_ns", profile.lifespan),
                           ("liveliness_lease_ns", profile.liveliness_lease_duration)):
        values[name] = 0 if duration.nanoseconds >= INFINITE_NS else duration.nanoseconds
    return values
