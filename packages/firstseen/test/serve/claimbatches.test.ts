// Claims that come together are answered as those that come one by one: the same replies, the same claims, and a log that gives the same state.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { RecordBuffer, recordsIn } from '../../src/serve/log/records.js';
import { KeyMaps } from '../../src/serve/maps/keymaps.js';
import { applyChange, type ReplayTarget } from '../../src/serve/store/changes.js';
import type { DetectorEntry } from '../../src/serve/store/entry.js';
import { DetectorStore } from '../../src/serve/store/store.js';
import { save } from '../../src/snapshot/snapshots.js';
import { inLongForm } from '../support/form.js';
import { Random } from '../support/streams.js';
import { encode } from './support/client.js';
import { type FakeClient, fakeClient, fakeServer, settled } from './support/fakesocket.js';

const LIMITS = { memoryBytes: 2 ** 26, maxDetectors: 100, maxNameBytes: 512 };
const BEGIN_MILLISECONDS = 1_800_000_000_000;
const COMMANDS = 1000;
/** The most commands that come together. */
const TOGETHER = 40;
const NEAR_KEYS = 10;
const LEASE_MILLISECONDS = 60_000;

const tokens = ['a', 'b', 'ü'];

/** How the detector is made. Exact ones become full. */
const detectors = {
  exact: [],
  'a window in time': ['WINDOW', '1h'],
  'a window of few elements': ['WINDOW', '8', 'ALGORITHM', 'exactwindow'],
  sbf: ['ALGORITHM', 'sbf', 'FPR', '0.5'],
  'a window that repeats prolong': ['ALGORITHM', 'apbf', 'WINDOW', '60', 'LAYOUT', 'classic', 'REFRESH'],
  'few claims at a time': ['PENDING', '3'],
};

beforeEach(() => vi.useFakeTimers({ toFake: ['Date', 'performance'], now: BEGIN_MILLISECONDS }));
afterEach(() => vi.useRealTimers());

function oneOf<T>(random: Random, all: readonly T[]): T {
  return all[random.below(all.length)] as T;
}

/** Groups that follow one another have most of their keys in common, so that keys are new, held and seen. */
function keyOf(group: number, index: number): string {
  return `k:${(group >> 1) + index}`;
}

/** A command on claims; `kind` makes those alike that follow one another. */
function commandOf(random: Random, kind: number, group: number): Buffer {
  const [key, token] = [keyOf(group, random.below(NEAR_KEYS)), oneOf(random, tokens)];
  const settling = ['FS.COMMIT', 'FS.ABORT', 'FS.EXTEND'][kind];
  if (settling) return encode(settling, 'd', key, random.below(20) === 0 ? '' : token);
  if (kind < 6) {
    const lease = kind === 4 ? ['LEASE', '1s'] : [];
    return encode('FS.CLAIM', 'd', key, 'TOKEN', random.below(20) === 0 ? '' : token, ...lease);
  }
  if (kind === 6)
    return encode('SET', key, random.below(20) === 0 ? '' : token, 'NX', 'PX', String(LEASE_MILLISECONDS));
  if (kind === 7) return encode('SET', key, token);
  if (kind === 8) return encode('SET', key, token, 'EX', '3600');
  return oneOf(random, [
    encode('DEL', key),
    encode('GET', key),
    encode('FS.OBSERVE', 'd', key),
    encode('FS.OBSERVE', 'd', ...Array.from({ length: 30 }, (_, i) => `${group}:${i}`)),
    encode('FS.TEST', 'd', key),
    encode('FS.CLAIM', 'd', key, 'TOKEN', token, 'HOLD'),
    encode('FS.CLAIM', 'd', 'k'.repeat(2 ** 16 + 1), 'TOKEN', token),
  ]);
}

/** Groups of commands that come together. Those of a group are mostly of one kind. */
function scriptOf(random: Random): Buffer[][] {
  const groups: Buffer[][] = [];
  for (let count = 0; count < COMMANDS; ) {
    const group: Buffer[] = [];
    for (let kind = random.below(10); group.length < 1 + random.below(TOGETHER); ) {
      if (random.below(8) === 0) kind = random.below(10);
      group.push(commandOf(random, kind, groups.length));
    }
    groups.push(group);
    count += group.length;
  }
  return groups;
}

interface Case {
  client: FakeClient;
  /** Another client, which waits for keys. */
  waiting: FakeClient;
  records: RecordBuffer;
}

async function caseOf(words: readonly string[]): Promise<Case> {
  const server = fakeServer({ maps: new KeyMaps(['k:*=d,claim']) });
  const records = new RecordBuffer();
  server.store.recorder = records;
  const client = fakeClient({ server });
  const lease = String(LEASE_MILLISECONDS);
  client.socket.send(encode('FS.CREATE', 'd', 'CLAIMS', 'LEASE', lease, 'MEMORY', '1KiB', ...words));
  await settled();
  expect(client.socket.written).toMatch(/^[*%]/);
  const waiting = fakeClient({ server });
  return { client, waiting, records };
}

/** The replies to a script whose commands come together or one by one. Times pass between groups. */
async function run({ client, waiting }: Case, groups: readonly Buffer[][], isTogether: boolean): Promise<string> {
  for (const [i, group] of groups.entries()) {
    vi.setSystemTime(Date.now() + (i % 3) * 500);
    vi.advanceTimersByTime((i % 3) * 500);
    const wait = encode('FS.CLAIM', 'd', keyOf(i, i % NEAR_KEYS), 'TOKEN', 'a', 'WAIT', '1d');
    if (i % 4 === 0) waiting.socket.send(wait);
    for (const part of isTogether ? [Buffer.concat(group)] : group) client.socket.send(part);
    await settled();
  }
  return `${client.socket.written}\n${waiting.socket.written}`;
}

function entryIn(store: DetectorStore): DetectorEntry {
  return store.find('d') as DetectorEntry;
}

/** What a detector knows, and what claims hold. */
async function stateOf(store: DetectorStore): Promise<unknown> {
  const { detector, claims } = entryIn(store);
  const held = claims?.heldClaims().sort((one, other) => (one.fingerprint < other.fingerprint ? -1 : 1));
  return { snapshot: Buffer.from(await save(detector)).toString('hex'), held };
}

/** The state that a start makes of the log. */
async function replayed(records: RecordBuffer): Promise<unknown> {
  const store = new DetectorStore(LIMITS);
  const target: ReplayTarget = {
    find: (number) => store.findNumber(number),
    create: (created) => store.restore({ ...created, requests: [], held: [] }),
    take: () => undefined,
    drop: () => undefined,
  };
  for (const record of recordsIn(Buffer.from(records.part))) await applyChange(target, record);
  entryIn(store).endReplay();
  return stateOf(store);
}

/** All that comes of a script. The log gives what claims hold, and what the detector knows, as far as a replay can. */
async function outcomeOf(words: readonly string[], groups: readonly Buffer[][], isTogether: boolean) {
  vi.setSystemTime(BEGIN_MILLISECONDS);
  const one = await caseOf(words);
  const replies = await run(one, groups, isTogether);
  const { store, counts } = one.client.server;
  return { replies, counts, state: await stateOf(store), afterStart: await replayed(one.records) };
}

test.each(Object.entries(detectors))('%s: commands that come together are answered as one by one', async (_, words) => {
  for (let seed = 1; seed <= inLongForm(6, 2); seed++) {
    const groups = scriptOf(new Random(seed));
    expect(await outcomeOf(words, groups, true)).toEqual(await outcomeOf(words, groups, false));
  }
});
