// What must hold of a data folder, when it is broken: nothing is written or removed.

import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { encodeBlock } from '../../src/serve/log/blocks.js';
import { DataFolder } from '../../src/serve/log/datafolder.js';
import { pathOf } from '../../src/serve/log/files.js';
import { Journal } from '../../src/serve/log/journal.js';
import { LogFile } from '../../src/serve/log/logfile.js';
import { LogProblems } from '../../src/serve/log/logproblems.js';
import { DetectorStore } from '../../src/serve/store/store.js';
import { save } from '../../src/snapshot/snapshots.js';
import { checksum, compactor, dataIn, elementsAfterStart, newFolder } from './support/folder.js';

const limits = { memoryBytes: 2 ** 30, maxDetectors: 10, maxNameBytes: 100 };
const detector = { number: 1, name: 'd', request: { options: {} }, memoryBytes: 1024, timeMilliseconds: 0 };

afterEach(() => vi.restoreAllMocks());

test.each([
  [{ number: 5, synced: 2 }, 'the numbers of the blocks of a log rise by one, but number is 5, lastNumber is 5;'],
  [{ number: 7, synced: 2 }, 'the numbers of the blocks of a log rise by one, but number is 7, lastNumber is 5;'],
  [
    { number: 6, synced: 1 },
    'the blocks on the disk are before the next one, but synced is 1, lastSynced is 2, number is 6;',
  ],
  [
    { number: 6, synced: 6 },
    'the blocks on the disk are before the next one, but synced is 6, lastSynced is 2, number is 6;',
  ],
])('a block %j is not written after the block 5', async (head, message) => {
  const folder = newFolder();
  const log = await LogFile.create(folder, 1, 100);
  const sum = await checksum;
  const append = (next: typeof head) => log.append(encodeBlock(next, new Uint8Array(8), sum), next);
  log.begin(5, sum);
  append({ number: 5, synced: 2 });
  const before = readFileSync(pathOf(folder, 'log', 1));
  expect(() => append(head)).toThrow(
    expect.objectContaining({ code: 'E_INVARIANT', message: expect.stringContaining(message) }),
  );
  expect(readFileSync(pathOf(folder, 'log', 1))).toEqual(before);
  append({ number: 6, synced: 5 });
  log.close();
});

test('a journal whose log is not at its last block takes nothing any more, and its server ends', async () => {
  const folder = newFolder();
  const onLoss = vi.fn();
  const journal = await Journal.open({
    ...{ folder, durability: 'interval', lastBlock: 0, sequence: 1, earlierBytes: 0, checksum: await checksum },
    ...{ checkLock: vi.fn(), problems: new LogProblems(vi.fn()), onGone: vi.fn(), onLoss },
  });
  const append = LogFile.prototype.append;
  vi.spyOn(LogFile.prototype, 'append').mockImplementation(function (this: LogFile, block, { number, synced }) {
    append.call(this, block, { number: number + 1, synced });
  });
  const before = readFileSync(pathOf(folder, 'log', 1));
  const answered = vi.fn();
  journal.record('observed', detector, BigUint64Array.of(1n));
  expect(journal.whenSafe(answered, true)).toBe(true);
  await vi.waitUntil(() => onLoss.mock.calls.length > 0, { timeout: 60_000 });
  expect(onLoss).toHaveBeenCalledWith(expect.objectContaining({ code: 'E_INVARIANT' }));
  expect(journal.problem).toMatchObject({ code: 'E_INVARIANT' });
  expect(answered).not.toHaveBeenCalled();
  expect(readFileSync(pathOf(folder, 'log', 1))).toEqual(before);
});

test('the log is not removed if no snapshots have it', async () => {
  const folder = newFolder();
  const store = new DetectorStore(limits);
  let isBroken = true;
  const data = await DataFolder.open(
    {
      ...dataIn(folder, { compactor: async (task) => (isBroken ? undefined : compactor(task)) }),
      ...{ onWarning: () => undefined, onLoss: () => undefined },
    },
    store,
  );
  await store.create('d', { options: { algorithm: 'exact', memory: 1024 } });
  const entry = store.find('d');
  if (entry === undefined) throw new Error('the store lacks the detector d');
  entry.detector.observe('a');
  entry.record('observed', BigUint64Array.of(1n));
  await expect(data.save()).rejects.toMatchObject({
    code: 'E_INVARIANT',
    message: expect.stringContaining(
      'a log is removed only when snapshots have it, but sequence is 2, sequences is [];',
    ),
  });
  const files = readdirSync(folder).filter((name) => /^(log|snapshot)/.test(name));
  expect(files).toEqual(['log-000000000001', 'log-000000000002']);
  isBroken = false;
  await data.save();
  expect(readdirSync(folder).filter((name) => name.startsWith('snapshot'))).toHaveLength(1);
  await data.close();
  store.close();
  expect(await elementsAfterStart(folder)).toBe(1);
});

/** A pool refuses a name that it has; this one shares no kernel. */
const large = { options: { algorithm: 'bloom', memory: '5MiB', witness: { memory: '64KiB' } } } as const;

test.each([
  ['number', { number: 1, name: 'other' }],
  ['name', { number: 2, name: 'd' }],
])('a second detector of the same %s takes the place of none', async (_, other) => {
  const store = new DetectorStore(limits);
  await store.create('d', large);
  const first = store.find('d');
  const made = new DetectorStore(limits);
  await made.create('d', large);
  const snapshot = await save(made.find('d')?.detector as never);
  const saved = { ...other, request: { options: {} }, requests: [], held: [], snapshot };
  await expect(store.restore(saved)).rejects.toMatchObject({
    code: 'E_INVARIANT',
    message: expect.stringContaining('no two detectors have the same name or number'),
  });
  expect([store.find('d'), store.findNumber(1), store.count]).toEqual([first, first, 1]);
  store.close();
  made.close();
});
