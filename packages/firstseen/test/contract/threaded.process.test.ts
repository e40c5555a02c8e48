// A detector on several threads gives what the same detector gives without threads, byte for byte: verdicts, stats and snapshots of
// every family, for any cut of the elements into batches. Threads load their code from dist/.

import { afterEach, describe, expect, test } from 'vitest';
import { type CreateOptions, create, type Detector, load, type PlannedOptions, save } from '../../dist/index.js';
import { createThreaded, loadThreaded, type ThreadedDetector } from '../../dist/node.js';
import { split } from '../../dist/partitions.js';
import { families } from '../../src/detectors/descriptions.js';
import { allCases, defaultCases, defaultPartitionedCases, digestOf, kindOf } from '../support/cases.js';
import { coverOf, inLongForm, sampleNote, sampleOf, sampleSeed } from '../support/form.js';
import { randomFrom } from '../support/random.js';

/** Less than threads divide, one turn of two threads and a bit, and several turns of uneven lengths. */
const CUTS = [3000, 65_537, 200_003, 1, 0, 20_000];
const ELEMENTS = CUTS.reduce((sum, length) => sum + length);

const random = randomFrom(11);
/** Half of the elements are new, the others repeat one of the last thousands. */
const elements = BigUint64Array.from({ length: ELEMENTS }, (_, i) => {
  const element = random() < 0.5 ? i : Math.max(0, i - Math.floor(random() * 9000));
  return BigInt.asUintN(64, BigInt(element) * 0x9e3779b97f4a7c15n);
});

let open: ThreadedDetector[] = [];
afterEach(async () => {
  await Promise.all(open.map((detector) => detector.close()));
  open = [];
});

async function threadedOf(options: CreateOptions, threads: number): Promise<ThreadedDetector> {
  const detector = await createThreaded(options, { threads });
  open.push(detector);
  return detector;
}

/** What a detector answers and what it is then; a full one answers up to its error. */
async function outcomeOf(detector: Detector | ThreadedDetector, cuts: readonly number[]) {
  const verdicts = new Uint8Array(elements.length).fill(9);
  const errors: string[] = [];
  let start = 0;
  for (const length of cuts) {
    const batch = elements.subarray(start, start + length);
    try {
      await detector.observeBatch(batch, verdicts.subarray(start, start + length));
    } catch (error) {
      errors.push((error as Error).message);
    }
    start += length;
  }
  const snapshot = await ('save' in detector ? detector.save() : save(detector));
  return { verdicts: digestOf(verdicts), errors, stats: await detector.stats(), snapshot: digestOf(snapshot) };
}

async function expectSame(options: PlannedOptions, threads: readonly number[]) {
  // The same time for all: the clock of the system goes on between two of them.
  const manual: CreateOptions = typeof options.window === 'number' ? options : { ...options, clock: 'manual' };
  const one = await outcomeOf(await create(manual), CUTS);
  for (const several of threads) expect(await outcomeOf(await threadedOf(manual, several), CUTS)).toEqual(one);
  return one;
}

/** Parameters decide nothing here, and some take long. All of the layout classic are observed by one thread. */
const cases = coverOf(inLongForm(allCases, defaultCases)(60_001), (entry) => [
  entry.options.layout === 'blocked' ? kindOf(entry) : 'classic',
]);
describe.each(cases)(`$name${sampleNote}`, ({ options }) => {
  test('answers on two threads as without', async () => {
    const { stats } = await expectSame(options, [2]);
    expect(stats.observed).toBeGreaterThan(1000);
    expect(stats.duplicates).toBeGreaterThan(100);
    const [detector] = open;
    expect(detector?.threads).toBe(options.layout === 'blocked' ? 2 : 1);
  });
});

/** Each layout, and each family that is not among the cases above in the short form. */
const partitioned = coverOf(defaultPartitionedCases(300_001, 16), ({ options: { algorithm, layout } }) => {
  const isAbove = cases.some(({ options }) => options.algorithm === algorithm);
  return [`${layout}`, ...(isAbove ? [] : [`${algorithm}`])];
});
describe.each(partitioned)(`$name${sampleNote}`, ({ options }) => {
  test('answers on three threads as without', async () => {
    const { stats } = await expectSame(options, [3]);
    expect(stats.observed).toBeGreaterThan(1000);
    expect(stats.duplicates).toBeGreaterThan(100);
    expect(open[0]?.threads).toBe(3);
  });
});

test.each([
  [{ memory: '1MiB', layout: 'classic', algorithm: 'bloom' }, 1],
  [{ memory: '1MiB', layout: 'classic', algorithm: 'bloom', partitions: 2 }, 2],
  [{ memory: '1MiB', partitions: 128 }, 2],
  [{ memory: '1MiB', partitions: 256 }, 1],
  [{ memory: '1MiB', window: 1000, partitions: 4 }, 2],
  [{ memory: '1MiB', window: '1h', partitions: 4 }, 1],
  [{ memory: '1MiB', window: '1h' }, 2],
] satisfies [PlannedOptions, number][])('%o has %i of two threads', async (options, threads) => {
  expect((await threadedOf(options as PlannedOptions, 2)).threads).toBe(threads);
});

test('a piece of a split detector has one thread', async () => {
  for await (const piece of split(await create({ memory: '1MiB', partitions: 4 }), 2)) {
    const loaded = await loadThreaded(await save(piece), { threads: 2 });
    open.push(loaded);
    expect(loaded.threads).toBe(1);
  }
  expect(open).toHaveLength(2);
});

test('every blocked family is among the cases', () => {
  const blocked = families.filter(({ layouts }) => layouts.includes('blocked')).map(({ name }) => name);
  const covered = new Set(allCases().map(({ options }) => `${options.algorithm} ${options.layout}`));
  expect(blocked.length).toBeGreaterThan(5);
  for (const name of blocked) expect(covered).toContain(`${name} blocked`);
});

const detectors: PlannedOptions[] = [
  { memory: '1MiB', witness: true },
  { memory: '1MiB', secret: '0123456789abcdef0123456789abcdef' },
  { memory: '64KiB', window: 1000 },
  { memory: '1MiB', window: 30_000, witness: true },
  { memory: '4MiB', window: 150_000, refresh: true },
  // The window counts what was added, and does not turn within a turn of several batches.
  { memory: '16MiB', window: 700_000, witness: true },
  { memory: '64KiB', partitions: 4 },
  { memory: '1MiB', partitions: 128, witness: true },
  { memory: '1MiB', window: 30_000, partitions: 8, witness: true },
  { memory: '2MiB', algorithm: 'sbf', layout: 'classic', partitions: 2, secret: '0123456789abcdef0123456789abcdef' },
  { memory: '8MiB', algorithm: 'exactwindow', window: 30_000, partitions: 16, witness: true },
  { memory: '16KiB', algorithm: 'exact' },
  // Threads observe the first turns. Then a partition becomes full.
  { memory: '1MiB', algorithm: 'exact', partitions: 4, witness: true },
  { memory: '1MiB', algorithm: 'exact', partitions: 128 },
  { memory: '4KiB', algorithm: 'bloom', fpr: 0.01, distinctElements: 1000, witness: true },
];

/** In the short form, few have eight threads, because each takes long to start. */
function threadsOf(place: number): readonly number[] {
  return inLongForm([1, 2, 3, 8], [...sampleOf(place === 0 ? [8] : [1, 2, 3], 1, sampleSeed + place)]);
}

describe.each(detectors.map((options, i) => ({ options, threads: threadsOf(i) })))(
  `$options${sampleNote}`,
  ({ options, threads }) => {
    test(`gives on ${threads.join(', ')} threads what it gives without`, async () => {
      const { errors } = await expectSame(options, threads);
      expect(errors.length > 0).toBe('algorithm' in options && options.algorithm === 'exact');
    });
  },
);

test('each batch has the time of the clock, read once', async () => {
  let [time, reads] = [Date.UTC(2026, 2, 1), 0];
  const now = () => {
    reads++;
    return time;
  };
  const options: CreateOptions = { memory: '256KiB', window: '1m', witness: true, now };
  const [plain, threaded] = [await create(options), await threadedOf(options, 2)];
  const turns = 8;
  for (let turn = 0; turn < turns; turn++) {
    const batch = elements.subarray(turn * 20_000, (turn + 1) * 20_000);
    time += 25_000;
    expect(digestOf(await threaded.observeBatch(batch))).toBe(digestOf(plain.observeBatch(batch)));
    expect(threaded.clockMilliseconds).toBe(time);
  }
  expect(reads).toBe(2 * turns);
  expect(digestOf(await threaded.save())).toBe(digestOf(await save(plain)));
});

test('a clock turns the window between batches', async () => {
  const options: CreateOptions = { memory: '256KiB', window: '1m', witness: true, clock: 'manual' };
  const [plain, threaded] = [await create(options), await threadedOf(options, 2)];
  for (let turn = 0; turn < 8; turn++) {
    const batch = elements.subarray(turn * 20_000, (turn + 1) * 20_000);
    plain.advance(turn * 25_000);
    void threaded.advance(turn * 25_000);
    expect(digestOf(await threaded.observeBatch(batch))).toBe(digestOf(plain.observeBatch(batch)));
  }
  expect(threaded.clockMilliseconds).toBe(plain.clockMilliseconds);
  expect(digestOf(await threaded.save())).toBe(digestOf(await save(plain)));
});

test.each([
  { algorithm: 'qht', layout: 'blocked' },
  { algorithm: 'apbf', layout: 'blocked' },
  { algorithm: 'sbf', layout: 'blocked' },
  { algorithm: 'dsqf', layout: 'classic', partitions: 16 },
  { algorithm: 'apbf', layout: 'blocked', partitions: 8 },
] satisfies PlannedOptions[])('%o: a snapshot goes on with any number of threads, and without', async (own) => {
  const options: PlannedOptions = { ...own, memory: '1MiB', witness: true };
  const half = Math.floor(elements.length / 2);
  const plain = await create(options);
  plain.observeBatch(elements.subarray(0, half));
  const saved = await save(plain);
  const later = digestOf(plain.observeBatch(elements.subarray(half)));
  const end = digestOf(await save(plain));
  for (const threads of sampleOf([1, 2, 3], 1, sampleSeed + own.algorithm.length)) {
    const loaded = await loadThreaded(saved, { threads });
    open.push(loaded);
    expect(digestOf(await loaded.save())).toBe(digestOf(saved));
    expect(digestOf(await loaded.observeBatch(elements.subarray(half)))).toBe(later);
    const again = await loaded.save();
    expect(digestOf(again)).toBe(end);
    expect((await load(again)).observed).toBe(elements.length);
  }
});

test('save of a detector on threads has what was asked for before the call, and its note', async () => {
  const noteOf = (observed: number) => new Uint8Array(Uint32Array.of(observed).buffer);
  const threaded = await createThreaded({ memory: '1MiB', algorithm: 'exact' }, { threads: 2 });
  const saves: Promise<Uint8Array>[] = [];
  const observing: Promise<unknown>[] = [];
  const batchElements = 20_000;
  for (let batch = 0; batch < 4; batch++) {
    const note = noteOf(batch * batchElements);
    saves.push(threaded.save(note));
    note.fill(9);
    const first = BigInt(batch * batchElements + 1);
    observing.push(threaded.observeBatch(BigUint64Array.from({ length: batchElements }, (_, i) => first + BigInt(i))));
    if (batch === 1) await Promise.resolve();
  }
  for (const snapshot of await Promise.all(saves)) {
    const { note, observed } = await load(snapshot);
    expect([...note]).toEqual([...noteOf(observed)]);
  }
  await Promise.all(observing);
  await threaded.close();
});
