'use strict';
// CLOCK_REALTIME in ns as BigInt. Node.js reads it in milliseconds only: the moment at which Date.now()
// steps is a whole millisecond, and the monotonic clock tells when that was. Of several steps, the one
// caught most narrowly counts; its width is the known error.

const STEPS_MAX = 8;
const GOOD_NS = 1000n;

function catchStep() {
  const from = Date.now();
  let before = process.hrtime.bigint();
  for (;;) {
    const at = Date.now();
    const after = process.hrtime.bigint();
    if (at !== from) {
      return { offset: BigInt(at) * 1000000n - (before + after) / 2n, error: after - before };
    }
    before = after;
  }
}

let best = catchStep();
for (let step = 1; step < STEPS_MAX && best.error > GOOD_NS; step++) {
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
