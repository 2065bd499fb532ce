'use strict';
// The job: JSON in, a checked object out. A field that is not known, or whose value is out of
// range, is refused by its name, because a peer that ignored one would measure something else than
// was asked.

const TIME_MAX = 1e15;
const COUNT_MAX = 1e9;
const MANY = 10000;
const RUN_ID_MAX = 2n ** 63n - 1n;

// Names the field that is refused.
class Refused extends Error {}

const number = (low, high) => (value) => Number.isInteger(value) && value >= low && value <= high;
const choice = (...values) => (value) => values.includes(value);
const text = (value) => typeof value === 'string' && value !== '' && !value.includes('\0');
const textOrNull = (value) => value === null || text(value);
const truth = (value) => typeof value === 'boolean';
const object = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

const FIELDS = {
  protocol: number(1, 1),
  generation: number(1, 2),
  pattern: choice('topic', 'service', 'action', 'startup'),
  role: choice('publisher', 'subscriber', 'client', 'server'),
  echo: truth,
  type: text,
  payload_bytes: number(0, 2 ** 31 - 1),
  payload_kind: choice('bytes', 'list'),
  count: number(0, COUNT_MAX),
  duration_ns: number(0, TIME_MAX),
  period_ns: number(0, TIME_MAX),
  warmup: number(0, COUNT_MAX),
  in_flight: number(1, MANY),
  verify: choice('ends', 'full'),
  run_id: (value) => typeof value === 'bigint' && value <= RUN_ID_MAX,
  foreign: truth,
  match_timeout_ns: number(1, TIME_MAX),
  quiet_ns: number(0, TIME_MAX),
  call_timeout_ns: number(1, TIME_MAX),
  samples: text,
  settings: object,
  names: {
    node: text, topic: textOrNull, echo_topic: textOrNull, service: textOrNull, action: textOrNull,
  },
  qos: {
    reliability: choice('reliable', 'best_effort'),
    durability: choice('volatile', 'transient_local'),
    history: choice('keep_last', 'keep_all'),
    depth: number(1, 2 ** 31 - 1),
    deadline_ns: number(0, TIME_MAX),
    lifespan_ns: number(0, TIME_MAX),
    liveliness: choice('automatic', 'manual_by_topic'),
    liveliness_lease_ns: number(0, TIME_MAX),
  },
  endpoints: {
    publishers: number(1, MANY),
    subscribers: number(1, MANY),
    clients: number(1, MANY),
    servers: number(1, MANY),
    nodes: number(1, MANY),
  },
};

function check(values, fields, prefix) {
  if (!object(values)) {
    throw new Refused(prefix.slice(0, -1));
  }
  for (const name of Object.keys(values)) {
    if (!Object.hasOwn(fields, name)) {
      throw new Refused(prefix + name);
    }
  }
  for (const [name, rule] of Object.entries(fields)) {
    if (!Object.hasOwn(values, name)) {
      throw new Error(`the job lacks the field ${prefix}${name}`);
    }
    if (typeof rule === 'object') {
      check(values[name], rule, `${prefix}${name}.`);
    } else if (!rule(values[name])) {
      throw new Refused(prefix + name);
    }
  }
}

function checkSense(job) {
  const calls = job.pattern === 'service' || job.pattern === 'action';
  if (calls !== (job.role === 'client' || job.role === 'server')) {
    throw new Refused('role');
  }
  if (job.echo && job.pattern !== 'topic') {
    throw new Refused('echo');
  }
  if (job.count === 0 && job.duration_ns === 0) {
    throw new Refused('count');
  }
  if (!calls && job.payload_bytes < 40) {
    throw new Refused('payload_bytes');
  }
  const needed = calls ? job.pattern : 'topic';
  if (job.names[needed] === null) {
    throw new Refused(`names.${needed}`);
  }
  if (job.echo && job.names.echo_topic === null) {
    throw new Refused('names.echo_topic');
  }
}

function readJob(source) {
  let job;
  try {
    job = JSON.parse(source);
  } catch (problem) {
    throw new Error(`the job is not JSON: ${problem.message}`);
  }
  if (!object(job)) {
    throw new Error('the job is not a JSON object');
  }
  // A run id has 63 bits, more than JSON.parse keeps.
  const runId = /"run_id"\s*:\s*(\d+)/.exec(source);
  if (runId && typeof job.run_id === 'number') {
    job.run_id = BigInt(runId[1]);
  }
  check(job, FIELDS, '');
  checkSense(job);
  job.sends = job.role === 'publisher' || job.role === 'client';
  return job;
}

// The name of a field whose value a plain peer does not support, or null.
function notPlain(job) {
  const many = Object.keys(job.endpoints).find((name) => job.endpoints[name] !== 1);
  return many ? `endpoints.${many}` : null;
}

module.exports = { readJob, notPlain, Refused };
