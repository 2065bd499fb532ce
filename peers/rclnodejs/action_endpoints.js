'use strict';
// Action server and client over actionlib_benchmark/Roundtrip.
const { nowNs } = require('../kit/javascript/kit');
const { toNs, fromNs } = require('./stamp');

const TYPE = 'actionlib_benchmark/action/Roundtrip';

class Server {
  constructor({ kit, job, node, rclnodejs }) {
    const { Result } = rclnodejs.require(TYPE);
    this.server = new rclnodejs.ActionServer(node, TYPE, job.names.action, (goal) => {
      const t2 = nowNs();
      goal.succeed();
      kit.served(toNs(goal.request.start), t2, 0n);
      const result = new Result();
      result.received = fromNs(t2);
      return result;
    });
  }

  isMatched() {
    return true;
  }
}

class Client {
  constructor({ kit, job, node, rclnodejs }) {
    this.kit = kit;
    this.client = new rclnodejs.ActionClient(node, TYPE, job.names.action);
    this.Goal = rclnodejs.require(TYPE).Goal;
  }

  isMatched() {
    return this.client.isActionServerAvailable();
  }

  async call(token, t1) {
    const goal = new this.Goal();
    goal.start = fromNs(t1);
    const handle = await this.client.sendGoal(goal);
    if (!handle.isAccepted()) {
      this.kit.unanswered(token);
      return;
    }
    const result = await handle.getResult();
    const t4 = nowNs();
    if (handle.isSucceeded()) {
      this.kit.answered(token, toNs(result.received), 0n, t4, false);
    } else {
      this.kit.unanswered(token);
    }
  }
}

module.exports = {
  make: (setting) => (setting.job.role === 'server' ? new Server(setting) : new Client(setting)),
};
