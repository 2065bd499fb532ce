#!/usr/bin/env node
'use strict';
// The rclnodejs peer: rclnodejs's calls behind the kit. What is timed is in README.md.
const path = require('path');
const { createRequire } = require('module');

const kit = require('../kit/javascript/kit');
const qos = require('./qos');

// rclnodejs lies in the build folder, where the set-up put it.
const buildDir = path.resolve(process.env.RCLBENCH_BUILD_DIR || __dirname);
const requireBuilt = createRequire(path.join(buildDir, 'package.json'));

const { version } = requireBuilt('rclnodejs/package.json');
const rmw = process.env.RMW_IMPLEMENTATION || 'default RMW';

const TYPES = {
  topic: 'std_msgs/msg/UInt8MultiArray',
  startup: 'std_msgs/msg/UInt8MultiArray',
  service: 'nav_msgs/srv/GetMap',
  action: 'actionlib_benchmark/action/Roundtrip',
};
const GRAPH_WAIT_MS = 1000;
const ENDPOINTS = { service: './service_endpoints', action: './action_endpoints' };

class RclnodejsPeer {
  constructor() {
    this.settings = [];
    this.endpoints = this.rclnodejs = this.job = this.node = null;
  }

  refuses(job) {
    if (job.generation !== 2) {
      return 'generation';
    }
    if (job.type !== TYPES[job.pattern]) {
      return 'type';
    }
    const absent = ['deadline_ns', 'lifespan_ns', 'liveliness_lease_ns'];
    const asked = absent.find((name) => job.qos[name] !== 0);
    return asked ? `qos.${asked}` : kit.notPlain(job);
  }

  async create(reports, job) {
    const rclnodejs = requireBuilt('rclnodejs');
    this.rclnodejs = rclnodejs;
    await rclnodejs.init(undefined, []);
    const { node: name } = job.names;
    const slash = name.lastIndexOf('/');
    const node = new rclnodejs.Node(name.slice(slash + 1), name.slice(0, slash));
    const { make } = require(ENDPOINTS[job.pattern] || './topic_endpoints');
    const options = {
      enableTypedArray: job.payload_kind === 'bytes',
      qos: qos.make(rclnodejs, job.qos),
    };
    this.endpoints = make({ kit: reports, job, rclnodejs, node, options });
    node.spin();
    this.job = job;
    this.node = node;
  }

  async effective() {
    const waitMs = this.job.pattern === 'startup' ? 0 : GRAPH_WAIT_MS;
    const inForce = await qos.inForce(this.node, this.job, waitMs);
    return { qos: inForce, transport: rmw, library: 'rclnodejs', version };
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

  destroy() {
    if (this.endpoints) {
      this.rclnodejs.shutdown();
    }
  }
}

if (process.argv[2] === '--version') {
  requireBuilt('rclnodejs'); // loads the addon
  console.log(`rclnodejs ${version}, Node.js ${process.versions.node}, ${rmw}`);
  process.exit(0);
}
kit.run(new RclnodejsPeer());
