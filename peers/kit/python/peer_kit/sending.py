"""The side that sends: publisher, echo's publisher, service client, action client. Message i is due
at start + i * period, or as soon as fewer than `window` are unanswered."""
import threading
import time

from . import payload

HANDSHAKE_PERIOD_NS = 10_000_000
HANDSHAKE_CALL_NS = 500_000_000
HANDSHAKE_TOKEN = -1


class Sending:
    def __init__(self, kit):
        self.kit = kit
        job = kit.job
        self.total = job.count + job.warmup if job.count > 0 else None
        self.answers = job.echo or job.role == "client"
        self.chained = self.answers and job.period_ns == 0
        paced_echo = job.echo and job.period_ns > 0
        self.window = job.in_flight if self.answers and not paced_echo else 0
        self.next = self.oldest = self.outstanding = 0
        self.open_since = [0] * kit.rows.capacity if self.answers else []
        self.start_ns = self.realtime_offset_ns = self.counted_start_ns = 0
        self.here = threading.local()  # inside which call this thread is

    # ---- handshake

    def _send_handshake(self):
        kit = self.kit
        if kit.job.role == "client":
            self._call(HANDSHAKE_TOKEN, time.time_ns())
            return
        payload.stamp(kit.data, kit.job.run_id, payload.HANDSHAKE, 0)
        payload.stamp_t1(kit.data, time.time_ns())
        kit.peer.publish()

    def handshake(self):
        kit = self.kit
        calls = kit.job.role == "client"
        deadline = time.monotonic_ns() + kit.job.match_timeout_ns
        while time.monotonic_ns() < deadline:
            self._send_handshake()
            if not self.answers:
                return
            until = time.monotonic_ns() + (HANDSHAKE_CALL_NS if calls else HANDSHAKE_PERIOD_NS)
            with kit.lock:
                while not kit.handshaken and not kit.failure and kit.wait_until(until):
                    pass
                if kit.handshaken or kit.failure:
                    return
            if calls:
                kit.peer.forget(HANDSHAKE_TOKEN)
        raise TimeoutError("matched, but no handshake came back in time")

    def await_go(self):
        kit = self.kit
        repeats = kit.job.pattern == "topic" and not kit.job.foreign
        until = time.monotonic_ns() + HANDSHAKE_PERIOD_NS
        while True:
            with kit.lock:
                if kit.go or kit.failure:
                    return
                if not repeats:
                    kit.changed.wait()
                    continue
                late = not kit.wait_until(until)
            if late:
                self._send_handshake()
                until = time.monotonic_ns() + HANDSHAKE_PERIOD_NS

    # ---- one message

    def _claim(self):
        """Under the lock: the next message's index, or None: there is no further one."""
        kit = self.kit
        job = kit.job
        now = time.monotonic_ns()
        index = self.next
        if kit.failure or kit.stops > 0 or index == self.total:
            return None
        if self.answers and index >= kit.rows.capacity:
            return None
        if (job.count == 0 and self.counted_start_ns
                and (now - self.counted_start_ns >= job.duration_ns
                     # At a rate the schedule decides: 2 s of 100 Hz are 200 messages.
                     or (index - job.warmup) * job.period_ns >= job.duration_ns)):
            return None
        self.next = index + 1
        if index == job.warmup:
            self.counted_start_ns = now
        if self.answers:
            self.open_since[index] = now
            self.outstanding += 1
        return index

    def _call(self, token, t1_ns):
        self.here.calling = True
        try:
            self.kit.peer.call(token, t1_ns)
        finally:
            self.here.calling = False

    def _send(self, index):
        """Sends the message, and those that its answer asks for before the call has returned."""
        while index is not None:
            self.here.following = None
            try:
                self._send_one(index)
            except Exception as problem:  # whatever the library throws ends the run
                self.kit.fail(str(problem) or type(problem).__name__)
                return
            index = self.here.following

    def _send_one(self, index):
        kit = self.kit
        job = kit.job
        rows = kit.rows
        row = min(index, rows.capacity)
        seq = index | payload.WARMUP if index < job.warmup else index - job.warmup
        planned = 0
        if job.period_ns > 0:
            planned = self.start_ns + index * job.period_ns + self.realtime_offset_ns
        if job.role == "client":
            t1 = time.time_ns()
            rows.put(row, seq, planned, t1, 0, 0, 0)
            self._call(index, t1)
        else:
            payload.stamp(kit.data, job.run_id, seq, planned)
            t1 = time.time_ns()
            payload.stamp_t1(kit.data, t1)
            rows.put(row, seq, planned, t1, 0, 0, 0)
            kit.peer.publish()
        if index + 1 == self.total or job.count == 0:
            kit.finished_ns = time.time_ns()

    # ---- answers

    def answered(self, token, t2_ns, t3_ns, t4_ns, corrupt):
        kit = self.kit
        with kit.lock:
            if token == HANDSHAKE_TOKEN:
                kit.handshaken = True
                kit.changed.notify_all()
            if not self._is_open(token):
                return
            values = kit.rows.values
            at = 6 * token
            values[at + 3] = t2_ns
            values[at + 4] = t3_ns
            values[at + 5] = t4_ns
            if corrupt:
                values[at] |= payload.CORRUPT
            following = self._close(token)
        self._continue(following)

    def unanswered(self, token):
        with self.kit.lock:
            if not self._is_open(token):
                return
            following = self._close(token)
        self._continue(following)

    def _is_open(self, token):
        return not self.kit.closed and 0 <= token < self.next and self.open_since[token] != 0

    def _close(self, token):
        """Under the lock. The next message's index, if the chain goes on."""
        self.open_since[token] = 0
        self.outstanding -= 1
        following = self._claim() if self.chained else None
        if following is None:
            self.kit.changed.notify_all()
        return following

    def _continue(self, following):
        if following is None:
            return
        if getattr(self.here, "calling", False):
            self.here.following = following  # when this thread's call has returned
        else:
            self._send(following)

    # ---- main's thread

    def _expire(self):
        """Under the lock: gives up what is too old; when the oldest open one gets too old, or
        None."""
        kit = self.kit
        while self.oldest < self.next:
            since = self.open_since[self.oldest]
            if since:
                until = since + kit.job.call_timeout_ns
                if time.monotonic_ns() < until:
                    return until
                self.open_since[self.oldest] = 0
                self.outstanding -= 1
                if kit.job.role == "client":
                    kit.peer.forget(self.oldest)
            self.oldest += 1
        return None

    def _wait_below(self, limit):
        kit = self.kit
        while not kit.failure and kit.stops == 0:
            until = self._expire()
            if self.outstanding < limit:
                return
            kit.wait_until(until)

    def _wait_due(self):
        kit = self.kit
        if kit.job.period_ns == 0:
            return
        due = self.start_ns + self.next * kit.job.period_ns
        while not kit.failure and kit.stops == 0 and kit.wait_until(due):
            pass

    def run(self):
        kit = self.kit
        self.start_ns = time.monotonic_ns()
        self.realtime_offset_ns = time.time_ns() - self.start_ns
        while True:
            with kit.lock:
                if self.window > 0:
                    self._wait_below(self.window)
                self._wait_due()
                index = self._claim()
                if index is None:
                    if self.answers:
                        self._wait_below(1)
                    break
            self._send(index)
        with kit.lock:
            kit.closed = True
            kit.rows.count = min(self.next, kit.rows.capacity)
            kit.rows.missing = self.next - kit.rows.count
            kit.finished_ns = kit.finished_ns or time.time_ns()
