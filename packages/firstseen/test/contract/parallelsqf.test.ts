// The parallel SQF of dutta-2013, section 5.2, gives the answers of the sequential one for any order of arrival within a
// block, and the kernel gives the same answers.

import { describe, expect, test } from 'vitest';
import { type DetectorOptions, type DetectorSettings, resolveSettings } from '../../src/detectors/settings.js';
import { type Message, ParallelSqf } from '../reference/parallelsqf.js';
import { PartitionedTwin } from '../reference/partitions.js';
import { sqf } from '../reference/sqf.js';
import { numberOf, type ParameterSet } from '../reference/twin.js';
import { createDetector } from '../support/cases.js';
import { pairsOf, sampleNote } from '../support/form.js';
import { allEqual, denseIntegers, Random, recency, uniform } from '../support/streams.js';

type Arrive = (sent: readonly Message[]) => readonly Message[];

/** Messages in a random order. */
function shuffler(seed: number): Arrive {
  const random = new Random(seed);
  return (sent) => {
    const order = sent.map((message) => ({ message, key: random.nextWord() }));
    return order.sort((a, b) => a.key - b.key).map(({ message }) => message);
  };
}

const orders: Record<string, Arrive> = {
  'in order': (sent) => sent,
  'in reverse': (sent) => sent.toReversed(),
  'in random order 1': shuffler(1),
  'in random order 2': shuffler(2),
};

const streams: Record<string, BigUint64Array> = {
  'uniform draws of 200': uniform(600, 200),
  'repeats of recent elements': recency(600, 60),
  'small integers': denseIntegers(600, 200),
  'one element over and over': allEqual(100),
};

/** Blocks of C elements and P processors. */
const sizes = [
  [1, 1],
  [2, 3],
  [7, 4],
  [64, 1],
  [64, 3],
  [5000, 4],
] as const;

const common: DetectorOptions = { algorithm: 'sqf', memory: '16KiB', seed: 42 };

/** The parameters with a fingerprint so short that there are 32 rows, and rows evict. */
function withFewRows(parameters: ParameterSet): ParameterSet {
  const r = numberOf(resolveSettings({ ...common, parameters }), 'r');
  return { ...parameters, p: r + 5 };
}

function sequential(settings: DetectorSettings, elements: BigUint64Array): Uint8Array {
  const twin = sqf.create(settings);
  return Uint8Array.from(elements, (element) => twin.observe(element));
}

const parameterSets = sqf.parameterSets.map(withFewRows);
const arrivals = parameterSets.flatMap((parameters) =>
  sizes.flatMap((size) =>
    Object.entries(streams).flatMap(([stream, elements]) =>
      Object.entries(orders).map(([order, arrive]) => ({ parameters, size, stream, elements, order, arrive })),
    ),
  ),
);
const chosen = pairsOf(arrivals, ({ parameters, size, stream, order }) => [
  ...[JSON.stringify(parameters), size, stream, order],
]);

describe.each(parameterSets)(`parameters %o${sampleNote}`, (parameters) => {
  const options = { ...common, parameters };
  const settings = resolveSettings(options);

  const expected = new Map(Object.entries(streams).map(([name, elements]) => [name, sequential(settings, elements)]));

  test.each(sizes)('blocks of %i elements, %i processors: answers of the sequential SQF', (...size) => {
    const [blockElements, processors] = size;
    const own = chosen.filter((row) => row.parameters === parameters && String(row.size) === String(size));
    expect(own.length).toBeGreaterThan(0);
    for (const { stream, elements, order, arrive } of own) {
      const parallel = new ParallelSqf({ settings, blockElements, processors, arrive });
      expect(parallel.observe(elements), `${stream}, ${order}`).toEqual(expected.get(stream));
    }
  });

  test('answers of the kernel', async () => {
    for (const [stream, elements] of Object.entries(streams)) {
      const parallel = new ParallelSqf({ settings, blockElements: 50, processors: 4, arrive: shuffler(3) });
      const detector = await createDetector(options);
      expect(parallel.observe(elements), stream).toEqual(detector.observeBatch(elements));
    }
  });

  // A partition is an SQF of its own: another hash selects it, and it has its own count of elements.
  test('answers of each partition of a kernel with partitions', async () => {
    const partitioned = { ...options, memory: '64KiB', partitions: 4 };
    for (const [stream, elements] of Object.entries(streams)) {
      const answers = (await createDetector(partitioned)).observeBatch(elements);
      for (const { settings: own, at } of elementsOfPartitions(resolveSettings(partitioned), elements)) {
        const parallel = new ParallelSqf({ settings: own, blockElements: 50, processors: 3, arrive: shuffler(4) });
        const expected = Uint8Array.from(at, (i) => answers[i] as number);
        expect(parallel.observe(BigUint64Array.from(at, (i) => elements[i] as bigint)), stream).toEqual(expected);
      }
    }
  });
});

interface Part {
  settings: DetectorSettings;
  /** The indices of the partition's elements. */
  at: number[];
}

function elementsOfPartitions(settings: DetectorSettings, elements: BigUint64Array): Part[] {
  const parts: Part[] = [];
  let index = 0;
  const record = (own: DetectorSettings) => {
    const part: Part = { settings: own, at: [] };
    parts.push(part);
    const observe = () => {
      part.at.push(index);
      return 0 as const;
    };
    return { observe, test: () => 0 as const, load: () => 0 };
  };
  const twin = new PartitionedTwin({ ...sqf, create: record }, settings);
  for (; index < elements.length; index++) twin.observe(elements[index] as bigint);
  return parts;
}

describe('cases that section 5.2 as written gets wrong', () => {
  /** Elements below 256 have quotient 0, so they are in one row. */
  const oneRow = (k: number) =>
    resolveSettings({ ...common, parameters: { r: 8, "r'": 7, k, p: 9, address: 'plain' } });

  function answers(k: number, blocks: number[][], arrive: Arrive): Uint8Array {
    const settings = oneRow(k);
    const blockElements = blocks[0]?.length as number;
    const elements = BigUint64Array.from(blocks.flat(), (element) => BigInt(element));
    const verdicts = new ParallelSqf({ settings, blockElements, processors: 2, arrive }).observe(elements);
    expect(verdicts).toEqual(sequential(settings, elements));
    return verdicts;
  }

  test.each(Object.entries(orders))('x, y, y (the example of the paper) arrive %s', (_, arrive) => {
    expect([...answers(4, [[1, 2, 2]], arrive)]).toEqual([0, 0, 1]);
  });

  test.each(Object.entries(orders))('a repeat at a lower position of a later block arrives %s', (_, arrive) => {
    const blocks = [
      [1, 2, 3],
      [3, 4, 3],
    ];
    expect([...answers(4, blocks, arrive)]).toEqual([0, 0, 0, 1, 0, 1]);
  });

  test.each(Object.entries(orders))('y, x, y in a row of one bucket arrive %s', (_, arrive) => {
    expect([...answers(1, [[2, 1, 2]], arrive)]).toEqual([0, 0, 0]);
  });
});
