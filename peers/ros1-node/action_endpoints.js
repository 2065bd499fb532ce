'use strict';
// Action server and client over actionlib_benchmark/Roundtrip.
const { nowNs } = require('../kit/javascript/kit');
const { toNs, fromNs } = require('./stamp');

const DONE = 7; // CommState.DONE, which rosnodejs keeps to itself

// One set of options for each topic of the action: rosnodejs writes into them.
function makeOptions({ job, node, options }) {
  const topics = ['goal', 'cancel', 'status', 'feedback', 'result'];
  const each = Object.fromEntries(topics.map((topic) => [topic, { ...options }]));
  return { nh: node, type: 'actionlib_benchmark/Roundtrip', actionServer: job.names.action, ...each };
}

class Server {
  constructor(setting) {
    const { kit, rosnodejs } = setting;
    const Result = rosnodejs.require('actionlib_benchmark').msg.RoundtripResult;
    this.server = new rosnodejs.ActionServer(makeOptions(setting));
    this.server.on('goal', (handle) => {
      const t2 = nowNs();
      handle.setAccepted();
      // Before the result: the client may be through with its run as soon as it has that.
      kit.served(toNs(handle.getGoal().start), t2, 0n);
      handle.setSucceeded(new Result({ received: fromNs(t2) }));
    });
    this.server.start();
  }

  isMatched() {
    return true;
  }
}

class Client {
  constructor(setting) {
    const { kit, rosnodejs } = setting;
    this.kit = kit;
    this.client = new rosnodejs.ActionClient(makeOptions(setting));
    const messages = rosnodejs.require('actionlib_benchmark').msg;
    this.Goal = messages.RoundtripGoal;
    this.succeeded = rosnodejs.require('actionlib_msgs').msg.GoalStatus.Constants.SUCCEEDED;
  }

  isMatched() {
    return this.client.isServerConnected();
  }

  call(token, t1) {
    const handle = this.client.sendGoal(new this.Goal({ start: fromNs(t1) }), () => {
      if (handle.getCommState() !== DONE) {
        return;
      }
      const t4 = nowNs();
      if (handle.getTerminalState() === this.succeeded) {
        this.kit.answered(token, toNs(handle.getResult().received), 0n, t4, false);
      } else {
        this.kit.unanswered(token);
      }
    });
  }
}

module.exports = {
  make: (setting) => (setting.job.role === 'server' ? new Server(setting) : new Client(setting)),
};
