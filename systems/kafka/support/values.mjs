// What the values of a load hold, read on its own: one JSON object, or many records, as `--batches` takes them.

import { keyOf } from '../../../packages/firstseen/dist/index.js';

const INTEGER_BYTES = 8;
const NEWLINE = 10;

function keyInJson(bytes) {
  return keyOf(['id'], bytes, { format: 'ndjson' });
}

/** Lines with their ends. */
function* linesIn(value) {
  for (let [start, end] = [0, 0]; start < value.length; start = end) {
    end = value.indexOf(NEWLINE, start) + 1 || value.length;
    yield value.subarray(start, end);
  }
}

function recordOfLine(bytes) {
  const text = bytes.at(-1) === NEWLINE ? bytes.subarray(0, -1) : bytes;
  return { bytes, key: text.length === 0 ? undefined : keyInJson(text) };
}

function recordOfInteger(value, i) {
  const bytes = value.subarray(i * INTEGER_BYTES, (i + 1) * INTEGER_BYTES);
  return { bytes, key: bytes.readBigUInt64LE() };
}

/**
 * By what a message holds: the flags of a worker for it, and what finds the records of a value, each with its bytes and its key. An empty line has no
 * key, and is left out where a message is written with some of its records.
 */
export const formats = {
  object: {
    flags: ['-f', 'ndjson', '-k', 'id'],
    recordsIn: (value) => [{ bytes: value, key: keyInJson(value) }],
  },
  ndjson: {
    flags: ['-f', 'ndjson', '-k', 'id', '--batches'],
    recordsIn: (value) => Array.from(linesIn(value), recordOfLine),
  },
  u64: {
    flags: ['-f', 'u64', '--batches'],
    recordsIn: (value) => Array.from({ length: value.length / INTEGER_BYTES }, (_, i) => recordOfInteger(value, i)),
  },
};

/** The bytes of a column of `Tool.read`; null for none. */
export function decoded(column) {
  return column === '-' ? null : Buffer.from(column.slice(1), 'base64');
}

/** Bytes as a column of `Tool.read`. */
export function encoded(bytes) {
  return bytes === null ? '-' : `:${bytes.toString('base64')}`;
}

/** A key as a text. */
export function nameOf(key) {
  return typeof key === 'bigint' ? String(key) : Buffer.from(key).toString('latin1');
}

/** The value that has some records only. */
export function valueWith(records) {
  return Buffer.concat(records.map(({ bytes }) => bytes));
}
