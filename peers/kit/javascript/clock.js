'use strict';
// CLOCK_REALTIME in ns as BigInt. Node.js reads it in milliseconds only: the moment at which
// Date.now() steps is a whole millisecond, and the monotonic clock tells when that was. Of several
// steps, the one caught most narrowly counts; its width is the known error.

const GOOD_NS = 2000n;
const PATIENCE_NS = 200_000_000n; // on a busy machine most steps happen while another process runs

function catchStep() {
  let before = process.hrtime.bigint();
  const from = Date.now(); // the last reading before the step, taken after `before`
  for (;;) {
    const next = process.hrtime.bigint();
    const at = Date.now();
    if (at !== from) {
      const after = process.hrtime.bigint();
      return { offset: BigInt(at) * 1000000n - (before + after) / 2n, error: after - before };
    }
    before = next;
  }
}

const until = process.hrtime.bigint() + PATIENCE_NS;
let best = catchStep();
while (best.error > GOOD_NS && process.hrtime.bigint() < until) {
  const next = catchStep();
  if (next.error < best.error) {
    best = next;
  }
}

const OFFSET_NS = best.offset;

module.exports = {
  errorNs: best.error,
  nowNs: () => process.hrtime.bigint() + OFFSET_NS,
  monotonicNs: () => process.hrtime.bigint(),
};
