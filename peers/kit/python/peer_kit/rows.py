"""Rows of the sample file, in memory that exists before measuring, and the file itself."""
import array
import struct
import sys

COLUMNS = 6
ROLES = {"publisher": 1, "subscriber": 2, "client": 3, "server": 4}
ROWS_MAX = 1 << 20
ROWS_EXTRA = 4096


def capacity_for(job):
    if job.count > 0:
        rows = job.count + job.warmup
        return rows if job.sends else rows + job.count // 8 + ROWS_EXTRA
    per_second = 10**9 // job.period_ns if job.period_ns > 0 else 50000
    return min(job.duration_ns * per_second // 10**9 + job.warmup + ROWS_EXTRA, ROWS_MAX)


class Rows:
    def __init__(self, capacity):
        self.values = array.array("Q", bytes(8 * COLUMNS * (capacity + 1)))
        self.capacity = capacity
        self.count = 0
        self.missing = 0

    def put(self, index, seq, planned, t1, t2, t3, t4):
        at = COLUMNS * index
        values = self.values
        values[at] = seq
        values[at + 1] = planned
        values[at + 2] = t1
        values[at + 3] = t2
        values[at + 4] = t3
        values[at + 5] = t4

    def counted(self, warmup_flag):
        return sum(1 for i in range(self.count) if not self.values[COLUMNS * i] & warmup_flag)

    def write(self, path, job, finished_ns):
        header = struct.pack("<8sIIQQIIqqQ", b"RCLBSAMP", 1, 8 * COLUMNS, self.count, job.run_id,
                             ROLES[job.role], 0, 0, finished_ns, self.missing)
        body = self.values[:COLUMNS * self.count]
        if sys.byteorder != "little":
            body.byteswap()
        with open(path, "wb") as stream:
            stream.write(header)
            stream.write(body.tobytes())
