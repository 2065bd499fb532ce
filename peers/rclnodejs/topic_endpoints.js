'use strict';
// Publisher, subscriber, and both for the echo, over std_msgs/UInt8MultiArray.
const { nowNs } = require('../kit/javascript/kit');

const TYPE = 'std_msgs/msg/UInt8MultiArray';

class Topic {
  constructor({ kit, job, node, options }) {
    this.kit = kit;
    this.asList = job.payload_kind === 'list';
    const publishes = job.role === 'publisher';
    const { names } = job;
    if (publishes) {
      this.outgoing = this.makeMessage(job.payload_bytes);
    }
    if (publishes || job.echo) {
      const topic = publishes ? names.topic : names.echo_topic;
      this.publisher = node.createPublisher(TYPE, topic, options);
    }
    if (!publishes || job.echo) {
      const topic = publishes ? names.echo_topic : names.topic;
      this.subscription = node.createSubscription(TYPE, topic, options, (message) => {
        const arrivedNs = nowNs();
        kit.message(arrivedNs, message.data, message);
      });
    }
  }

  makeMessage(size) {
    const dim = [
      { label: 'height', size: 1, stride: size },
      { label: 'width', size, stride: size },
      { label: 'channel', size: 1, stride: 1 },
    ];
    const { data } = this.kit;
    return { layout: { dim, data_offset: 0 }, data: this.asList ? Array.from(data) : data };
  }

  isMatched() {
    return (!this.publisher || this.publisher.subscriptionCount > 0)
      && (!this.subscription || this.subscription.publisherCount > 0);
  }

  publish() {
    if (this.asList) {
      const { data } = this.kit;
      const list = this.outgoing.data;
      for (let i = 0; i < 32; i++) {
        list[i] = data[i];
      }
      for (let i = data.length - 8; i < data.length; i++) {
        list[i] = data[i];
      }
    }
    this.publisher.publish(this.outgoing);
  }

  echo(message) {
    this.publisher.publish(message);
  }
}

module.exports = { make: (setting) => new Topic(setting) };
