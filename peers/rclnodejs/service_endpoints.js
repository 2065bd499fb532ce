'use strict';
// Service server and client over nav_msgs/GetMap.
const { nowNs, payload } = require('../kit/javascript/kit');
const { toNs, fromNs } = require('./stamp');

const TYPE = 'nav_msgs/srv/GetMap';

class Server {
  constructor({ kit, job, node, rclnodejs, options }) {
    const { Response } = rclnodejs.require(TYPE);
    const held = new Response().toPlainObject();
    const { map } = held;
    map.header.frame_id = payload.MAP.frame;
    map.info.resolution = payload.MAP.resolution;
    map.info.width = payload.MAP.width;
    map.info.height = payload.MAP.height;
    const data = payload.makeMap(job.payload_bytes);
    map.data = job.payload_kind === 'list' ? Array.from(data) : data;
    node.createService(TYPE, job.names.service, options, (_request, response) => {
      const t2 = nowNs();
      map.info.map_load_time = fromNs(t2);
      const t3 = nowNs();
      map.header.stamp = fromNs(t3);
      kit.served(0n, t2, t3);
      response.send(held);
    });
  }

  isMatched() {
    return true;
  }
}

class Client {
  constructor({ kit, job, node, options }) {
    this.kit = kit;
    this.job = job;
    this.client = node.createClient(TYPE, job.names.service, options);
  }

  isMatched() {
    return this.client.isServiceServerAvailable();
  }

  call(token, _t1) {
    this.client.sendRequest({}, ({ map }) => {
      const t4 = nowNs();
      const { payload_bytes: size, verify } = this.job;
      const intact = payload.isMapIntact(map.data, size, verify === 'full');
      this.kit.answered(token, toNs(map.info.map_load_time), toNs(map.header.stamp), t4, !intact);
    });
  }
}

module.exports = {
  make: (setting) => (setting.job.role === 'server' ? new Server(setting) : new Client(setting)),
};
