// Compares every stream with its twin: both builds of the kernel give the same elements and the same truth, bit for bit, in
// batches of any size.

import { describe, expect, test } from 'vitest';
import { inLongForm } from '../../../../firstseen/test/support/form.js';
import { compileKernels, kernelNames } from '../../../../firstseen/test/support/kernels.js';
import type { Identity, StreamSpec } from '../../../src/contract.js';
import { type ElementStream, openStream, type StreamOptions } from '../../../src/measure/stream.js';
import { resolveStream, streamKinds } from '../../../src/streams/registry.js';
import { drawsOf, expectedOf, truthByte } from '../../reference/streams/twin.js';
import { streamTwins } from '../../reference/streams/twins.js';

const kernelModules = await compileKernels(new URL('../../../build/', import.meta.url));
const LENGTH = inLongForm(3000, 1200);

const settings: Readonly<Record<string, readonly StreamSpec['settings'][]>> = {
  uniform: [{ distinctShare: 0.15 }, { universeElements: 1 }, { universeElements: 2 ** 33 + 7 }],
  numbered: [{ distinctShare: 0.6 }, { universeElements: 1 }, { universeElements: 2 ** 33 + 7 }],
  shuffled: [{ distinctShare: 0.6 }, { distinctShare: 1 }, { distinctShare: 1e-6 }, { distinctShare: 0.001 }],
  zipf: [
    { exponent: 1, distinctShare: 0.3 },
    { exponent: 0.5, universeElements: 5_000_000_000 },
    { exponent: 2.5, universeElements: 1e6 },
    { distinctShare: 0.1, universeElements: 1e5 },
    { exponent: 10, universeElements: 1 },
  ],
  mixed: [{ classes: '1:0.2 40:0.3 1000:0.5' }, { classes: '7:1' }, { classes: '1:0 8589934599:2 5:1e-3' }],
  recency: [
    { distinctShare: 0.5, windowElements: 40 },
    { distinctShare: 0.1, windowElements: 1 },
    { distinctShare: 0.9, windowElements: 5000 },
  ],
  drift: [
    { universeElements: 200, distinctShare: 0.2 },
    { universeElements: 1, driftRate: 3.7 },
  ],
  bursts: [
    { distinctShare: 0.25, activeElements: 30 },
    { distinctShare: 1, activeElements: 1 },
  ],
  adversarial: [{ gapElements: 100 }, { gapElements: 1, occurrences: 3 }, { gapElements: 170, occurrences: 1 }],
};

const cases = Object.entries(settings).flatMap(([kind, sets]) => sets.map((set) => ({ kind, set })));

async function elementsOf(stream: ElementStream, sizes: readonly number[]) {
  const fingerprints = new BigUint64Array(LENGTH);
  const truth = new Uint8Array(LENGTH);
  for (let i = 0, position = 0; ; i++) {
    const count = await stream.next(sizes[i % sizes.length] as number);
    if (count === 0) return asBytes(fingerprints.subarray(0, position), truth.subarray(0, position));
    fingerprints.set(stream.fingerprints.subarray(0, count), position);
    truth.set(stream.truth.subarray(0, count), position);
    position += count;
  }
}

/** The elements as bytes, which are compared at once. */
function asBytes(fingerprints: BigUint64Array, truth: Uint8Array) {
  return { fingerprints: new Uint8Array(fingerprints.buffer, fingerprints.byteOffset, fingerprints.byteLength), truth };
}

async function expectedElements(spec: StreamSpec, { identity, isByGap }: StreamOptions) {
  const resolved = await resolveStream(spec);
  const tables = new Uint8Array(resolved.tablesBytes);
  resolved.fillTables?.(tables);
  const twin = streamTwins[spec.kind];
  if (!twin) throw new Error(`stream ${spec.kind} has no twin in test/reference/streams`);
  const numbers = twin({
    parameters: resolved.parameters.map(([, value]) => value),
    tables: new DataView(tables.buffer),
    draw: drawsOf(spec.seed),
  });
  const { fingerprints, gaps } = expectedOf(numbers, spec.lengthElements, { seed: spec.seed, identity });
  const truth = Uint8Array.from(gaps, (gap) => truthByte(gap, isByGap));
  return asBytes(BigUint64Array.from(fingerprints), truth);
}

/** Whether a kernel has enough memory for truth by gap over this universe. */
function canCountGaps({ universeElements = 0, classes = '' }: StreamSpec['settings']): boolean {
  return Number(universeElements) < 1e9 && !/\d{10}:/.test(String(classes));
}

describe.each(cases)('$kind $set', ({ kind, set }) => {
  test.each([false, ...(canCountGaps(set) ? [true] : [])])('is the same as its twin, by gap: %s', async (isByGap) => {
    const spec: StreamSpec = { kind, lengthElements: LENGTH, seed: 42, settings: set };
    for (const identity of ['hashed', 'identifier'] as Identity[]) {
      const expected = await expectedElements(spec, { identity, isByGap });
      for (const name of kernelNames) {
        const open = () => openStream(spec, { identity, isByGap, module: kernelModules[name] });
        expect(await elementsOf(await open(), [LENGTH])).toEqual(expected);
        expect(await elementsOf(await open(), [1, 127, 500, 3])).toEqual(expected);
      }
    }
  });
});

test('every kind has a twin, or is read from a file', () => {
  const fromFiles = ['ids', 'lines'];
  expect(streamKinds.map(({ name }) => name).sort()).toEqual([...Object.keys(streamTwins), ...fromFiles].sort());
  expect(Object.keys(settings)).toEqual(Object.keys(streamTwins));
});

test.each([0, 1, 2 ** 32, 2 ** 53 - 1])('seed %d gives the same stream as the twin', async (seed) => {
  const spec: StreamSpec = { kind: 'uniform', lengthElements: 500, seed, settings: { distinctShare: 0.5 } };
  const options: StreamOptions = { identity: 'hashed', isByGap: false };
  expect(await elementsOf(await openStream(spec, options), [500])).toEqual(await expectedElements(spec, options));
});
