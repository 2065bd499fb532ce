'use strict';
// Rows of the sample file, in memory that exists before measuring, and the file itself.
const fs = require('fs');
const clock = require('./clock');
const { WARMUP } = require('./payload');

const COLUMNS = 6;
const HEADER_BYTES = 64;
const ROLES = { publisher: 1, subscriber: 2, client: 3, server: 4 };
const ROWS_MAX = 1 << 20;
const ROWS_EXTRA = 4096;

function capacityFor(job) {
  if (job.count > 0) {
    const rows = job.count + job.warmup;
    return job.sends ? rows : rows + Math.floor(job.count / 8) + ROWS_EXTRA;
  }
  const perSecond = job.period_ns > 0 ? 1e9 / job.period_ns : 50000;
  const counted = Math.ceil((job.duration_ns / 1e9) * perSecond);
  return Math.min(counted + job.warmup + ROWS_EXTRA, ROWS_MAX);
}

class Rows {
  constructor(job) {
    this.capacity = capacityFor(job);
    this.values = new BigInt64Array(COLUMNS * (this.capacity + 1)).fill(0n);
    this.count = 0;
    this.missing = 0;
  }

  put(index, seq, planned, t1, t2, t3, t4) {
    const at = COLUMNS * index;
    this.values[at] = seq;
    this.values[at + 1] = planned;
    this.values[at + 2] = t1;
    this.values[at + 3] = t2;
    this.values[at + 4] = t3;
    this.values[at + 5] = t4;
  }

  // How many are not warm-up.
  counted() {
    let count = 0;
    for (let i = 0; i < this.count; i++) {
      count += this.values[COLUMNS * i] & WARMUP ? 0 : 1;
    }
    return count;
  }

  write(path, job, finishedNs) {
    const header = Buffer.alloc(HEADER_BYTES);
    header.write('RCLBSAMP', 0, 'latin1');
    header.writeUInt32LE(1, 8);
    header.writeUInt32LE(8 * COLUMNS, 12);
    header.writeBigUInt64LE(BigInt(this.count), 16);
    header.writeBigUInt64LE(job.run_id, 24);
    header.writeUInt32LE(ROLES[job.role], 32);
    header.writeBigInt64LE(clock.errorNs, 40);
    header.writeBigInt64LE(finishedNs, 48);
    header.writeBigUInt64LE(BigInt(this.missing), 56);
    const body = Buffer.alloc(8 * COLUMNS * this.count);
    for (let i = 0; i < COLUMNS * this.count; i++) {
      body.writeBigInt64LE(this.values[i], 8 * i);
    }
    fs.writeFileSync(path, Buffer.concat([header, body]));
  }
}

module.exports = { Rows, COLUMNS };
