"""The side that receives: subscriber (and echo's), service server, action server; and what echo's
publisher gets back, which shares the checking of payloads."""
import time

from . import payload


class Receiving:
    def __init__(self, kit):
        self.kit = kit
        job = kit.job
        wanted = job.pattern == "topic" and job.verify == "full"
        self.body = payload.make(job.payload_bytes, job.run_id) if wanted else None
        self.arrivals = 0
        self.in_order = 0
        self.last_ns = 0

    def message(self, arrived_ns, data, message):
        kit = self.kit
        job = kit.job
        head = payload.read(data)
        ours = head is not None and head[0] == job.run_id
        seq, planned, t1 = head[1:] if ours else (0, 0, 0)
        if job.role == "publisher":
            self._came_back(arrived_ns, data, ours, seq)
            return
        t2 = t3 = t4 = 0
        if job.echo:
            t2, t3 = arrived_ns, time.time_ns()
            try:
                kit.peer.echo(message)
            except Exception as problem:  # whatever the library throws ends the run
                kit.fail(f"echo: {problem}")
        else:
            t4 = arrived_ns
        if ours and seq & payload.HANDSHAKE:
            kit.handshake()
            return
        seq &= ~payload.CORRUPT
        if self._is_corrupt(data, ours, seq):
            seq |= payload.CORRUPT
        self._record(ours, seq, planned, t1, t2, t3, t4)

    def _is_corrupt(self, data, ours, seq):
        job = self.kit.job
        if not ours:
            return not job.foreign
        return len(data) != job.payload_bytes or not payload.is_intact(data, seq, self.body)

    def _came_back(self, arrived_ns, data, ours, seq):
        if not ours:
            return  # a stranger on the echo topic
        if seq & payload.HANDSHAKE:
            self.kit.handshake()
            return
        corrupt = self._is_corrupt(data, ours, seq)
        number = seq & ~(payload.WARMUP | payload.CORRUPT)
        index = number if seq & payload.WARMUP else number + self.kit.job.warmup
        self.kit.sending.answered(index, 0, 0, arrived_ns, corrupt)

    def served(self, t1_ns, t2_ns, t3_ns):
        self._record(False, 0, 0, t1_ns, t2_ns, t3_ns, 0)

    def _record(self, numbered, seq, planned, t1, t2, t3, t4):
        kit = self.kit
        job = kit.job
        with kit.lock:
            if kit.closed or not (kit.go or (numbered and not job.foreign)):
                return
            self.last_ns = time.monotonic_ns()
            kit.finished_ns = t4 or t3 or t2
            arrived = self.arrivals
            self.arrivals += 1
            if numbered:
                self._count_in_order(seq)
            elif arrived < job.warmup:
                seq |= arrived | payload.WARMUP
            else:
                seq |= arrived - job.warmup
            rows = kit.rows
            if rows.count < rows.capacity:
                rows.put(rows.count, seq, planned, t1, t2, t3, t4)
                rows.count += 1
            else:
                rows.missing += 1

    def _count_in_order(self, seq):
        number = seq & ~(payload.WARMUP | payload.CORRUPT)
        index = number if seq & payload.WARMUP else number + self.kit.job.warmup
        if not seq & payload.CORRUPT and index == self.in_order:
            self.in_order += 1

    def run(self):
        """Until the harness says stop and what is on its way has come."""
        kit = self.kit
        job = kit.job
        quiet = job.quiet_ns if job.role == "subscriber" else 0
        everything = job.count + job.warmup if job.count > 0 else None
        with kit.lock:
            while not kit.failure and kit.stops == 0:
                kit.changed.wait()
            while not kit.failure and self.in_order != everything:
                until = max(kit.stopped_ns, self.last_ns) + quiet
                if not kit.wait_until(until):
                    break
            kit.closed = True
