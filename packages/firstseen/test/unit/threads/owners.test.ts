// Owners of elements, in a kernel of one thread: when their elements may be observed side by side, and the calls that observe them.

import { expect, test, vi } from 'vitest';
import { Detector, familyOf, kernelOf } from '../../../src/detectors/detector.js';
import type { PartitionedRule } from '../../../src/detectors/partitions.js';
import type { DetectorOptions } from '../../../src/detectors/settings.js';
import { type Owners, ownersOf } from '../../../src/threads/owners.js';
import type { Call } from '../../../src/threads/tasks.js';
import { contentsOf } from '../../support/cases.js';
import { kernelModules } from '../../support/kernels.js';
import { allDistinct, uniform } from '../../support/streams.js';

const PARTITIONS = 4;
const exact: DetectorOptions = { algorithm: 'exact', memory: 64 * 1024, partitions: PARTITIONS };

function make(detector: Detector, calls: readonly Call[]): void {
  const functions = kernelOf(detector).exports as unknown as Record<string, (...parameters: number[]) => void>;
  for (const { name, parameters } of calls) functions[name]?.(...(parameters as number[]));
}

async function prepared(options: DetectorOptions): Promise<{ detector: Detector; owners: Owners }> {
  const detector = await Detector.create(options, { module: kernelModules.release });
  const owners = ownersOf(detector, 2);
  make(detector, owners.preparation);
  return { detector, owners };
}

/** Groups elements; returns their batch. */
function batchOf(detector: Detector, elements: BigUint64Array) {
  const kernel = kernelOf(detector);
  kernel.fingerprints.set(elements);
  kernel.exports.ownersGroup(kernel.fingerprints.byteOffset, elements.length);
  return { seat: 0, threadBase: 0, count: elements.length };
}

test('partitions that have elements are entered and left, each once for all batches', async () => {
  const elements = uniform(5000, 3000);
  const { detector, owners } = await prepared({ algorithm: 'sbf', memory: 64 * 1024, partitions: PARTITIONS });
  const other = await Detector.create({ algorithm: 'sbf', memory: 64 * 1024, partitions: PARTITIONS });
  const batch = batchOf(detector, elements);
  expect(owners.count).toBe(PARTITIONS);
  for (const [start, end] of [
    [0, 1],
    [1, 4],
  ] as const) {
    const calls = owners.callsOf({ start, end }, [batch]);
    expect(calls.map(({ name }) => name)).toEqual(
      Array.from({ length: end - start }, () => [
        'partitionEnter',
        'sbfConfigure',
        'sbfObserve',
        'partitionLeave',
      ]).flat(),
    );
    make(detector, calls);
  }
  const verdicts = new Uint8Array(elements.length);
  const address = kernelOf(detector).verdicts.byteOffset;
  const duplicates = kernelOf(detector).exports.ownersUngroup(0, address, elements.length);
  verdicts.set(kernelOf(detector).verdicts.subarray(0, elements.length));
  expect(verdicts).toEqual(other.observeBatch(elements));
  expect(duplicates).toBe(other.duplicates);
  expect(contentsOf(detector)).toBe(contentsOf(other));
});

test('a partition without elements is not entered', async () => {
  const { detector, owners } = await prepared(exact);
  const batch = batchOf(detector, allDistinct(1));
  const entered = Array.from({ length: PARTITIONS }, (_, start) => owners.callsOf({ start, end: start + 1 }, [batch]));
  expect(entered.map(({ length }) => length).sort()).toEqual([0, 0, 0, 4]);
});

test('partitions are asked for their room only when one may be full', async () => {
  const { detector, owners } = await prepared(exact);
  const ask = vi.spyOn(familyOf(detector).partitioned as PartitionedRule, 'rooms');
  // A partition has room for seven eighths of 2048 elements.
  const elements = allDistinct(1000);
  const observe = () => {
    const batch = batchOf(detector, elements);
    const can = owners.canObserve([batch]);
    if (can) make(detector, owners.callsOf({ start: 0, end: PARTITIONS }, [batch]));
    return can;
  };
  const answers = Array.from({ length: 9 }, observe);
  expect(answers).toEqual(Array.from({ length: 9 }, () => true));
  expect(detector.duplicates).toBe(8000);
  // Six batches of about 250 elements for each partition fit for certain. Then the rooms are asked for again.
  expect(ask).toHaveBeenCalledTimes(2);
});

test('batches that may not fit into a partition are not observed side by side', async () => {
  const { detector, owners } = await prepared(exact);
  detector.observeBatch(allDistinct(6800));
  expect(owners.canObserve([batchOf(detector, allDistinct(50))])).toBe(true);
  expect(owners.canObserve([batchOf(detector, allDistinct(1000))])).toBe(false);
});

test('elements that others observed meanwhile count', async () => {
  const { detector, owners } = await prepared(exact);
  expect(owners.canObserve([batchOf(detector, allDistinct(1000))])).toBe(true);
  detector.observeBatch(allDistinct(7000));
  expect(owners.canObserve([batchOf(detector, allDistinct(1000))])).toBe(false);
});
