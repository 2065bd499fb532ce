#!/usr/bin/env node
'use strict';
// The rosnodejs peer: rosnodejs's calls behind the kit. What is timed is in README.md.
const path = require('path');
const { createRequire } = require('module');

const kit = require('../kit/javascript/kit');

// rosnodejs and the messages generated for it lie in the build folder, where the set-up put them.
const buildDir = path.resolve(process.env.RCLBENCH_BUILD_DIR || __dirname);
process.env.CMAKE_PREFIX_PATH = path.join(buildDir, 'messages');
const requireBuilt = createRequire(path.join(buildDir, 'package.json'));

const { version } = requireBuilt('rosnodejs/package.json');

const TYPES = {
  topic: 'std_msgs/msg/UInt8MultiArray',
  startup: 'std_msgs/msg/UInt8MultiArray',
  service: 'nav_msgs/srv/GetMap',
  action: 'actionlib_benchmark/action/Roundtrip',
};
const ENDPOINTS = { service: './service_endpoints', action: './action_endpoints' };
const CHOICES = { delivery: ['direct', 'spin'], connection: ['persistent', 'per_call'] };
const PLAIN_QOS = {
  reliability: 'reliable', deadline_ns: 0, lifespan_ns: 0,
  liveliness: 'automatic', liveliness_lease_ns: 0,
};
const LEAVE_MS = 1000;

class Ros1NodePeer {
  constructor() {
    this.settings = Object.keys(CHOICES);
    this.endpoints = this.rosnodejs = this.job = null;
  }

  refuses(job) {
    if (job.generation !== 1) {
      return 'generation';
    }
    if (job.type !== TYPES[job.pattern]) {
      return 'type';
    }
    if (job.pattern === 'service' && job.in_flight !== 1) {
      return 'in_flight'; // rosnodejs keeps the second call back until the first is answered
    }
    const { settings } = job;
    const wrong = Object.keys(settings).find((name) => !CHOICES[name].includes(settings[name]));
    return wrong ? `settings.${wrong}` : kit.notPlain(job);
  }

  async create(reports, job) {
    const rosnodejs = requireBuilt('rosnodejs');
    const node = await rosnodejs.initNode(job.names.node, {
      timeout: job.match_timeout_ns / 1e6, // else it would wait for a master for ever
      logging: { level: 'warn' },
    });
    this.rosnodejs = rosnodejs;
    const spins = job.settings.delivery === 'spin';
    const options = { throttleMs: spins ? 0 : -1, tcpNoDelay: true };
    const { make } = require(ENDPOINTS[job.pattern] || './topic_endpoints');
    this.endpoints = make({ kit: reports, job, node, rosnodejs, options, spins });
    this.job = job;
  }

  // TCPROS knows a queue and latching. Without the spinner rosnodejs has no queue.
  effective() {
    const spins = this.job.settings.delivery === 'spin';
    const { history, depth, durability } = this.job.qos;
    const qos = {
      ...PLAIN_QOS, durability, history: spins ? history : null, depth: spins ? depth : null,
    };
    return { qos, transport: 'TCPROS', library: 'rosnodejs', version };
  }

  isMatched() {
    return this.endpoints.isMatched();
  }

  publish() {
    this.endpoints.publish();
  }

  echo(message) {
    this.endpoints.echo(message);
  }

  call(token, t1) {
    this.endpoints.call(token, t1);
  }

  // Leaves the master's lists, if that does not take long.
  async destroy() {
    if (this.rosnodejs) {
      const late = new Promise((resolve) => setTimeout(resolve, LEAVE_MS));
      await Promise.race([this.rosnodejs.shutdown(), late]);
    }
  }
}

if (process.argv[2] === '--version') {
  requireBuilt('rosnodejs').require('actionlib_benchmark');
  console.log(`rosnodejs ${version}, Node.js ${process.versions.node}`);
  process.exit(0);
}
kit.run(new Ros1NodePeer());
