'use strict';
// The job's QoS as rclnodejs's, and the QoS in force as the job's.

const POLL_MS = 2;
const INFINITE_NS = 2n ** 63n - 1n;
const WORDS = { // of rmw's enumerations
  reliability: { 1: 'reliable', 2: 'best_effort' },
  durability: { 1: 'transient_local', 2: 'volatile' },
  history: { 1: 'keep_last', 2: 'keep_all' },
  liveliness: { 1: 'automatic', 3: 'manual_by_topic' },
};
const TIMES = {
  deadline_ns: 'deadline',
  lifespan_ns: 'lifespan',
  liveliness_lease_ns: 'liveliness_lease_duration',
};

function make({ QoS }, asked) {
  const { HistoryPolicy, ReliabilityPolicy, DurabilityPolicy, LivelinessPolicy } = QoS;
  const history = asked.history === 'keep_all' ? 'KEEP_ALL' : 'KEEP_LAST';
  return new QoS(
    HistoryPolicy[`RMW_QOS_POLICY_HISTORY_${history}`],
    asked.depth,
    ReliabilityPolicy[`RMW_QOS_POLICY_RELIABILITY_${asked.reliability.toUpperCase()}`],
    DurabilityPolicy[`RMW_QOS_POLICY_DURABILITY_${asked.durability.toUpperCase()}`],
    LivelinessPolicy[`RMW_QOS_POLICY_LIVELINESS_${asked.liveliness.toUpperCase()}`]);
}

function nsOf({ seconds, nanoseconds }) {
  const ns = BigInt(seconds) * 1000000000n + BigInt(nanoseconds);
  return ns >= INFINITE_NS ? 0 : Number(ns);
}

// A profile of null: nothing is known.
function values(profile) {
  const result = {};
  for (const [name, words] of Object.entries(WORDS)) {
    result[name] = (profile && words[profile[name]]) || null;
  }
  result.depth = result.history === 'keep_last' ? profile.depth : null;
  for (const [name, theirs] of Object.entries(TIMES)) {
    result[name] = profile ? nsOf(profile[theirs]) : null;
  }
  return result;
}

// What the graph says of this node's endpoint of the job (of a service, that of its requests),
// which it learns a little after the endpoint was made.
async function inForce(node, job, waitMs) {
  const { names } = job;
  const topic = {
    service: `rq${names.service}Request`,
    action: `rq${names.action}/_action/send_goalRequest`,
  }[job.pattern] || `rt${names.topic}`;
  const ask = job.sends ? 'getPublishersInfoByTopic' : 'getSubscriptionsInfoByTopic';
  const isOurs = (info) =>
    info.node_name === node.name() && info.node_namespace === node.namespace();
  for (let waited = 0; ; waited += POLL_MS) {
    const own = node[ask](topic, true).find(isOurs);
    if (own || waited >= waitMs) {
      return values(own ? own.qos_profile : null);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

module.exports = { make, inForce };
