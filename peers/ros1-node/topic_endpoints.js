'use strict';
// Publisher, subscriber, and both for the echo, over std_msgs/UInt8MultiArray.
const { nowNs } = require('../kit/javascript/kit');

const TYPE = 'std_msgs/UInt8MultiArray';

class Topic {
  constructor({ kit, job, node, rosnodejs, options, spins }) {
    this.kit = kit;
    this.asList = job.payload_kind === 'list';
    this.spins = spins;
    const publishes = job.role === 'publisher';
    const { names } = job;
    const queue = { ...options, queueSize: job.qos.history === 'keep_all' ? Infinity : job.qos.depth };
    if (publishes) {
      this.Message = rosnodejs.require('std_msgs').msg.UInt8MultiArray;
      this.layout = makeLayout(job.payload_bytes);
      this.outgoing = this.asList ? Array.from(kit.data) : kit.data;
    }
    if (publishes || job.echo) {
      const latching = job.qos.durability === 'transient_local';
      this.publisher = node.advertise(
        publishes ? names.topic : names.echo_topic, TYPE, { ...queue, latching });
    }
    if (!publishes || job.echo) {
      this.subscriber = node.subscribe(publishes ? names.echo_topic : names.topic, TYPE, (message) => {
        const arrivedNs = nowNs();
        kit.message(arrivedNs, message.data, message);
      }, { ...queue });
    }
  }

  isMatched() {
    return (!this.publisher || this.publisher.getNumSubscribers() > 0)
      && (!this.subscriber || this.subscriber.getNumPublishers() > 0);
  }

  publish() {
    let data = this.outgoing;
    if (this.asList) {
      refresh(data, this.kit.data);
    }
    if (this.spins) {
      data = data.slice(); // the message waits for the spinner while the kit stamps the next one
    }
    this.publisher.publish(new this.Message({ layout: this.layout, data }));
  }

  echo(message) {
    this.publisher.publish(message);
  }
}

function makeLayout(size) {
  const dim = [
    { label: 'height', size: 1, stride: size },
    { label: 'width', size, stride: size },
    { label: 'channel', size: 1, stride: 1 },
  ];
  return { dim, data_offset: 0 };
}

// What the kit stamped: the first 32 bytes and the last 8.
function refresh(list, data) {
  for (let i = 0; i < 32; i++) {
    list[i] = data[i];
  }
  for (let i = data.length - 8; i < data.length; i++) {
    list[i] = data[i];
  }
}

module.exports = { make: (setting) => new Topic(setting) };
