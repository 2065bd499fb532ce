"""The kit for peers written in Python (docs/peer-protocol.md). A peer derives from Peer, makes its
library's calls there, and reports to the kit what the library delivers; it computes nothing and
prints nothing."""
import json
import sys
import threading
import time
import traceback

from . import payload
from .channel import Channel
from .job import Broken, Job, Refused
from .receiving import Receiving
from .rows import Rows, capacity_for
from .sending import Sending

EXIT_GOOD, EXIT_FAILED, EXIT_REFUSED, EXIT_UNAVAILABLE = 0, 1, 2, 77


class Peer:
    """What a peer does. Failures are exceptions; their text is reported."""

    settings = ()  # names of the settings that it knows

    def refuses(self, job):
        """The name of a field whose value is not supported, or None."""
        return None

    def create(self, kit, job):
        """Makes context, node and endpoints."""
        raise NotImplementedError

    def effective(self):
        """(qos, transport, library, version), the QoS as in the job, None where the library cannot
        tell; asked for once the other side is matched (startup: once the endpoints exist)."""
        raise NotImplementedError

    def wait_matched(self, timeout_s):
        """Waits until the other side is matched. A server is not asked."""

    def publish(self):
        """Publishes kit.data."""
        raise NotImplementedError

    def echo(self, message):
        """Sends a received message back, as it is."""
        raise NotImplementedError

    def call(self, token, t1_ns):
        """Sends a request or a goal; the answer is reported with the token, now or later."""
        raise NotImplementedError

    def forget(self, token):
        """The answer to token is not waited for any more. The kit's lock is held."""

    def destroy(self):
        """Frees everything; nothing is reported afterwards. Also after a failed create."""


class Kit:
    """The state of a run, and what a peer tells."""

    def __init__(self, peer, job, channel):
        self.peer = peer
        self.job = job
        self.channel = channel
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.go = self.handshaken = self.closed = False
        self.stops = self.stopped_ns = self.finished_ns = 0
        self.failure = None
        self.rows = Rows(capacity_for(job))
        topic = job.pattern in ("topic", "startup")
        self.data = payload.make(job.payload_bytes, job.run_id) if topic else None
        self.sending = Sending(self)
        self.receiving = Receiving(self)

    def wait_until(self, until_ns):
        """Under the lock: waits for a change until a monotonic time (None: no end). False: it is
        that late."""
        if until_ns is None:
            self.changed.wait()
            return True
        left_ns = until_ns - time.monotonic_ns()
        if left_ns <= 0:
            return False
        self.changed.wait(left_ns / 1e9)
        return True

    # ---- reports; any thread

    def message(self, data, message, arrived_ns=None):
        """A message came. data: bytes-like; message is handed to echo."""
        self.receiving.message(time.time_ns() if arrived_ns is None else arrived_ns, data, message)

    def served(self, t1_ns, t2_ns, t3_ns):
        """A server answered; t1 is 0 where the request carries none."""
        self.receiving.served(t1_ns, t2_ns, t3_ns)

    def answered(self, token, t2_ns, t3_ns, t4_ns, corrupt=False):
        self.sending.answered(token, t2_ns, t3_ns, t4_ns, corrupt)

    def unanswered(self, token):
        """The call or goal failed: it counts as lost."""
        self.sending.unanswered(token)

    def fail(self, text):
        """A failure outside of any call of the kit: ends the run."""
        with self.lock:
            self.failure = self.failure or text
            self.changed.notify_all()

    def handshake(self):
        with self.lock:
            # A slow subscriber still works its way to the messages that count.
            self.receiving.last_ns = time.monotonic_ns()
            if not self.handshaken:
                self.handshaken = True
                self.changed.notify_all()

    # ---- the order of a run

    def _await_handshake(self):
        until = time.monotonic_ns() + self.job.match_timeout_ns
        with self.lock:
            while not self.handshaken and not self.failure:
                if not self.wait_until(until):
                    raise TimeoutError("matched, but no handshake message came in time")

    def _match(self):
        job = self.job
        if job.role == "server":
            return
        self.peer.wait_matched(job.match_timeout_ns / 1e9)
        self.channel.say(f"matched {time.time_ns()}")
        if job.foreign:
            return
        if job.sends:
            self.sending.handshake()
        else:
            self._await_handshake()

    def _say_effective(self):
        values = dict(zip(("qos", "transport", "library", "version"), self.peer.effective()))
        self.channel.say("effective " + json.dumps(values, separators=(",", ":")))

    def _prepare(self):
        job = self.job
        self.peer.create(self, job)
        self.channel.say(f"created {time.time_ns()}")
        if job.pattern != "startup":
            self._match()
        self._say_effective()
        if not self.failure:
            self.channel.say("ready")
        if job.sends and job.pattern != "startup":
            self.sending.await_go()
        with self.lock:
            while not self.go and not self.failure:
                self.changed.wait()

    def _measure(self):
        job = self.job
        self.channel.say(f"now {time.time_ns()}")
        if not job.sends:
            self.receiving.run()
            return
        if job.pattern == "startup":
            self.peer.wait_matched(job.match_timeout_ns / 1e9)
        self.sending.run()

    def _report(self):
        with self.lock:
            stops = self.stops
        self.channel.say("measured")
        with self.lock:
            while self.stops == stops:
                self.changed.wait()
        self.rows.write(self.job.samples, self.job, self.finished_ns)
        self.channel.finished = True
        self.channel.say(f"done {self.rows.counted(payload.WARMUP)}")

    def run(self):
        self._prepare()
        if not self.failure:
            self._measure()
        if self.failure:
            raise RuntimeError(self.failure)
        self._report()


def _read_job(peer, path):
    with open(path, encoding="utf-8") as stream:
        job = Job(stream.read())
    for name in job.settings:
        if name not in peer.settings:
            raise Refused(f"settings.{name}")
    field = peer.refuses(job)
    if field:
        raise Refused(field)
    return job


def main(peer):
    """The whole life of a peer process; returns its exit status."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(f"usage: {sys.argv[0]} JOB.json\nA peer is started by rclbench, which opens "
              "descriptors 3 and 4 (docs/peer-protocol.md).", file=sys.stderr)
        return EXIT_REFUSED
    channel = Channel()
    try:
        job = _read_job(peer, sys.argv[1])
    except Refused as refused:
        channel.say(f"refuse {refused}")
        return EXIT_REFUSED
    except (Broken, OSError) as problem:
        channel.say(f"error {problem}")
        return EXIT_REFUSED
    status = EXIT_GOOD
    kit = Kit(peer, job, channel)
    channel.start(kit)
    try:
        kit.run()
    except Exception as problem:  # whatever the library throws is the run's failure
        traceback.print_exc()
        channel.finished = True
        channel.say(f"error {problem or type(problem).__name__}")
        status = EXIT_FAILED
    peer.destroy()
    return status
