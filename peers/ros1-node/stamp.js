'use strict';
// ROS 1's time, as rosnodejs has it, and ns.

const toNs = ({ secs, nsecs }) => BigInt(secs) * 1000000000n + BigInt(nsecs);
const fromNs = (ns) => ({ secs: Number(ns / 1000000000n), nsecs: Number(ns % 1000000000n) });

module.exports = { toNs, fromNs };
