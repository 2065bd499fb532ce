'use strict';
// Service server and client over nav_msgs/GetMap.
const { nowNs, payload } = require('../kit/javascript/kit');
const { toNs, fromNs } = require('./stamp');

const TYPE = 'nav_msgs/GetMap';

class Server {
  constructor({ kit, job, node, rosnodejs }) {
    const { map } = new (rosnodejs.require('nav_msgs').srv.GetMap.Response)();
    map.header.frame_id = payload.MAP.frame;
    map.info.resolution = payload.MAP.resolution;
    map.info.width = payload.MAP.width;
    map.info.height = payload.MAP.height;
    const data = payload.makeMap(job.payload_bytes);
    map.data = job.payload_kind === 'list' ? Array.from(data) : data;
    node.advertiseService(job.names.service, TYPE, (_request, response) => {
      const t2 = nowNs();
      map.info.map_load_time = fromNs(t2);
      const t3 = nowNs();
      map.header.stamp = fromNs(t3);
      kit.served(0n, t2, t3);
      response.map = map;
      return true;
    });
  }

  isMatched() {
    return true;
  }
}

class Client {
  constructor({ kit, job, node, rosnodejs }) {
    this.kit = kit;
    this.job = job;
    this.Request = rosnodejs.require('nav_msgs').srv.GetMap.Request;
    const persist = job.settings.connection !== 'per_call';
    this.client = node.serviceClient(job.names.service, TYPE, { persist });
    this.found = false;
    node.waitForService(job.names.service).then(() => {
      this.found = true;
    });
  }

  isMatched() {
    return this.found;
  }

  async call(token, _t1) {
    let response;
    try {
      response = await this.client.call(new this.Request());
    } catch {
      this.kit.unanswered(token);
      return;
    }
    const t4 = nowNs();
    const { map } = response;
    const { payload_bytes: size, verify } = this.job;
    const intact = payload.isMapIntact(map.data, size, verify === 'full');
    this.kit.answered(token, toNs(map.info.map_load_time), toNs(map.header.stamp), t4, !intact);
  }
}

module.exports = {
  make: (setting) => (setting.job.role === 'server' ? new Server(setting) : new Client(setting)),
};
