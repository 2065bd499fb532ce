"""The job: JSON in, a checked object out. A field that is not known, or whose value is out of
range, is refused by its name, because a peer that ignored one would measure something else than was
asked."""
import json

TIME_MAX = 10**15
COUNT_MAX = 10**9
MANY = 10000


class Refused(Exception):
    """Names the field that is refused."""


class Broken(Exception):
    """Says what is wrong with the job as a whole."""


def _number(low, high):
    return lambda value: type(value) is int and low <= value <= high


def _choice(*values):
    return lambda value: value in values


def _text(value):
    return isinstance(value, str) and value != "" and "\0" not in value


def _text_or_null(value):
    return value is None or _text(value)


def _truth(value):
    return isinstance(value, bool)


FIELDS = {
    "protocol": _number(1, 1),
    "generation": _number(1, 2),
    "pattern": _choice("topic", "service", "action", "startup"),
    "role": _choice("publisher", "subscriber", "client", "server"),
    "echo": _truth,
    "type": _text,
    "payload_bytes": _number(0, 2**31 - 1),
    "payload_kind": _choice("bytes", "list"),
    "count": _number(0, COUNT_MAX),
    "duration_ns": _number(0, TIME_MAX),
    "period_ns": _number(0, TIME_MAX),
    "warmup": _number(0, COUNT_MAX),
    "in_flight": _number(1, MANY),
    "verify": _choice("ends", "full"),
    "run_id": _number(0, 2**63 - 1),
    "foreign": _truth,
    "match_timeout_ns": _number(1, TIME_MAX),
    "quiet_ns": _number(0, TIME_MAX),
    "call_timeout_ns": _number(1, TIME_MAX),
    "samples": _text,
    "settings": lambda value: isinstance(value, dict),
    "names": {
        "node": _text,
        "topic": _text_or_null,
        "echo_topic": _text_or_null,
        "service": _text_or_null,
        "action": _text_or_null,
    },
    "qos": {
        "reliability": _choice("reliable", "best_effort"),
        "durability": _choice("volatile", "transient_local"),
        "history": _choice("keep_last", "keep_all"),
        "depth": _number(1, 2**31 - 1),
        "deadline_ns": _number(0, TIME_MAX),
        "lifespan_ns": _number(0, TIME_MAX),
        "liveliness": _choice("automatic", "manual_by_topic"),
        "liveliness_lease_ns": _number(0, TIME_MAX),
    },
    "endpoints": {
        "publishers": _number(1, MANY),
        "subscribers": _number(1, MANY),
        "clients": _number(1, MANY),
        "servers": _number(1, MANY),
        "nodes": _number(1, MANY),
    },
}


class Section:
    """The fields of one JSON object as attributes."""

    def __init__(self, values):
        self.__dict__.update(values)


def _read_section(values, fields, prefix):
    if not isinstance(values, dict):
        raise Refused(prefix.rstrip("."))
    for name in values:
        if name not in fields:
            raise Refused(prefix + name)
    result = {}
    for name, check in fields.items():
        if name not in values:
            raise Broken(f"the job lacks the field {prefix}{name}")
        if isinstance(check, dict):
            result[name] = Section(_read_section(values[name], check, f"{prefix}{name}."))
        elif check(values[name]):
            result[name] = values[name]
        else:
            raise Refused(prefix + name)
    return result


class Job(Section):
    def __init__(self, text):
        try:
            values = json.loads(text)
        except ValueError as problem:
            raise Broken(f"the job is not JSON: {problem}") from problem
        if not isinstance(values, dict):
            raise Broken("the job is not a JSON object")
        super().__init__(_read_section(values, FIELDS, ""))
        self._check_sense()

    def _check_sense(self):
        calls = self.pattern in ("service", "action")
        if calls != (self.role in ("client", "server")):
            raise Refused("role")
        if self.echo and self.pattern != "topic":
            raise Refused("echo")
        if self.count == 0 and self.duration_ns == 0:
            raise Refused("count")
        if not calls and self.payload_bytes < 40:
            raise Refused("payload_bytes")
        needed = {"service": "service", "action": "action"}.get(self.pattern, "topic")
        if getattr(self.names, needed) is None:
            raise Refused(f"names.{needed}")
        if self.echo and self.names.echo_topic is None:
            raise Refused("names.echo_topic")

    @property
    def sends(self):
        return self.role in ("publisher", "client")

    def not_plain(self):
        """The name of a field whose value a plain peer does not support, or None."""
        for name, value in vars(self.endpoints).items():
            if value != 1:
                return f"endpoints.{name}"
        return None
