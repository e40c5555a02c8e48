import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirstseenError } from '../../../src/base/errors.js';
import { type Detector, kernelOf } from '../../../src/detectors/detector.js';
import { load } from '../../../src/snapshot/load.js';
import { save } from '../../../src/snapshot/snapshots.js';
import { twinOf } from '../../reference/twins.js';
import { createDetector } from '../../support/cases.js';
import { inLongForm } from '../../support/form.js';
import { allDistinct, recency, uniform } from '../../support/streams.js';

/** Registers, as defined in assembly/lib/entries.ts and replacement.ts. */
const HELD = 8;
const TURN = 9;

/** Bytes of an entry including its share of the index: key, link, head of a chain, and two more links for LRU. */
const bytesEach = [
  { replacement: 'lru', counting: 'all', counted: 24, real: 24 },
  { replacement: 'clock', counting: 'all', counted: 16, real: 16 },
  { replacement: 'lru', counting: 'entries64', counted: 8, real: 24 },
  { replacement: 'clock', counting: 'entries64', counted: 8, real: 16 },
  { replacement: 'lru', counting: 'entries32', counted: 4, real: 20 },
  { replacement: 'clock', counting: 'entries32', counted: 4, real: 12 },
] as const;

function createBuffer(memory: number, parameters: Record<string, string> = {}): Promise<Detector> {
  return createDetector({ algorithm: 'buffer', memory, parameters });
}

describe.each(bytesEach)('$replacement, counting $counting', ({ replacement, counting, counted, real }) => {
  test.each([1024, 1031, 100_003])('reports how much of %i bytes it counts and how much it uses', async (memory) => {
    const stats = (await createBuffer(memory, { replacement, counting })).stats();
    const capacity = Math.floor(memory / counted);
    expect(stats.parameters).toEqual({ replacement, counting, C: capacity });
    expect(stats.memoryBytes).toBe(memory);
    if (counting === 'all') expect(stats.cellsBytes).toBeLessThanOrEqual(memory);
    expect(stats.cellsBytes).toBeGreaterThanOrEqual(capacity * real);
    expect(stats.cellsBytes - capacity * real).toBeLessThan(counting === 'all' ? real : 8);
  });

  test('holds as many elements as it reports, then replaces', async () => {
    const detector = await createBuffer(3000, { replacement, counting });
    const capacity = Number(detector.stats().parameters.C);
    const elements = allDistinct(capacity);
    expect(detector.observeBatch(elements).every((verdict) => verdict === 0)).toBe(true);
    expect(detector.stats().load).toBe(1);
    expect(detector.testBatch(elements).every((verdict) => verdict === 1)).toBe(true);
    detector.observeBatch(allDistinct(1, capacity));
    expect(detector.testBatch(elements).filter((verdict) => verdict === 0)).toHaveLength(1);
  });
});

test('refuses memory by the number of bytes that it really uses', async () => {
  const asked = createDetector({ algorithm: 'buffer', memory: '2GiB', parameters: { counting: 'entries64' } });
  const entries = 2 ** 28;
  const milestones = entries / 64 + 2;
  await expect(asked).rejects.toMatchObject({
    code: 'E_MEMORY',
    given: entries * 24 + milestones * 4,
    message: expect.stringContaining('the detector takes 6.02GiB, but'),
  });
});

test.each(['lru', 'clock'])('gives correct answers at the end of a large memory (%s)', async (replacement) => {
  const detector = await createDetector({ algorithm: 'buffer', memory: '3GiB', parameters: { replacement } });
  const few = 5000;
  // Marks all entries except the last ones of the memory as used and released.
  kernelOf(detector).registers[HELD] = BigInt(Number(detector.stats().parameters.C) - few);
  const elements = allDistinct(few);
  expect(detector.observeBatch(elements).every((verdict) => verdict === 0)).toBe(true);
  expect(detector.observeBatch(elements).every((verdict) => verdict === 1)).toBe(true);
  expect(detector.stats().load).toBe(1);
});

test('a buffer with milestones answers like its twin, wherever the stream is cut, and continues after it was saved', async () => {
  const detector = await createBuffer(1_600_000);
  expect(detector.stats().parameters.C).toBeGreaterThanOrEqual(2 ** 16);
  const twin = twinOf('buffer').create(detector.settings);
  const elements = recency(inLongForm(240_000, 160_000), inLongForm(120_000, 80_000));
  const expected = Uint8Array.from(elements, (element) => twin.observe(element));
  const half = elements.length / 2;
  expect(detector.observeBatch(elements.subarray(0, half))).toEqual(expected.subarray(0, half));
  const loaded = await load(await save(detector));
  for (let from = half; from < elements.length; from += 777) {
    const to = Math.min(from + 777, elements.length);
    expect(loaded.observeBatch(elements.subarray(from, to))).toEqual(expected.subarray(from, to));
  }
  expect(detector.observeBatch(elements.subarray(half))).toEqual(expected.subarray(half));
  expect(await save(loaded)).toEqual(await save(detector));
  expect(detector.stats().load).toBe(1);
});

test('a buffer with milestones loads even if every element soon repeats', async () => {
  const detector = await createBuffer(1_600_000);
  const elements = allDistinct(inLongForm(400_000, 140_000));
  for (let from = 0; from < elements.length; from += 2) {
    const pair = elements.subarray(from, from + 2);
    detector.observeBatch(BigUint64Array.of(...pair, ...pair));
  }
  const loaded = await load(await save(detector));
  const next = allDistinct(50_000, elements.length);
  expect(loaded.observeBatch(next)).toEqual(detector.observeBatch(next));
});

test('Clock spares an entry once if it was found after the hand passed', async () => {
  const detector = await createBuffer(1024, { replacement: 'clock' });
  const [first, second, third, ...others] = allDistinct(64);
  const isHeld = (...elements: (bigint | undefined)[]) => [
    ...detector.testBatch(BigUint64Array.from(elements as bigint[])),
  ];
  detector.observeBatch(BigUint64Array.from([first, second, third, ...others] as bigint[]));
  detector.observeBatch(BigUint64Array.of(first as bigint));
  detector.observeBatch(allDistinct(1, 100));
  expect(isHeld(first, second, third)).toEqual([1, 0, 1]);
  detector.observeBatch(allDistinct(62, 200));
  expect(isHeld(first)).toEqual([1]);
  detector.observeBatch(allDistinct(1, 300));
  expect(isHeld(first)).toEqual([0]);
});

describe('a snapshot', () => {
  const cases = bytesEach.map(({ replacement, counting }) => ({ replacement, counting }));

  async function used(parameters: Record<string, string>, elements: BigUint64Array): Promise<Detector> {
    const detector = await createBuffer(1024, parameters);
    detector.observeBatch(elements);
    return detector;
  }

  /** The detector that results from saving and loading a changed one; undefined if it is refused. */
  async function reloaded(detector: Detector): Promise<Detector | undefined> {
    return load(await save(detector)).catch((error: unknown) => {
      if (error instanceof FirstseenError && error.code === 'E_SNAPSHOT') return undefined;
      throw error;
    });
  }

  test.each(cases)('of $replacement with $counting continues like the saved detector', async (parameters) => {
    for (const length of [0, 1, 30, 2000]) {
      const saved = await used(parameters, recency(length, 100));
      const loaded = await load(await save(saved));
      const rest = recency(2000, 100, 2);
      expect(loaded.observeBatch(rest)).toEqual(saved.observeBatch(rest));
      expect(await save(loaded)).toEqual(await save(saved));
    }
  });

  test.each<[string, string, number, bigint]>([
    ['lru', 'more entries than there is room for', HELD, 43n],
    ['lru', 'more entries than any memory holds', HELD, 2n ** 32n + 42n],
    ['lru', 'fewer entries than its chains', HELD, 41n],
    ['lru', 'no newest entry', TURN, 0n],
    ['lru', 'a newest entry that is not in use', TURN, 43n],
    ['lru', 'a newest entry past all numbers', TURN, 2n ** 32n + 1n],
    ['clock', 'fewer entries than its chains', HELD, 0n],
    ['clock', 'a hand past the last entry', TURN, 65n],
    ['clock', 'a hand past all numbers', TURN, 2n ** 63n],
  ])('of %s with %s is refused with E_SNAPSHOT', async (replacement, _, register, value) => {
    const detector = await used({ replacement }, allDistinct(200));
    expect(await reloaded(detector)).toBeDefined();
    kernelOf(detector).registers[register] = value;
    expect(await reloaded(detector)).toBeUndefined();
  });

  test.each(cases)('of $replacement with $counting with any content is refused or works', async (parameters) => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 120 }),
        fc.array(fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat(70)), { minLength: 1, maxLength: 4 }),
        async (length, changes) => {
          const detector = await used(parameters, uniform(length, 100));
          const words = new Uint32Array(kernelOf(detector).cells.slice().buffer);
          for (const [place, value] of changes) words[Math.floor(place * words.length)] = value;
          kernelOf(detector).cells.set(new Uint8Array(words.buffer));
          const loaded = await reloaded(detector);
          if (!loaded) refused++;
          // Links to any other address would end in a trap or an endless loop.
          loaded?.observeBatch(uniform(1500, 400));
          if (loaded) expect(await reloaded(loaded)).toBeDefined();
        },
      ),
      { seed: 8, numRuns: inLongForm(60, 15) },
    );
    expect(refused).toBeGreaterThan(10);
  });
});
