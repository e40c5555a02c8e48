// Reads a data folder as docs/FORMAT.md says, and tells what a server must know that starts with it. It is written from that page, and
// imports nothing of the project. It knows the exact detector; of others, it counts the elements.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import xxhash from 'xxhash-wasm';

const { h64Raw } = await xxhash();
const BLOCK_MARK = 0x4b425346;
const LOG_MAGIC = Buffer.from('FSLOG\0\0\x01', 'latin1');
const EXACT_FAMILY = 1;
/** Registers of a snapshot: elements observed, those reported duplicate, and whether an exact detector has the fingerprint 0. */
const [OBSERVED, DUPLICATES, HAS_ZERO] = [0, 1, 10];

const u64 = (bytes, at) => Number(bytes.readBigUInt64LE(at));
const padded = (length) => Math.ceil(length / 8) * 8;
const isSealed = (bytes, from, end) => bytes.readBigUInt64LE(end) === h64Raw(bytes.subarray(from, end), 0n);

/** The block at an offset; undefined if there is none that is intact. */
function blockAt(bytes, at) {
  if (at + 32 > bytes.length || bytes.readUInt32LE(at) !== BLOCK_MARK) return undefined;
  const end = at + 24 + bytes.readUInt32LE(at + 4);
  if (end + 8 > bytes.length || !isSealed(bytes, at, end)) return undefined;
  return {
    number: u64(bytes, at + 8),
    synced: u64(bytes, at + 16),
    records: bytes.subarray(at + 24, end),
    next: end + 8,
  };
}

/** What the snapshot of a detector says. */
function snapshotOf(bytes) {
  const flags = bytes.readUInt32LE(16);
  const registersAt = 64 + 24 * bytes.readUInt32LE(20);
  const registerCount = bytes.readUInt32LE(40);
  const register = (number) => bytes.readBigUInt64LE(registersAt + 8 * number);
  let headerEnd = registersAt + 8 * registerCount + padded(bytes.readUInt32LE(44));
  for (const flag of [1, 2, 4]) if (flags & flag) headerEnd += 16;
  headerEnd += padded(bytes.readUInt16LE(14));
  const storedBytes = u64(bytes, 56);
  const cellsAt = headerEnd + 8;
  if (!isSealed(bytes, 0, headerEnd) || !isSealed(bytes, cellsAt, cellsAt + storedBytes)) {
    throw new Error('a snapshot has a wrong checksum');
  }
  const isExact = bytes.readUInt16LE(10) === EXACT_FAMILY;
  const elements = new Set();
  for (let at = cellsAt; isExact && at < cellsAt + storedBytes; at += 8) {
    const word = bytes.readBigUInt64LE(at);
    if (word !== 0n) elements.add(word);
  }
  if (isExact && register(HAS_ZERO) !== 0n) elements.add(0n);
  const seed = bytes.readBigUInt64LE(24);
  return { isExact, seed, elements, observed: Number(register(OBSERVED)), duplicates: Number(register(DUPLICATES)) };
}

function newDetector(name, snapshot) {
  return { name, ...snapshotOf(snapshot), ids: new Set(), held: new Map() };
}

/** Adds requests and claims of JSON. */
function addItems({ ids, held }, { requests, held: claims }) {
  for (const { id } of requests) ids.add(id);
  for (const { fingerprint, token, leaseMilliseconds, expiresAtMilliseconds } of claims) {
    held.set(BigInt(fingerprint), { token, leaseMilliseconds, expiresAt: expiresAtMilliseconds });
  }
}

/** A detector that was sent: the file of its number. */
function sentDetector(name, snapshot) {
  const detector = newDetector(name, snapshot);
  const noteAt = 64 + 24 * snapshot.readUInt32LE(20) + 8 * snapshot.readUInt32LE(40);
  const [head, ...lines] = snapshot
    .toString('utf8', noteAt, noteAt + snapshot.readUInt32LE(44))
    .split('\n')
    .filter((line) => line !== '');
  if (head !== undefined && JSON.parse(head).server === 1) {
    for (const line of lines) addItems(detector, JSON.parse(line));
  }
  return detector;
}

function* recordsIn(bytes) {
  for (let at = 0; at < bytes.length; ) {
    const [kind, number, elements, noteBytes] = [0, 4, 8, 12].map((offset) => bytes.readUInt32LE(at + offset));
    const time = bytes.readDoubleLE(at + 16);
    const note = bytes.subarray(at + 24, at + 24 + noteBytes);
    at += 24 + padded(noteBytes);
    const fingerprints = Array.from({ length: elements }, (_, i) => bytes.readBigUInt64LE(at + 8 * i));
    at += 8 * elements;
    const created = kind === 1 || kind === 7 ? JSON.parse(note.toString()) : undefined;
    const snapshot = created && bytes.subarray(at, at + created.snapshotBytes);
    if (created) at += padded(created.snapshotBytes);
    yield { kind, number, time, note, fingerprints, created, snapshot };
  }
}

/** Changes the detectors as a record says. */
function replay(detectors, { kind, number, time, note, fingerprints, created, snapshot }, folder) {
  if (kind === 1) detectors.set(number, newDetector(created.name, snapshot));
  if (kind === 7) {
    const sent = readFileSync(join(folder, `import-${String(number).padStart(12, '0')}`));
    detectors.set(number, sentDetector(created.name, sent));
  }
  const detector = detectors.get(number);
  if (detector === undefined || created) return;
  if (kind === 2) detectors.delete(number);
  else if (kind === 3) {
    detector.elements.clear();
    detector.ids.clear();
    Object.assign(detector, { observed: 0, duplicates: 0 });
  } else if (kind === 4) {
    if (note.length > 0) detector.ids.add(note.toString('latin1'));
    detector.observed += fingerprints.length;
    for (const one of fingerprints) {
      if (detector.elements.has(one)) detector.duplicates++;
      else if (detector.isExact) detector.elements.add(one);
    }
  } else if (kind === 5) detector.held.set(fingerprints[0], { ...JSON.parse(note.toString()), expiresAt: time });
  else if (kind === 6) detector.held.delete(fingerprints[0]);
}

/** The detectors of a set of snapshots, and the number of the last block that it has. */
function readSet(path) {
  const bytes = readFileSync(path);
  const detectors = new Map();
  for (let at = 0; ; ) {
    const block = blockAt(bytes, at);
    if (block === undefined) throw new Error(`${path} has no block at ${at}`);
    const value = JSON.parse(block.records.toString());
    if (block.number === 2) {
      if (value.detectors !== detectors.size) throw new Error(`${path} is not complete`);
      return { detectors, lastBlock: value.lastBlock };
    }
    let { next } = block;
    const portions = [value];
    for (let i = 0; i < (value.more ?? 0); i++) {
      const portion = blockAt(bytes, next);
      portions.push(JSON.parse(portion.records.toString()));
      next = portion.next;
    }
    const detector = newDetector(value.name, bytes.subarray(next, next + value.snapshotBytes));
    for (const portion of portions) addItems(detector, portion);
    detectors.set(value.number, detector);
    at = next + value.snapshotBytes;
  }
}

/** The detectors of a data folder by their names. */
export function readFolder(folder) {
  const namesOf = (kind) =>
    readdirSync(folder)
      .filter((name) => new RegExp(`^${kind}-[0-9]{12}$`).test(name))
      .sort();
  const sequenceOf = (name) => Number(name.slice(-12));
  const newest = namesOf('snapshot').at(-1);
  let { detectors, lastBlock } = newest ? readSet(join(folder, newest)) : { detectors: new Map(), lastBlock: 0 };
  const from = newest === undefined ? 0 : sequenceOf(newest);
  for (const name of namesOf('log').filter((one) => sequenceOf(one) >= from)) {
    const bytes = readFileSync(join(folder, name));
    const isLog = bytes.length >= 32 && bytes.subarray(0, 8).equals(LOG_MAGIC) && isSealed(bytes, 0, 24);
    // What follows was being written when the machine stopped.
    if (!isLog || u64(bytes, 16) !== lastBlock + 1) break;
    let at = 32;
    for (let block = blockAt(bytes, at); block?.number === lastBlock + 1; block = blockAt(bytes, at)) {
      for (const record of recordsIn(block.records)) replay(detectors, record, folder);
      lastBlock = block.number;
      at = block.next;
    }
    // Space that was taken for the next blocks is zeros.
    if (bytes.subarray(at).some((byte) => byte !== 0)) break;
  }
  return new Map([...detectors.values()].map((detector) => [detector.name, detector]));
}

/** The fingerprint of a key in a detector without a secret. */
export function fingerprintOf(detector, key) {
  return h64Raw(Buffer.from(key), detector.seed);
}
