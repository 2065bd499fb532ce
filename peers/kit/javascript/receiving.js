'use strict';
// The side that receives: subscriber (and echo's), service server, action server; and what echo's
// publisher gets back, which shares the checking of payloads.
const clock = require('./clock');
const payload = require('./payload');

class Receiving {
  constructor(kit) {
    this.kit = kit;
    const job = kit.job;
    const wanted = job.pattern === 'topic' && job.verify === 'full';
    this.body = wanted ? payload.make(job.payload_bytes, job.run_id) : null;
    this.arrivals = 0;
    this.inOrder = 0;
    this.lastNs = 0n;
  }

  message(arrivedNs, data, message) {
    const { kit } = this;
    const { job } = kit;
    const head = payload.read(data);
    const ours = head !== null && head.runId === job.run_id;
    const { seq, planned, t1 } = ours ? head : { seq: 0n, planned: 0n, t1: 0n };
    if (job.role === 'publisher') {
      this.cameBack(arrivedNs, data, ours, seq);
      return;
    }
    let t3 = 0n;
    if (job.echo) {
      t3 = clock.nowNs();
      kit.peer.echo(message);
    }
    if (ours && seq & payload.HANDSHAKE) {
      kit.handshake();
      return;
    }
    const [t2, t4] = job.echo ? [arrivedNs, 0n] : [0n, arrivedNs];
    const number = seq & ~payload.CORRUPT;
    const flag = this.isCorrupt(data, ours, number) ? payload.CORRUPT : 0n;
    this.record(ours, number | flag, planned, t1, t2, t3, t4);
  }

  isCorrupt(data, ours, seq) {
    const { job } = this.kit;
    if (!ours) {
      return !job.foreign;
    }
    return data.length !== job.payload_bytes || !payload.isIntact(data, seq, this.body);
  }

  cameBack(arrivedNs, data, ours, seq) {
    if (!ours) {
      return; // a stranger on the echo topic
    }
    if (seq & payload.HANDSHAKE) {
      this.kit.handshake();
      return;
    }
    const corrupt = this.isCorrupt(data, ours, seq);
    this.kit.sending.answered(this.indexOf(seq), 0n, 0n, arrivedNs, corrupt);
  }

  indexOf(seq) {
    const number = Number(seq & ~(payload.WARMUP | payload.CORRUPT));
    return seq & payload.WARMUP ? number : number + this.kit.job.warmup;
  }

  served(t1, t2, t3) {
    this.record(false, 0n, 0n, t1, t2, t3, 0n);
  }

  record(numbered, seq, planned, t1, t2, t3, t4) {
    const { kit } = this;
    const { job, rows } = kit;
    if (kit.closed || !(kit.go || (numbered && !job.foreign))) {
      return;
    }
    this.lastNs = clock.monotonicNs();
    kit.finishedNs = t4 || t3 || t2;
    const arrived = this.arrivals++;
    if (numbered) {
      if (!(seq & payload.CORRUPT) && this.indexOf(seq) === this.inOrder) {
        this.inOrder++;
      }
    } else if (arrived < job.warmup) {
      seq |= BigInt(arrived) | payload.WARMUP;
    } else {
      seq |= BigInt(arrived - job.warmup);
    }
    if (rows.count < rows.capacity) {
      rows.put(rows.count++, seq, planned, t1, t2, t3, t4);
    } else {
      rows.missing++;
    }
    if (kit.stops > 0) {
      kit.wake();
    }
  }

  // Until the harness says stop and what is on its way has come.
  async run() {
    const { kit } = this;
    const { job } = kit;
    const quiet = job.role === 'subscriber' ? BigInt(job.quiet_ns) : 0n;
    const everything = job.count > 0 ? job.count + job.warmup : -1;
    await kit.until(() => kit.stops > 0);
    for (;;) {
      const from = this.lastNs > kit.stoppedNs ? this.lastNs : kit.stoppedNs;
      const seen = this.lastNs;
      if (this.inOrder === everything || clock.monotonicNs() >= from + quiet) {
        break;
      }
      await kit.until(() => this.lastNs !== seen, from + quiet);
    }
    kit.closed = true;
  }
}

module.exports = { Receiving };
