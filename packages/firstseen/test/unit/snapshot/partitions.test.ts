// Partitions that are separated, used apart, and joined again answer like those of one detector.

import { describe, expect, test } from 'vitest';
import { families } from '../../../src/detectors/descriptions.js';
import { type Detector, kernelOf } from '../../../src/detectors/detector.js';
import type { Partitions } from '../../../src/detectors/partitions.js';
import { load, save } from '../../../src/index.js';
import { merge, repartition, split } from '../../../src/snapshot/partitions.js';
import { partitionOf } from '../../reference/partitions.js';
import { contentsOf, createDetector, defaultPartitionedCases, kindOf } from '../../support/cases.js';
import { coverOf, sampleNote } from '../../support/form.js';
import { recency } from '../../support/streams.js';

const MEMORY_BYTES = 16 * 4096;
const before = recency(3000, 900);
const after = recency(3000, 700, 9);

async function piecesOf(detector: Detector, parts: number): Promise<Detector[]> {
  const pieces: Detector[] = [];
  for await (const piece of split(detector, parts)) pieces.push(await load(await save(piece), { clock: 'manual' }));
  return pieces;
}

/** Whether the piece holds the partition of an element. */
function holds({ settings }: Detector, element: bigint): boolean {
  const { first, held } = settings.partitions as Partitions;
  const partition = partitionOf(settings, element);
  return first <= partition && partition < first + held;
}

/** The answers to a stream of which each piece sees its own elements. */
function answersOf(pieces: readonly Detector[], elements: BigUint64Array): Uint8Array {
  const answers = new Uint8Array(elements.length);
  for (const piece of pieces) {
    const own = Array.from(elements.keys()).filter((i) => holds(piece, elements[i] as bigint));
    const verdicts = piece.observeBatch(BigUint64Array.from(own, (i) => elements[i] as bigint));
    for (const [n, i] of own.entries()) answers[i] = verdicts[n] as number;
  }
  return answers;
}

/** Observes elements at their times, in two batches. */
function observeTimed(detector: Detector, elements: readonly bigint[], times: readonly number[]): Uint8Array {
  const kernel = kernelOf(detector);
  const middle = Math.floor(elements.length / 3);
  const verdicts = new Uint8Array(elements.length);
  for (const [start, end] of [
    [0, middle],
    [middle, elements.length],
  ] as const) {
    kernel.fingerprints.set(elements.slice(start, end));
    kernel.times.set(times.slice(start, end));
    detector.observePlacedTimed(end - start);
    verdicts.set(kernel.verdicts.subarray(0, end - start), start);
  }
  return verdicts;
}

test('a detector of as many partitions as there may be is saved, loaded, split and merged', async () => {
  const detector = await createDetector({ algorithm: 'qht', memory: '4MiB', partitions: 4096 });
  detector.observeBatch(before);
  const saved = await save(detector);
  expect(contentsOf(await load(saved))).toBe(contentsOf(detector));
  expect(await save(await merge(await piecesOf(detector, 4)))).toEqual(saved);
});

const cases = defaultPartitionedCases(MEMORY_BYTES);
const cuts = cases.flatMap((entry) => [2, 4].map((parts) => ({ ...entry, parts })));

describe(`every family${sampleNote}`, () => {
  test.each(coverOf(cuts, (entry) => [kindOf(entry), `${entry.options.layout} ${entry.parts}`]))(
    '$name split into $parts pieces, used apart and merged, is as if it had stayed whole',
    async ({ options, parts }) => {
      const whole = await createDetector(options);
      const divided = await createDetector(options);
      for (const detector of [whole, divided]) detector.observeBatch(before);
      const pieces = await piecesOf(divided, parts);
      expect(answersOf(pieces, after)).toEqual(whole.observeBatch(after));
      const merged = await merge(pieces.toReversed());
      expect(contentsOf(merged)).toBe(contentsOf(whole));
      expect(await save(merged)).toEqual(await save(whole));
    },
  );

  test.each(coverOf(cases, ({ options: { algorithm, layout } }) => [`${algorithm}`, `${layout}`]))(
    'a piece of $name refuses an element of another, after those before it were added',
    async ({ options }) => {
      const [piece] = (await piecesOf(await createDetector(options), 4)) as [Detector];
      const foreign = before.findIndex((element) => !holds(piece, element));
      expect(() => piece.observeBatch(before)).toThrow(expect.objectContaining({ code: 'E_PARTITION' }));
      expect(piece.observed).toBe(foreign);
    },
  );
});

const blocked = families.filter(({ layouts, hasWindow }) => layouts.includes('blocked') && !hasWindow);

const counts = [
  { from: undefined, to: 16 },
  { from: 4, to: 16 },
  { from: 16, to: 4 },
  { from: 8, to: 1 },
];
const divided = blocked.flatMap((family) => counts.map((count) => ({ ...family, ...count })));

describe(`blocked families${sampleNote}`, () => {
  test.each(coverOf(divided, ({ name, from, to }) => [name, `${from} ${to}`]))(
    'the lines of $name are the same in $from and in $to partitions',
    async ({ name: algorithm, hasGenerations, from, to }) => {
      const options = { algorithm, layout: 'blocked', memory: MEMORY_BYTES, seed: 3 } as const;
      const detector = await createDetector({ ...options, ...(from ? { partitions: from } : {}) });
      detector.observeBatch(before);
      if (hasGenerations && to < (from ?? 1)) {
        await expect(repartition(detector, to)).rejects.toThrow('have ended at different times');
        return;
      }
      const divided = await repartition(detector, to);
      expect(kernelOf(divided).cells).toEqual(kernelOf(detector).cells);
      expect(divided.observed).toBe(before.length);
      expect(divided.duplicates).toBe(detector.duplicates);
      expect(divided.testBatch(after)).toEqual(detector.testBatch(after));
      expect(divided.settings.partitions?.count ?? 1).toBe(to);
    },
  );
});

test.each(['apbf', 'exactwindow'] as const)(
  'times of a stream: %s in pieces answers like the whole',
  async (algorithm) => {
    const options = { algorithm, window: '30s', memory: MEMORY_BYTES, partitions: 4 };
    const whole = await createDetector(options);
    const pieces = await piecesOf(await createDetector(options), 4);
    const times = Float64Array.from(before, (_, i) => 1.7e12 + 20 * i + 900 * (i % 7));
    const answers = new Uint8Array(before.length);
    for (const piece of pieces) {
      const own = Array.from(before.keys()).filter((i) => holds(piece, before[i] as bigint));
      const verdicts = observeTimed(
        piece,
        own.map((i) => before[i] as bigint),
        own.map((i) => times[i] as number),
      );
      for (const [n, i] of own.entries()) answers[i] = verdicts[n] as number;
    }
    expect(observeTimed(whole, [...before], [...times])).toEqual(answers);
    expect(answers.reduce((sum, answer) => sum + answer, 0)).toBeGreaterThan(300);
    expect(await save(whole)).toEqual(await save(await merge(pieces)));
  },
);

test('a window in time is divided with its clock', async () => {
  const detector = await createDetector({ algorithm: 'apbf', layout: 'blocked', window: '1h', memory: MEMORY_BYTES });
  detector.advance(1.7e12);
  detector.observeBatch(before);
  detector.advance(1.7e12 + 60_000);
  const divided = await repartition(detector, 8);
  expect(divided.clockMilliseconds).toBe(1.7e12 + 60_000);
  expect(divided.testBatch(after)).toEqual(detector.testBatch(after));
});

test.each([
  [
    { algorithm: 'exact' as const },
    'a detector of 4 partitions cannot have 8: exact in the layout classic has one structure in each',
  ],
  [
    { algorithm: 'apbf', layout: 'blocked', window: 5000 } as const,
    'the window of apbf counts the elements of a partition',
  ],
  [{ algorithm: 'qht' as const, memory: 4 * 1088 }, 'its 68 lines are not a multiple of 8'],
])('%o in 4 partitions cannot be divided further: %s', async (options, message) => {
  const detector = await createDetector({ memory: MEMORY_BYTES, ...options, partitions: 4 });
  await expect(repartition(detector, 8)).rejects.toThrow(
    expect.objectContaining({ code: 'E_PARTITION', message: expect.stringContaining(message) }),
  );
});

test('partitions that are missing, double or of another detector are not merged', async () => {
  const options = { memory: MEMORY_BYTES, partitions: 4 };
  const pieces = await piecesOf(await createDetector(options), 4);
  const others = await piecesOf(await createDetector({ ...options, seed: 1 }), 4);
  const [first, second, third, fourth] = pieces as [Detector, Detector, Detector, Detector];
  const expectRefused = (given: Detector[], message: string) =>
    expect(merge(given)).rejects.toThrow(
      expect.objectContaining({ code: 'E_PARTITION', message: expect.stringContaining(message) }),
    );
  await expectRefused([first, second, fourth], 'partition 2 is missing');
  await expectRefused([first, second, third], 'partition 3 is missing');
  await expectRefused([first, second, second, third, fourth], 'partition 1 is there twice');
  await expectRefused([first, second, third, others[3] as Detector], 'different settings');
  await expectRefused([], 'no partitions to merge');
});
