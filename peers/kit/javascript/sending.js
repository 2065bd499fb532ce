'use strict';
// The side that sends: publisher, echo's publisher, service client, action client. Message i is due
// at start + i * period, or as soon as fewer than `window` are unanswered.
const clock = require('./clock');
const payload = require('./payload');
const { COLUMNS } = require('./rows');

const HANDSHAKE_PERIOD_NS = 10_000_000n;
const HANDSHAKE_CALL_NS = 500_000_000n;
const HANDSHAKE_TOKEN = -1;
const TIMER_NS = 2_000_000n; // how far before a due time timers are trusted

const turn = () => new Promise((resolve) => setImmediate(resolve));

class Sending {
  constructor(kit) {
    this.kit = kit;
    const { job } = kit;
    this.total = job.count > 0 ? job.count + job.warmup : -1;
    this.answers = job.echo || job.role === 'client';
    this.chained = this.answers && job.period_ns === 0;
    const pacedEcho = job.echo && job.period_ns > 0;
    this.window = this.answers && !pacedEcho ? job.in_flight : 0;
    this.next = 0;
    this.oldest = 0;
    this.outstanding = 0;
    this.openSince = new BigInt64Array(this.answers ? kit.rows.capacity : 0).fill(0n);
    this.startNs = 0n;
    this.realtimeOffsetNs = 0n;
    this.countedStartNs = 0n;
  }

  // ---- handshake

  sendHandshake() {
    const { kit } = this;
    if (kit.job.role === 'client') {
      kit.peer.call(HANDSHAKE_TOKEN, clock.nowNs());
      return;
    }
    const view = payload.stamp(kit.data, kit.job.run_id, payload.HANDSHAKE, 0n);
    view.setBigInt64(24, clock.nowNs(), true);
    kit.peer.publish();
  }

  async handshake() {
    const { kit } = this;
    const wait = kit.job.role === 'client' ? HANDSHAKE_CALL_NS : HANDSHAKE_PERIOD_NS;
    const deadline = clock.monotonicNs() + BigInt(kit.job.match_timeout_ns);
    while (clock.monotonicNs() < deadline) {
      this.sendHandshake();
      if (!this.answers || (await kit.until(() => kit.handshaken, clock.monotonicNs() + wait))) {
        return;
      }
    }
    throw new Error('matched, but no handshake came back in time');
  }

  // Handshake messages go on until `go`.
  async awaitGo() {
    const { kit } = this;
    if (kit.job.pattern !== 'topic' || kit.job.foreign) {
      await kit.until(() => kit.go);
      return;
    }
    while (!(await kit.until(() => kit.go, clock.monotonicNs() + HANDSHAKE_PERIOD_NS))) {
      this.sendHandshake();
    }
  }

  // ---- one message

  // The next message's index, or -1: there is no further one.
  claim() {
    const { kit } = this;
    const { job } = kit;
    const index = this.next;
    if (kit.failure || kit.stops > 0 || index === this.total) {
      return -1;
    }
    if (this.answers && index >= kit.rows.capacity) {
      return -1;
    }
    const now = clock.monotonicNs();
    const counting = this.countedStartNs !== 0n;
    // At a rate the schedule decides: 2 s of 100 Hz are 200 messages.
    if (job.count === 0 && counting && (now - this.countedStartNs >= BigInt(job.duration_ns)
        || (index - job.warmup) * job.period_ns >= job.duration_ns)) {
      return -1;
    }
    this.next = index + 1;
    if (index === job.warmup) {
      this.countedStartNs = now;
    }
    if (this.answers) {
      this.openSince[index] = now;
      this.outstanding++;
    }
    return index;
  }

  send(index) {
    const { kit } = this;
    const { job, rows } = kit;
    const row = Math.min(index, rows.capacity);
    const seq = index < job.warmup ? BigInt(index) | payload.WARMUP : BigInt(index - job.warmup);
    const planned = job.period_ns > 0 ? this.dueNs(index) + this.realtimeOffsetNs : 0n;
    if (job.role === 'client') {
      const t1 = clock.nowNs();
      rows.put(row, seq, planned, t1, 0n, 0n, 0n);
      kit.peer.call(index, t1);
    } else {
      const view = payload.stamp(kit.data, job.run_id, seq, planned);
      const t1 = clock.nowNs();
      view.setBigInt64(24, t1, true);
      rows.put(row, seq, planned, t1, 0n, 0n, 0n);
      kit.peer.publish();
    }
    if (index + 1 === this.total || job.count === 0) {
      kit.finishedNs = clock.nowNs();
    }
  }

  dueNs(index) {
    return this.startNs + BigInt(index) * BigInt(this.kit.job.period_ns);
  }

  // ---- answers

  answered(token, t2, t3, t4, corrupt) {
    const { kit } = this;
    if (token === HANDSHAKE_TOKEN) {
      kit.handshake();
    }
    if (!this.isOpen(token)) {
      return;
    }
    const { values } = kit.rows;
    const at = COLUMNS * token;
    values[at + 3] = t2;
    values[at + 4] = t3;
    values[at + 5] = t4;
    if (corrupt) {
      values[at] |= payload.CORRUPT;
    }
    this.close(token);
  }

  unanswered(token) {
    if (this.isOpen(token)) {
      this.close(token);
    }
  }

  isOpen(token) {
    return !this.kit.closed && token >= 0 && token < this.next && this.openSince[token] !== 0n;
  }

  close(token) {
    this.openSince[token] = 0n;
    this.outstanding--;
    const following = this.chained ? this.claim() : -1;
    if (following >= 0) {
      this.send(following);
    } else {
      this.kit.wake();
    }
  }

  // ---- the loop

  // Gives up what is too old; when the oldest open one gets too old, or undefined.
  expire() {
    const timeout = BigInt(this.kit.job.call_timeout_ns);
    for (; this.oldest < this.next; this.oldest++) {
      const since = this.openSince[this.oldest];
      if (since !== 0n) {
        if (clock.monotonicNs() < since + timeout) {
          return since + timeout;
        }
        this.openSince[this.oldest] = 0n;
        this.outstanding--;
      }
    }
    return undefined;
  }

  async waitBelow(limit) {
    const { kit } = this;
    while (kit.stops === 0 && !kit.failure) {
      const until = this.expire();
      if (this.outstanding < limit) {
        return;
      }
      await kit.until(() => kit.stops > 0 || this.outstanding < limit, until);
    }
  }

  async waitDue() {
    const { kit } = this;
    const due = this.dueNs(this.next);
    if (due - clock.monotonicNs() > TIMER_NS) {
      await kit.until(() => kit.stops > 0, due - TIMER_NS);
    }
    while (kit.stops === 0 && !kit.failure && clock.monotonicNs() < due) {
      await turn();
    }
  }

  async run() {
    const { kit } = this;
    this.startNs = clock.monotonicNs();
    this.realtimeOffsetNs = clock.nowNs() - this.startNs;
    for (;;) {
      if (this.window > 0) {
        await this.waitBelow(this.window);
      }
      if (kit.job.period_ns > 0) {
        await this.waitDue();
      } else if (this.window === 0) {
        await turn();
      }
      const index = this.claim();
      if (index < 0) {
        break;
      }
      this.send(index);
    }
    if (this.answers) {
      await this.waitBelow(1);
    }
    kit.closed = true;
    kit.rows.count = Math.min(this.next, kit.rows.capacity);
    kit.rows.missing = this.next - kit.rows.count;
    kit.finishedNs = kit.finishedNs || clock.nowNs();
  }
}

module.exports = { Sending };
