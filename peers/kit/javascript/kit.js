'use strict';
// The kit for peers written in JavaScript (docs/peer-protocol.md). A peer is an object that makes
// its library's calls; it reports to the kit what the library delivers, computes nothing, prints
// nothing:
//
//   settings          names of the settings that it knows
//   refuses(job)      the name of a field whose value is not supported, or null
//   async create(kit, job)   makes context, node and endpoints
//   effective()       { qos, transport, library, version }, the QoS as in the job, null where the library
//                     cannot tell; asked for once the other side is matched (startup: once the endpoints
//                     exist); may be a promise
//   isMatched()       whether the other side is matched; a server is not asked
//   publish()         publishes kit.data
//   echo(message)     sends a received message back
//   call(token, t1)   sends a request or a goal; the answer is reported with the token
//   destroy()         frees everything, at once or as a promise; also after a failed create
//
// Failures are exceptions; their text is reported.
const fs = require('fs');
const clock = require('./clock');
const payload = require('./payload');
const { Channel } = require('./channel');
const { readJob, notPlain, Refused } = require('./job');
const { Receiving } = require('./receiving');
const { Rows } = require('./rows');
const { Sending } = require('./sending');

const EXIT = { good: 0, failed: 1, refused: 2, unavailable: 77 };
const MATCH_POLL_MS = 2;

class Kit {
  constructor(peer, job, channel) {
    this.peer = peer;
    this.job = job;
    this.channel = channel;
    this.go = this.handshaken = this.closed = false;
    this.stops = 0;
    this.stoppedNs = this.finishedNs = 0n;
    this.failure = null;
    this.waiters = new Set();
    this.rows = new Rows(job);
    const topic = job.pattern === 'topic' || job.pattern === 'startup';
    this.data = topic ? payload.make(job.payload_bytes, job.run_id) : null;
    this.sending = new Sending(this);
    this.receiving = new Receiving(this);
  }

  // ---- waiting

  // Until the predicate holds (true) or it is that late (false). A failure ends it as an exception.
  until(predicate, untilNs) {
    return new Promise((resolve, reject) => {
      const waiter = { predicate, resolve, reject, timer: null };
      this.waiters.add(waiter);
      if (!this.settle(waiter) && untilNs !== undefined) {
        const left = Math.max(0, Math.ceil(Number(untilNs - clock.monotonicNs()) / 1e6));
        waiter.timer = setTimeout(() => this.end(waiter, waiter.resolve, waiter.predicate()), left);
      }
    });
  }

  end(waiter, how, value) {
    clearTimeout(waiter.timer);
    this.waiters.delete(waiter);
    how(value);
  }

  settle(waiter) {
    if (this.failure) {
      this.end(waiter, waiter.reject, new Error(this.failure));
      return true;
    }
    if (waiter.predicate()) {
      this.end(waiter, waiter.resolve, true);
      return true;
    }
    return false;
  }

  // Something changed.
  wake() {
    this.waiters.forEach((waiter) => this.settle(waiter));
  }

  control(line) {
    if (line === 'go') {
      this.go = true;
    } else if (line === 'stop') {
      this.stops++;
      this.stoppedNs = clock.monotonicNs();
    } else {
      this.failure = this.failure || `the harness said "${line}", not go or stop`;
    }
    this.wake();
  }

  // ---- reports

  // A message came; the clock was read first. The message is handed to echo.
  message(arrivedNs, data, message) {
    this.receiving.message(arrivedNs, data, message);
  }

  // A server answers; t1 is 0 where the request carries none.
  served(t1, t2, t3) {
    this.receiving.served(t1, t2, t3);
  }

  answered(token, t2, t3, t4, corrupt) {
    this.sending.answered(token, t2, t3, t4, corrupt);
  }

  // The call or goal failed: it counts as lost.
  unanswered(token) {
    this.sending.unanswered(token);
  }

  // A failure outside of any call of the kit: ends the run.
  fail(text) {
    this.failure = this.failure || text;
    this.wake();
  }

  handshake() {
    // A slow subscriber still works its way to the messages that count.
    this.receiving.lastNs = clock.monotonicNs();
    this.handshaken = true;
    this.wake();
  }

  // ---- the order of a run

  async waitMatched() {
    const until = clock.monotonicNs() + BigInt(this.job.match_timeout_ns);
    while (!this.peer.isMatched()) {
      if (clock.monotonicNs() > until) {
        throw new Error('nobody matched in time');
      }
      await this.until(() => false, clock.monotonicNs() + BigInt(MATCH_POLL_MS * 1e6));
    }
  }

  async match() {
    const { job } = this;
    if (job.role === 'server') {
      return;
    }
    await this.waitMatched();
    this.channel.say(`matched ${clock.nowNs()}`);
    if (job.foreign) {
      return;
    }
    if (job.sends) {
      await this.sending.handshake();
    } else if (!(await this.until(() => this.handshaken,
      clock.monotonicNs() + BigInt(job.match_timeout_ns)))) {
      throw new Error('matched, but no handshake message came in time');
    }
  }

  async prepare() {
    const { job } = this;
    await this.peer.create(this, job);
    this.channel.say(`created ${clock.nowNs()}`);
    if (job.pattern !== 'startup') {
      await this.match();
    }
    this.channel.say(`effective ${JSON.stringify(await this.peer.effective())}`);
    this.channel.say('ready');
    if (job.sends && job.pattern !== 'startup') {
      await this.sending.awaitGo();
    } else {
      await this.until(() => this.go);
    }
  }

  async measure() {
    this.channel.say(`now ${clock.nowNs()}`);
    if (!this.job.sends) {
      await this.receiving.run();
      return;
    }
    if (this.job.pattern === 'startup') {
      await this.waitMatched();
    }
    await this.sending.run();
  }

  async report() {
    const { stops } = this;
    this.channel.say('measured');
    await this.until(() => this.stops > stops);
    this.rows.write(this.job.samples, this.job, this.finishedNs);
    this.channel.finished = true;
    this.channel.say(`done ${this.rows.counted()}`);
  }
}

function accept(peer, path) {
  const job = readJob(fs.readFileSync(path, 'utf8'));
  const unknown = Object.keys(job.settings).find((name) => !peer.settings.includes(name));
  if (unknown !== undefined) {
    throw new Refused(`settings.${unknown}`);
  }
  const field = peer.refuses(job);
  if (field) {
    throw new Refused(field);
  }
  return job;
}

// The whole life of a peer process; ends it.
async function run(peer) {
  if (process.argv.length !== 3) {
    console.error(`usage: ${process.argv[1]} JOB.json\nA peer is started by rclbench, which opens `
      + 'descriptors 3 and 4 (docs/peer-protocol.md).');
    process.exit(EXIT.refused);
  }
  const channel = new Channel();
  let job;
  try {
    job = accept(peer, process.argv[2]);
  } catch (problem) {
    channel.say(`${problem instanceof Refused ? 'refuse' : 'error'} ${problem.message}`);
    process.exit(EXIT.refused);
  }
  const kit = new Kit(peer, job, channel);
  const failed = (problem) => kit.fail(problem.message || String(problem));
  process.on('uncaughtException', failed);
  process.on('unhandledRejection', failed);
  channel.start(kit);
  let status = EXIT.good;
  try {
    await kit.prepare();
    await kit.measure();
    await kit.report();
  } catch (problem) {
    console.error(problem.stack);
    channel.finished = true;
    channel.say(`error ${problem.message}`);
    status = EXIT.failed;
  }
  kit.closed = true;
  await peer.destroy();
  process.exit(status);
}

module.exports = { Kit, run, notPlain, nowNs: clock.nowNs, payload, EXIT };
