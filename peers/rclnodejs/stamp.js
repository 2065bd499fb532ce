'use strict';
// builtin_interfaces/Time and ns.

const toNs = ({ sec, nanosec }) => BigInt(sec) * 1000000000n + BigInt(nanosec);
const fromNs = (ns) => ({ sec: Number(ns / 1000000000n), nanosec: Number(ns % 1000000000n) });

module.exports = { toNs, fromNs };
