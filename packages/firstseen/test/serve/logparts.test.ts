// What the log and the snapshots are written in: parts that every reader takes, and that were read again.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { bloom } from '../../src/detectors/bloom.js';
import { Kernel } from '../../src/kernel/kernel.js';
import { BlockReader } from '../../src/serve/log/blocks.js';
import { savedOf } from '../../src/serve/log/compact.js';
import { pathOf } from '../../src/serve/log/files.js';
import { Journal } from '../../src/serve/log/journal.js';
import type { LogDurability } from '../../src/serve/log/journaloptions.js';
import { LOG_HEAD_BYTES, LogFile } from '../../src/serve/log/logfile.js';
import { LogProblems } from '../../src/serve/log/logproblems.js';
import { RecordBuffer, recordsIn } from '../../src/serve/log/records.js';
import { restoreNewest } from '../../src/serve/log/restore.js';
import { encodeSet, openSet, type Saved, writeSet } from '../../src/serve/log/snapshotset.js';
import { DetectorStore } from '../../src/serve/store/store.js';
import { save } from '../../src/snapshot/snapshots.js';
import { inLongForm } from '../support/form.js';
import { checksum, newFolder } from './support/folder.js';

const limits = { memoryBytes: 2 ** 30, maxDetectors: 10_000, maxNameBytes: 100 };
const detector = { number: 1, name: 'd', request: { options: {} }, memoryBytes: 1024, timeMilliseconds: 0 };

afterEach(() => vi.restoreAllMocks());

async function journalIn(folder: string, durability: LogDurability = 'interval'): Promise<Journal> {
  const options = { folder, durability, lastBlock: 0, sequence: 1, earlierBytes: 0 } as const;
  const [checkLock, onGone, onLoss] = [vi.fn(), vi.fn(), vi.fn()];
  const problems = new LogProblems(vi.fn());
  return Journal.open({ ...options, checksum: await checksum, checkLock, problems, onGone, onLoss });
}

test('a journal without space goes on once there is some, also when a sync takes longer than the time between two tries', async () => {
  const journal = await journalIn(newFolder(), 'always');
  const reserve = vi.spyOn(LogFile.prototype, 'reserve').mockImplementation(() => {
    throw new Error('no space');
  });
  vi.spyOn(LogFile.prototype, 'sync').mockImplementation(() => new Promise((resolve) => setTimeout(resolve, 600)));
  expect(journal.reserve(2 ** 24)).toMatchObject({ message: 'no space' });
  journal.record('observed', detector, BigUint64Array.of(1n));
  await new Promise<void>((resolve) => expect(journal.whenSafe(resolve, true)).toBe(true));
  reserve.mockRestore();
  await expect.poll(() => journal.reserve(8), { timeout: 5000 }).toBeUndefined();
  await journal.close();
});

/** The records of each block of the first log. */
async function blocksIn(folder: string): Promise<Buffer[]> {
  const reader = await BlockReader.open(pathOf(folder, 'log', 1), await checksum);
  const blocks: Buffer[] = [];
  for (let at = LOG_HEAD_BYTES; !(await reader.isEmptyFrom(at)); ) {
    const block = await reader.block(at);
    if (block === undefined) throw new Error(`there is no block at ${at}`);
    blocks.push(block.records);
    at = block.next;
  }
  await reader.close();
  return blocks;
}

test('a change that is made while an earlier one is answered waits for a sync of its own', async () => {
  const folder = newFolder();
  const journal = await journalIn(folder, 'always');
  const syncs = () => journal.syncSeconds.count;
  const change = (element: bigint, whenSafe: () => void) => {
    journal.record('observed', detector, BigUint64Array.of(element));
    expect(journal.whenSafe(whenSafe, true)).toBe(true);
  };
  // How many syncs there were when each was safe.
  const seen = await new Promise<number[]>((resolve) => {
    change(1n, () => {
      const first = syncs();
      change(2n, () => {
        const second = syncs();
        // The next one comes while this one is synced, which begins in the next turn.
        change(3n, () => undefined);
        setImmediate(() => setImmediate(() => change(4n, () => resolve([first, second, syncs()]))));
      });
    });
  });
  expect(seen).toEqual([1, 2, 4]);
  await journal.close();
});

/** The heads of the blocks that have their place in the first log, and the bytes of their records. */
async function headsIn(folder: string): Promise<[number: number, synced: number, recordBytes: number][]> {
  const reader = await BlockReader.open(pathOf(folder, 'log', 1), await checksum);
  const heads: [number, number, number][] = [];
  for await (const { number, synced, records } of reader.search(LOG_HEAD_BYTES))
    heads.push([number, synced, records.length]);
  await reader.close();
  return heads;
}

test.each(['always', 'interval'] as const)(
  'with the durability %s, an idle log says that it is on the disk',
  async (durability) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const folder = newFolder();
    const journal = await journalIn(folder, durability);
    const observe = async (element: bigint, syncs: number) => {
      journal.record('observed', detector, BigUint64Array.of(element));
      await new Promise<void>((resolve) => expect(journal.whenSafe(resolve, true)).toBe(true));
      if (durability === 'interval') vi.advanceTimersByTime(1000);
      await expect.poll(() => journal.syncSeconds.count).toBe(syncs);
      // The sync that ended is noted in the next turn.
      await new Promise((resolve) => setImmediate(resolve));
    };
    await observe(1n, 1);
    await observe(2n, 2);
    expect((await headsIn(folder)).map(([number]) => number)).toEqual([1, 2]);
    for (const _ of [1, 2]) vi.advanceTimersByTime(1000);
    const idle = [
      [1, 0, 32],
      [2, 1, 32],
      [3, 2, 0],
    ];
    expect(await headsIn(folder)).toEqual(idle);
    for (const _ of [1, 2, 3]) vi.advanceTimersByTime(1000);
    expect(await headsIn(folder)).toEqual(idle);
    await observe(3n, 3);
    vi.advanceTimersByTime(1000);
    expect((await headsIn(folder)).slice(3)).toEqual([
      [4, 2, 32],
      [5, 4, 0],
    ]);
    await journal.close();
  },
);

test('a slow sync is not overtaken by the next one, so the number of the blocks on the disk does not fall', async () => {
  const journal = await journalIn(newFolder());
  const ends: (() => void)[] = [];
  const sync = vi
    .spyOn(LogFile.prototype, 'sync')
    .mockImplementation(() => new Promise((resolve) => ends.push(resolve)));
  const change = (element: bigint) => {
    journal.record('observed', detector, BigUint64Array.of(element));
    return journal.untilOnDisk();
  };
  const first = change(1n);
  await expect.poll(() => ends.length).toBe(1);
  const second = change(2n);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(ends).toHaveLength(1);
  ends.pop()?.();
  await first;
  await expect.poll(() => ends.length).toBe(1);
  ends.pop()?.();
  await second;
  sync.mockRestore();
  await change(3n);
  expect(journal.problem).toBeUndefined();
  await journal.close();
});

test('many changes of one turn are several blocks, and a commit is in one', async () => {
  const folder = newFolder();
  const journal = await journalIn(folder);
  const fingerprints = BigUint64Array.from({ length: 2 ** 18 }, (_, i) => BigInt(i));
  const changes = inLongForm(20, 10);
  for (let i = 0; i < changes; i++) {
    journal.record('released', detector, BigInt(i));
    journal.record('observed', detector, fingerprints.subarray(i));
  }
  await journal.close();
  const blocks = await blocksIn(folder);
  expect(Math.max(...blocks.map(({ length }) => length))).toBeLessThan(2 ** 24 + 2 ** 22);
  const kinds = blocks.map((records) => Array.from(recordsIn(records), ({ kind }) => kind));
  for (const one of kinds) expect(one.slice(0, 1)).not.toEqual(['observed']);
  const elements = blocks.flatMap((records) =>
    Array.from(recordsIn(records)).flatMap((record) => (record.kind === 'observed' ? record.fingerprints.length : [])),
  );
  expect(elements).toEqual(Array.from({ length: changes }, (_, i) => 2 ** 18 - i));
});

test('a record that no reader takes is refused before it is logged', async () => {
  const folder = newFolder();
  const journal = await journalIn(folder);
  expect(() => journal.record('created', detector, new Uint8Array(2 ** 30))).toThrow(/cannot be logged/);
  journal.record('cleared', detector);
  await journal.close();
  const records = (await blocksIn(folder)).flatMap((block) => Array.from(recordsIn(block)));
  expect(records).toEqual([{ kind: 'cleared', detector: 1 }]);
});

test('a record of a kind that this version does not know is not taken for another', () => {
  const records = new RecordBuffer();
  records.record('cleared', detector);
  const bytes = Buffer.from(records.part);
  bytes.writeUInt32LE(99, 0);
  expect(() => [...recordsIn(bytes)]).toThrow(
    expect.objectContaining({ code: 'E_STATE_FILE', message: expect.stringContaining('a record of kind 99') }),
  );
});

/** A store with detectors that share kernels, and a larger one, with a witness. */
async function filledStore(): Promise<DetectorStore> {
  const store = new DetectorStore(limits);
  await store.create('small', { options: { algorithm: 'exact', memory: 1024 } });
  await store.create('large', { options: { algorithm: 'bloom', memory: '5MiB', witness: { memory: '64KiB' } } });
  for (const { detector: one } of store.list()) for (let i = 0; i < 100; i++) one.observe(`${i}`);
  return store;
}

async function* savedIn(store: DetectorStore): AsyncGenerator<Saved> {
  for (const entry of store.list()) yield await savedOf(store, entry);
}

const endingOf = () => ({ nextDetector: 3, lastBlock: 1 });

/** The set of the snapshots of a store. */
async function bytesOf(store: DetectorStore): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of encodeSet(savedIn(store), endingOf, await checksum)) pieces.push(piece);
  return Buffer.concat(pieces);
}

test('a set of snapshots with a byte that is not the one that was saved does not get its name', async () => {
  const folder = newFolder();
  const store = await filledStore();
  const whole = await bytesOf(store);
  const write = (bytes: Buffer) =>
    writeSet({
      ...{ folder, sequence: 1, part: join(folder, 'part') },
      snapshot: (async function* () {
        yield bytes;
      })(),
    });
  const path = pathOf(folder, 'snapshot', 1);
  for (let at = 0; at < whole.length; at += at < 2 ** 13 ? inLongForm(197, 1009) : inLongForm(699_967, 1_699_967)) {
    const flipped = Buffer.from(whole);
    flipped[at] = (flipped[at] as number) ^ 4;
    await expect(write(flipped), `byte ${at}`).rejects.toMatchObject({ code: 'E_SNAPSHOT' });
    expect(readdirSync(folder)).toEqual([]);
  }
  await write(whole);
  expect(existsSync(path)).toBe(true);
  store.close();
});

test('a set has any number of requests and claims of a detector', async () => {
  const folder = newFolder();
  const [store, loaded] = [await filledStore(), new DetectorStore(limits)];
  const entry = store.find('small') ?? expect.fail();
  const requests = Array.from({ length: inLongForm(20_000, 6000) }, (_, i) => ({
    id: `id ${i}`,
    keys: String(i),
    answers: 'AQ==',
  }));
  const held = Array.from({ length: inLongForm(9000, 4500) }, (_, i) => ({
    ...{ fingerprint: String(i), token: `t${i}`, leaseMilliseconds: 1000, expiresAtMilliseconds: 5 + i },
  }));
  async function* saved(): AsyncGenerator<Saved> {
    const one = await savedOf(store, entry);
    yield { ...one, description: { ...one.description, requests, held } };
  }
  const snapshot = encodeSet(saved(), endingOf, await checksum);
  await writeSet({ folder, sequence: 1, part: join(folder, 'part'), snapshot });
  const set = await openSet(pathOf(folder, 'snapshot', 1), await checksum);
  const [found] = set.entries;
  expect(found?.requests).toEqual(requests);
  expect(found?.held).toEqual(held);
  expect(await found?.read()).toEqual(Buffer.from(await save(entry.detector)));
  await set.close();
  store.close();
  loaded.close();
});

test('many snapshots are loaded with few kernels', async () => {
  const [store, loaded] = [await filledStore(), new DetectorStore(limits)];
  const entry = store.find('small') ?? expect.fail();
  const snapshot = await save(entry.detector);
  const create = vi.spyOn(Kernel, 'create');
  for (let number = 1; number <= 200; number++) {
    await loaded.restore({ number, name: `d${number}`, request: entry.request, requests: [], held: [], snapshot });
  }
  expect(create.mock.calls.length).toBeLessThan(5);
  store.close();
  loaded.close();
});

/** A store with detectors of 1 KiB, half of which have the options of the first, and the others those of the second. */
async function storeOfSmall(count: number): Promise<DetectorStore> {
  const store = new DetectorStore(limits);
  for (let i = 0; i < count; i++) {
    await store.create(`d${i}`, { options: { algorithm: i % 2 ? 'exact' : 'bloom', memory: 1024 } });
    store.find(`d${i}`)?.detector.observe(`${i}`);
  }
  return store;
}

/** The class of open files, which Node does not export. */
async function fileClass(): Promise<FileHandle> {
  const file = await open(import.meta.filename);
  await file.close();
  return Object.getPrototypeOf(file);
}

test('snapshots of many small detectors are written, read again and loaded with few kernels, calls of the system and plans', async () => {
  const [folder, store, loaded] = [newFolder(), await storeOfSmall(100), new DetectorStore(limits)];
  const [create, ofModule, resolve] = [
    vi.spyOn(Kernel, 'create'),
    vi.spyOn(Kernel, 'ofModule'),
    vi.spyOn(bloom, 'resolve'),
  ];
  const file = await fileClass();
  const [read, write] = [vi.spyOn(file, 'read'), vi.spyOn(file, 'write')];
  const snapshot = encodeSet(savedIn(store), endingOf, await checksum);
  await writeSet({ folder, sequence: 1, part: join(folder, 'part'), snapshot });
  await restoreNewest(
    { folder, store: loaded, checksum: await checksum, onDamage: 'fail' },
    { snapshots: [1], logs: [] },
  );
  expect.soft(write.mock.calls.length).toBe(1);
  expect.soft(read.mock.calls.length).toBeLessThan(50);
  expect.soft(create.mock.calls.length + ofModule.mock.calls.length).toBeLessThan(10);
  expect.soft(resolve.mock.calls.length).toBeLessThan(5);
  expect(await bytesOf(loaded)).toEqual(await bytesOf(store));
  store.close();
  loaded.close();
});

test('a set is on the disk as a whole before it has its name, with one sync of it and one of the folder', async () => {
  const [folder, store] = [newFolder(), await storeOfSmall(100)];
  const [path, part] = [pathOf(folder, 'snapshot', 1), join(folder, 'part')];
  const sizeOf = (name: string) => (existsSync(name) ? statSync(name).size : undefined);
  const syncs: (number | undefined)[][] = [];
  const file = await fileClass();
  const { sync } = file;
  vi.spyOn(file, 'sync').mockImplementation(function (this: FileHandle) {
    syncs.push([sizeOf(part), sizeOf(path)]);
    return sync.call(this);
  });
  const { length } = await bytesOf(store);
  await writeSet({ folder, sequence: 1, part, snapshot: encodeSet(savedIn(store), endingOf, await checksum) });
  expect(syncs).toEqual([
    [length, undefined],
    [undefined, length],
  ]);
  store.close();
});
