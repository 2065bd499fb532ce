'use strict';
// Tests of the kit without a client library: node --test kit_test.js
const assert = require('node:assert');
const test = require('node:test');
const payload = require('./payload');
const { Kit } = require('./kit');

const job = {
  pattern: 'topic', role: 'subscriber', echo: false, payload_bytes: 64, run_id: 77n, count: 5,
  warmup: 2, quiet_ns: 1e8, verify: 'ends', foreign: false,
};

test('a backlog of handshakes is traffic', () => {
  const kit = new Kit({}, job, { say() {} });
  const data = payload.make(job.payload_bytes, job.run_id);
  payload.stamp(data, job.run_id, payload.HANDSHAKE, 0n);
  for (let i = 0; i < 2; i++) { // the first is what `ready` waits for, the second is late
    kit.receiving.lastNs = 0n;
    kit.message(1n, data, null);
    assert.ok(kit.receiving.lastNs > 0n);
  }
  assert.strictEqual(kit.rows.count, 0);
});
