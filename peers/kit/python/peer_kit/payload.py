"""The bytes of a topic message and of a GetMap response (docs/peer-protocol.md)."""
import struct

HANDSHAKE = 1 << 63
WARMUP = 1 << 62
CORRUPT = 1 << 61

_HEAD = struct.Struct("<QQqq")
_SEQ = struct.Struct("<Q")
_T1 = struct.Struct("<q")
_MAP_END = 8


def make(size, run_id):
    """A payload with its body; the rest is stamped for each message."""
    cycle = bytes((i * 131 + run_id) % 251 for i in range(251))
    data = bytearray((cycle * (size // 251 + 1))[:size])
    data[:32] = bytes(32)
    return data


def stamp(data, run_id, seq, planned_ns):
    _HEAD.pack_into(data, 0, run_id, seq, planned_ns, 0)
    _SEQ.pack_into(data, len(data) - 8, seq)


def stamp_t1(data, t1_ns):
    _T1.pack_into(data, 24, t1_ns)


def read(data):
    """(run_id, seq, planned_ns, t1_ns), or None: too short."""
    return _HEAD.unpack_from(data, 0) if len(data) >= 40 else None


def is_intact(data, seq, body):
    """body: what make() gave, or None: only the ends are checked."""
    if _SEQ.unpack_from(data, len(data) - 8)[0] != seq:
        return False
    return body is None or memoryview(data)[32:-8] == memoryview(body)[32:-8]


MAP_FRAME = "main_frame"
MAP_RESOLUTION = 1.0
MAP_WIDTH = 1024
MAP_HEIGHT = 768


def make_map(size):
    """map.data of a response, as bytes: the elements are below 100, so they are int8 too."""
    return (bytes(range(100)) * (size // 100 + 1))[:size]


def is_map_intact(data, size, full):
    """data: any sequence of integers."""
    if len(data) != size:
        return False
    if full or size <= 2 * _MAP_END:
        return all(value == i % 100 for i, value in enumerate(data))
    ends = list(range(_MAP_END)) + list(range(size - _MAP_END, size))
    return all(data[i] == i % 100 for i in ends)
