"""Tests of the kit without a client library: the job, the payload, the sample file, the order of
sends."""
import json
import os
import struct
import tempfile
import threading
import unittest

import peer_kit
from peer_kit import payload
from peer_kit.job import Broken, Job, Refused
from peer_kit.rows import Rows

JOB = {
    "protocol": 1, "generation": 1, "pattern": "topic", "role": "publisher", "echo": False,
    "names": {"node": "/a", "topic": "/t", "echo_topic": None, "service": None, "action": None},
    "type": "std_msgs/msg/UInt8MultiArray",
    "qos": {"reliability": "reliable", "durability": "volatile", "history": "keep_last",
            "depth": 10, "deadline_ns": 0, "lifespan_ns": 0, "liveliness": "automatic",
            "liveliness_lease_ns": 0},
    "payload_bytes": 64, "payload_kind": "bytes", "count": 5, "duration_ns": 0, "period_ns": 0,
    "warmup": 2, "in_flight": 1,
    "endpoints": {"publishers": 1, "subscribers": 1, "clients": 1, "servers": 1, "nodes": 1},
    "verify": "ends", "run_id": 77, "foreign": False, "match_timeout_ns": 10**9,
    "quiet_ns": 10**8, "call_timeout_ns": 10**9, "samples": "/tmp/x", "settings": {},
}


def make_job(**changes):
    return Job(json.dumps({**JOB, **changes}))


class JobTest(unittest.TestCase):
    def test_good(self):
        job = make_job()
        self.assertEqual((job.names.topic, job.qos.depth, job.count), ("/t", 10, 5))
        self.assertTrue(job.sends)
        self.assertIsNone(job.not_plain())

    def test_refused_by_name(self):
        for changes, name in [
                ({"novelty": 1}, "novelty"), ({"protocol": 2}, "protocol"),
                ({"echo": 1}, "echo"), ({"count": True}, "count"),
                ({"payload_bytes": 39}, "payload_bytes"), ({"count": 0}, "count"),
                ({"role": "client"}, "role"), ({"qos": {**JOB["qos"], "depth": 0}}, "qos.depth"),
                ({"names": {**JOB["names"], "topic": None}}, "names.topic"),
                ({"qos": {**JOB["qos"], "new": 1}}, "qos.new")]:
            with self.assertRaises(Refused) as raised:
                make_job(**changes)
            self.assertEqual(str(raised.exception), name)

    def test_broken(self):
        for text in ("", "[]", "{", "{}"):
            self.assertRaises((Broken, Refused), Job, text)

    def test_not_plain(self):
        job = make_job(endpoints={**JOB["endpoints"], "nodes": 2})
        self.assertEqual(job.not_plain(), "endpoints.nodes")


class PayloadTest(unittest.TestCase):
    def test_bytes_are_those_of_the_protocol(self):
        data = payload.make(1000, 12345)
        payload.stamp(data, 12345, 7, 99)
        payload.stamp_t1(data, 100)
        self.assertEqual(payload.read(data), (12345, 7, 99, 100))
        self.assertEqual(data[-8:], struct.pack("<Q", 7))
        for i in (32, 500, 991):
            self.assertEqual(data[i], (i * 131 + 12345) % 251)
        body = payload.make(1000, 12345)
        self.assertTrue(payload.is_intact(data, 7, body))
        data[500] ^= 1
        self.assertTrue(payload.is_intact(data, 7, None))
        self.assertFalse(payload.is_intact(data, 7, body))
        self.assertFalse(payload.is_intact(data, 8, None))
        self.assertIsNone(payload.read(bytes(39)))

    def test_map(self):
        data = list(payload.make_map(250))
        self.assertTrue(payload.is_map_intact(data, 250, True))
        self.assertFalse(payload.is_map_intact(data, 251, False))
        data[100] = 5
        self.assertTrue(payload.is_map_intact(data, 250, False))
        self.assertFalse(payload.is_map_intact(data, 250, True))


class RowsTest(unittest.TestCase):
    def test_file(self):
        rows = Rows(3)
        rows.put(0, 1 | payload.WARMUP, 2, 3, 4, 5, 6)
        rows.put(1, 9, 0, 0, 0, 0, -1 % 2**64)
        rows.count = 2
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s")
            rows.write(path, make_job(), 55)
            with open(path, "rb") as stream:
                data = stream.read()
        self.assertEqual(len(data), 64 + 2 * 48)
        self.assertEqual(struct.unpack_from("<8sIIQQII", data),
                         (b"RCLBSAMP", 1, 48, 2, 77, 1, 0))
        self.assertEqual(struct.unpack_from("<qqQ", data, 40), (0, 55, 0))
        self.assertEqual(struct.unpack_from("<6Q", data, 64)[1:], (2, 3, 4, 5, 6))
        self.assertEqual(rows.counted(payload.WARMUP), 1)


class Blocking(peer_kit.Peer):
    """Its calls return with the answer, as rospy's do."""

    def __init__(self):
        self.depth = self.deepest = 0
        self.tokens = []

    def call(self, token, t1_ns):
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        self.tokens.append(token)
        self.kit.answered(token, 1, 2, 3)
        self.depth -= 1


class Later(Blocking):
    """Its answers come on another thread."""

    def call(self, token, t1_ns):
        self.tokens.append(token)
        threading.Thread(target=self.kit.answered, args=(token, 1, 2, 3)).start()


class Silent:
    finished = False

    def say(self, line):
        pass


class ReceivingTest(unittest.TestCase):
    def test_a_backlog_of_handshakes_is_traffic(self):
        job = make_job(role="subscriber")
        kit = peer_kit.Kit(peer_kit.Peer(), job, Silent())
        data = payload.make(job.payload_bytes, job.run_id)
        payload.stamp(data, job.run_id, payload.HANDSHAKE, 0)
        for _ in range(2):  # the first is what `ready` waits for, the second is late
            kit.receiving.last_ns = 0
            kit.message(data, None)
            self.assertGreater(kit.receiving.last_ns, 0)
        self.assertEqual(kit.rows.count, 0)


class SendingTest(unittest.TestCase):
    def run_client(self, peer, **changes):
        job = make_job(pattern="service", role="client", payload_bytes=10,
                       names={**JOB["names"], "service": "/s"}, **changes)
        peer.kit = peer_kit.Kit(peer, job, Silent())
        peer.kit.sending.run()
        return peer.kit

    def check(self, kit, peer, total):
        self.assertIsNone(kit.failure)
        self.assertEqual(sorted(peer.tokens), list(range(total)))
        self.assertEqual(kit.rows.count, total)
        self.assertEqual(kit.rows.counted(payload.WARMUP), total - 2)
        for i in range(total):
            self.assertEqual(list(kit.rows.values[6 * i + 3:6 * i + 6]), [1, 2, 3])

    def test_blocking_calls_do_not_pile_up(self):
        peer = Blocking()
        kit = self.run_client(peer, count=5000)
        self.check(kit, peer, 5002)
        self.assertEqual(peer.deepest, 1)

    def test_answers_on_another_thread(self):
        peer = Later()
        self.check(self.run_client(peer, count=50, in_flight=3), peer, 52)

    def test_schedule(self):
        peer = Blocking()
        kit = self.run_client(peer, count=10, period_ns=2_000_000)
        self.check(kit, peer, 12)
        planned = [kit.rows.values[6 * i + 1] for i in range(12)]
        self.assertTrue(all(b - a == 2_000_000 for a, b in zip(planned, planned[1:])))
        for i in range(12):
            self.assertGreaterEqual(kit.rows.values[6 * i + 2], planned[i])

    def test_a_duration_at_a_rate_is_a_number(self):
        kit = self.run_client(Blocking(), count=0, duration_ns=20_000_000, period_ns=2_000_000)
        counted = kit.rows.counted(payload.WARMUP)
        self.assertTrue(1 <= counted <= 10)  # fewer only where the machine is too slow

    def test_a_failing_call_ends_the_run(self):
        class Failing(Blocking):
            def call(self, token, t1_ns):
                raise OSError("gone")
        self.assertEqual(self.run_client(Failing()).failure, "gone")


if __name__ == "__main__":
    unittest.main()
