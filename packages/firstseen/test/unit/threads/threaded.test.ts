// The calls of a detector on threads: their order, what is refused, closing, and a thread that ends. Threads load their code from
// dist/.

import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import { create, load, type PlannedOptions } from '../../../dist/index.js';
import { createThreaded, loadThreaded, type ThreadedDetector } from '../../../dist/node.js';
import { inLongForm } from '../../support/form.js';
import { allDistinct, uniform } from '../../support/streams.js';
import { noteWorkers } from '../../support/workers.js';

const options: PlannedOptions = { algorithm: 'qht', memory: '1MiB' };
const elements = uniform(200_000, 60_000);
/** Elements of many turns of three threads. */
const MANY = inLongForm(4_000_000, 1_000_000);

const open: ThreadedDetector[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((detector) => detector.close()));
});

async function threadedOf(threads = 2, asked = options): Promise<ThreadedDetector> {
  const detector = await createThreaded(asked, { threads });
  open.push(detector);
  return detector;
}

/** A detector of two threads, and the threads that it has begun. */
async function withWorkers(): Promise<{ detector: ThreadedDetector; workers: Worker[] }> {
  const { workers, restore } = noteWorkers();
  try {
    return { detector: await threadedOf(3), workers };
  } finally {
    restore();
  }
}

/** Observes while threads end; the batches take long enough for that. */
async function observeOn(detector: ThreadedDetector): Promise<void> {
  for (let turn = 0; turn < 1000; turn++) await detector.observeBatch(elements);
}

describe('order', () => {
  test('calls that overlap are done one after the other, in the order of the calls', async () => {
    const [plain, detector] = [await create(options), await threadedOf()];
    const cuts = [0, 70_000, 71_000, 141_000, 200_000];
    const parts = cuts.slice(1).map((end, i) => elements.subarray(cuts[i], end));
    const done: number[] = [];
    const pending = parts.map(async (part, i) => {
      const verdicts = await detector.observeBatch(part);
      done.push(i);
      return verdicts;
    });
    const stats = detector.stats();
    const snapshot = detector.save();
    void detector.observeBatch(elements);
    expect(await Promise.all(pending)).toEqual(parts.map((part) => plain.observeBatch(part)));
    expect(done).toEqual([0, 1, 2, 3]);
    expect(await stats).toEqual(plain.stats());
    expect((await load(await snapshot)).observed).toBe(200_000);
  });

  test('verdicts are written into the array that is given, and nothing after them', async () => {
    const detector = await threadedOf();
    const verdicts = new Uint8Array(elements.length + 5).fill(7);
    expect(await detector.observeBatch(elements, verdicts)).toBe(verdicts);
    expect([...verdicts.subarray(elements.length)]).toEqual([7, 7, 7, 7, 7]);
    expect(verdicts.subarray(0, elements.length).every((verdict) => verdict < 2)).toBe(true);
  });

  test('fingerprints are computed while a batch is observed, and do not disturb it', async () => {
    const [plain, detector] = [await create(options), await threadedOf()];
    const keys = ['a', 'ü', 17, new Uint8Array([1, 2])];
    const pending = detector.observeBatch(elements);
    for (let turn = 0; turn < 20; turn++) {
      expect(keys.map((key) => detector.fingerprint(key))).toEqual(keys.map((key) => plain.fingerprint(key)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await pending).toEqual(plain.observeBatch(elements));
    expect(() => detector.fingerprint('x'.repeat(2 ** 20 + 1))).toThrow(/limit/);
    expect(await detector.observeBatch(elements)).toEqual(plain.observeBatch(elements));
  });

  test('observed counts what is done', async () => {
    const detector = await threadedOf();
    expect(detector.observed).toBe(0);
    await detector.observeBatch(elements);
    expect(detector.observed).toBe(elements.length);
    expect(detector.settings.family.name).toBe('qht');
  });
});

describe('what is refused', () => {
  test.each([0, 33, 1.5, '2', undefined, Number.NaN])('%s threads', async (threads) => {
    const wrong = { threads: threads as number };
    await expect(createThreaded(options, wrong)).rejects.toMatchObject({ code: 'E_PARAMETER', option: 'threads' });
    const snapshot = await (await threadedOf(1)).save();
    await expect(loadThreaded(snapshot, wrong)).rejects.toMatchObject({ code: 'E_PARAMETER', option: 'threads' });
  });

  test('batches of the wrong type, and too few verdicts; the calls after them are done', async () => {
    const detector = await threadedOf();
    const wrong = new Float64Array(9) as unknown as BigUint64Array;
    await expect(detector.observeBatch(wrong)).rejects.toMatchObject({ code: 'E_PARAMETER' });
    await expect(detector.observeBatch(elements, new Uint8Array(3))).rejects.toMatchObject({ code: 'E_PARAMETER' });
    await expect(detector.advance(5)).rejects.toMatchObject({ code: 'E_PARAMETER' });
    expect(detector.observed).toBe(0);
    await detector.observeBatch(elements);
    expect(detector.observed).toBe(elements.length);
  });

  test('refuses options that create refuses, and bytes that are not a snapshot', async () => {
    const threads = { threads: 2 };
    await expect(createThreaded({ memory: 'much' }, threads)).rejects.toMatchObject({ code: 'E_MEMORY' });
    await expect(createThreaded({ memory: '4090MiB' }, threads)).rejects.toMatchObject({ code: 'E_MEMORY' });
    await expect(loadThreaded(new Uint8Array(100), threads)).rejects.toMatchObject({ code: 'E_SNAPSHOT' });
    const snapshot = await (await threadedOf()).save();
    snapshot[snapshot.length - 1] = (snapshot.at(-1) as number) ^ 1;
    await expect(loadThreaded(snapshot, threads)).rejects.toMatchObject({ code: 'E_SNAPSHOT' });
  });

  test('more elements than an exact detector holds, as without threads', async () => {
    const full: PlannedOptions = { algorithm: 'exact', memory: '64KiB' };
    const [plain, detector] = [await create(full), await threadedOf(2, full)];
    const distinct = allDistinct(20_000);
    const verdicts = [new Uint8Array(20_000).fill(7), new Uint8Array(20_000).fill(7)] as const;
    expect(() => plain.observeBatch(distinct, verdicts[0])).toThrow(/full/);
    await expect(detector.observeBatch(distinct, verdicts[1])).rejects.toMatchObject({ code: 'E_FULL' });
    expect(verdicts[1]).toEqual(verdicts[0]);
    expect(detector.observed).toBe(plain.observed);
    expect(await detector.observeBatch(distinct.subarray(0, 3))).toEqual(new Uint8Array([1, 1, 1]));
  });
});

test.each([1, 2])('%i threads begin again after clear', async (threads) => {
  const [detector, fresh] = await Promise.all([threadedOf(threads), threadedOf(threads)]);
  const before = detector.observeBatch(elements);
  const cleared = detector.clear();
  const after = detector.observeBatch(elements);
  await cleared;
  expect(await after).toEqual(await before);
  expect(await fresh.observeBatch(elements)).toEqual(await after);
  expect(Buffer.compare(await detector.save(), await fresh.save())).toBe(0);
});

describe('close', () => {
  test('calls before it are done, calls after it are refused', async () => {
    const detector = await threadedOf();
    const pending = detector.observeBatch(elements);
    const closed = detector.close();
    const late = [detector.observeBatch(elements), detector.stats(), detector.save(), detector.advance(1)];
    for (const call of late) await expect(call).rejects.toMatchObject({ code: 'E_CLOSED' });
    expect(await pending).toHaveLength(elements.length);
    await closed;
    expect(JSON.parse(JSON.stringify(detector))).toEqual({ isClosed: true, threads: detector.threads });
    await detector.close();
    expect(detector.observed).toBe(elements.length);
  });

  test('it ends the threads', async () => {
    const { detector, workers } = await withWorkers();
    expect(workers).toHaveLength(2);
    const ends = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    await detector.close();
    await Promise.all(ends);
  });

  // Node has the symbol from 20.4 on.
  test.skipIf(Symbol.asyncDispose === undefined)('a block that ends closes it', async () => {
    const detector = await threadedOf();
    await detector[Symbol.asyncDispose]();
    await expect(detector.stats()).rejects.toMatchObject({ code: 'E_CLOSED' });
  });

  test('one thread is closed in the same way', async () => {
    const detector = await threadedOf(1);
    await detector.observeBatch(elements);
    await detector.close();
    await expect(detector.observeBatch(elements)).rejects.toMatchObject({ code: 'E_CLOSED' });
  });
});

describe('arrays of the program that change before the promise settles', () => {
  const transfer = (array: { buffer: ArrayBufferLike }) =>
    structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] });
  const cuts = [0, 3000, 73_000, 200_000];
  const parts = cuts.slice(1).map((end, i) => elements.subarray(cuts[i], end));

  test.each([1, 3])('an array of fingerprints is filled again at once: %i threads', async (threads) => {
    const [plain, detector] = [await create(options), await threadedOf(threads)];
    const buffer = new BigUint64Array(elements.length);
    const pending = parts.map((part) => {
      buffer.set(part);
      return detector.observeBatch(buffer.subarray(0, part.length));
    });
    buffer.fill(0n);
    expect(await Promise.all(pending)).toEqual(parts.map((part) => plain.observeBatch(part)));
  });

  test('an array of fingerprints is transferred at once, or in the middle of its batch', async () => {
    const [plain, detector] = [await create(options), await threadedOf(3)];
    const [early, late] = [elements.slice(), uniform(MANY, MANY / 2)];
    const answers = [plain.observeBatch(early), plain.observeBatch(late)];
    const pending = [detector.observeBatch(early), detector.observeBatch(late)];
    transfer(early);
    setImmediate(() => transfer(late));
    expect(await Promise.all(pending)).toEqual(answers);
  });

  test('verdicts have what the program wrote there until the promise settles', async () => {
    const [plain, detector] = [await create(options), await threadedOf(3)];
    const verdicts = new Uint8Array(elements.length);
    const pending = detector.observeBatch(elements, verdicts);
    let isSettled = false;
    void pending.then(() => {
      isSettled = true;
    });
    verdicts.fill(9);
    // Threads may be as quick as one turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    expect(isSettled || verdicts.every((verdict) => verdict === 9)).toBe(true);
    await pending;
    expect(verdicts).toEqual(plain.observeBatch(elements));
  });

  test('two batches do not write their verdicts into the same memory', async () => {
    const [plain, detector] = [await create(options), await threadedOf(3)];
    const [first, , second] = parts as [BigUint64Array, BigUint64Array, BigUint64Array];
    const verdicts = new Uint8Array(elements.length);
    const pending = detector.observeBatch(first, verdicts);
    await expect(detector.observeBatch(second, verdicts.subarray(first.length - 1))).rejects.toMatchObject({
      code: 'E_USAGE',
    });
    const apart = detector.observeBatch(second, verdicts.subarray(first.length));
    expect(await pending).toBe(verdicts);
    await apart;
    const answers = [...plain.observeBatch(first), ...plain.observeBatch(second)];
    expect([...verdicts.subarray(0, answers.length)]).toEqual(answers);
    await detector.observeBatch(second, verdicts);
  });

  test.each([1, 3])('verdicts that were transferred are lost, and nothing else is: %i threads', async (threads) => {
    const [plain, detector] = [await create(options), await threadedOf(threads)];
    const verdicts = new Uint8Array(elements.length);
    const pending = detector.observeBatch(elements, verdicts);
    transfer(verdicts);
    await expect(pending).rejects.toMatchObject({ code: 'E_USAGE', message: expect.stringContaining('transferred') });
    plain.observeBatch(elements);
    expect(await detector.observeBatch(elements)).toEqual(plain.observeBatch(elements));
    expect(await detector.stats()).toEqual(plain.stats());
  });
});

test('wrong arguments are refused', async () => {
  const wrong = { code: 'E_PARAMETER' };
  await expect(createThreaded(options, undefined as never)).rejects.toMatchObject(wrong);
  await expect((await threadedOf()).observeBatch(null as never)).rejects.toMatchObject(wrong);
});

describe('a thread that ends', () => {
  test('rejects what is pending and what comes later', async () => {
    const { detector, workers } = await withWorkers();
    const pending = observeOn(detector);
    const queued = detector.stats().then(() => observeOn(detector));
    await new Promise((resolve) => setTimeout(resolve, 5));
    void workers[1]?.terminate();
    await expect(pending).rejects.toMatchObject({ code: 'E_THREAD' });
    await expect(queued).rejects.toMatchObject({ code: 'E_THREAD' });
    await expect(detector.observeBatch(elements)).rejects.toMatchObject({ code: 'E_THREAD' });
    await expect(detector.stats()).rejects.toMatchObject({ code: 'E_THREAD' });
    await expect(detector.save()).rejects.toMatchObject({ code: 'E_THREAD' });
    await detector.close();
  });

  test('is told by the next call, if none was pending', async () => {
    const { detector, workers } = await withWorkers();
    await detector.observeBatch(elements);
    await workers[0]?.terminate();
    await expect(detector.observeBatch(elements)).rejects.toMatchObject({ code: 'E_THREAD' });
  });
});
