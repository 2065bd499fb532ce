'use strict';
// The bytes of a topic message and of a GetMap response (docs/peer-protocol.md). `data` is a
// Uint8Array, or, when the job asks for lists, an array of numbers.

const HANDSHAKE = 1n << 63n;
const WARMUP = 1n << 62n;
const CORRUPT = 1n << 61n;
const HEAD_BYTES = 32;
const END_BYTES = 8;

// A view of part of a message's data.
function part(data, from, to) {
  return data instanceof Uint8Array
    ? Buffer.from(data.buffer, data.byteOffset + from, to - from)
    : Buffer.from(data.slice(from, to));
}

// A payload with its body; the rest is stamped for each message.
function make(size, runId) {
  const data = new Uint8Array(size);
  const start = Number(runId % 251n);
  for (let i = HEAD_BYTES; i < size; i++) {
    data[i] = (i * 131 + start) % 251;
  }
  return data;
}

function stamp(data, runId, seq, plannedNs) {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  view.setBigUint64(0, runId, true);
  view.setBigUint64(8, seq, true);
  view.setBigInt64(16, plannedNs, true);
  view.setBigUint64(data.length - END_BYTES, seq, true);
  return view;
}

// { runId, seq, planned, t1 }, or null: too short.
function read(data) {
  if (data.length < HEAD_BYTES + END_BYTES) {
    return null;
  }
  const head = part(data, 0, HEAD_BYTES);
  return {
    runId: head.readBigUInt64LE(0),
    seq: head.readBigUInt64LE(8),
    planned: head.readBigInt64LE(16),
    t1: head.readBigInt64LE(24),
  };
}

// body: what make() gave, or null: only the ends are checked.
function isIntact(data, seq, body) {
  const end = data.length - END_BYTES;
  if (part(data, end, data.length).readBigUInt64LE(0) !== seq) {
    return false;
  }
  return body === null || part(data, HEAD_BYTES, end).equals(part(body, HEAD_BYTES, end));
}

const MAP = { frame: 'main_frame', resolution: 1.0, width: 1024, height: 768 };

function makeMap(size) {
  return Int8Array.from({ length: size }, (_, i) => i % 100);
}

function isMapIntact(data, size, full) {
  if (data.length !== size) {
    return false;
  }
  const matches = (from, to) => {
    for (let i = Math.max(from, 0); i < Math.min(to, size); i++) {
      if (data[i] !== i % 100) {
        return false;
      }
    }
    return true;
  };
  return full ? matches(0, size) : matches(0, END_BYTES) && matches(size - END_BYTES, size);
}

module.exports = {
  HANDSHAKE, WARMUP, CORRUPT, MAP, make, stamp, read, isIntact, makeMap, isMapIntact,
};
