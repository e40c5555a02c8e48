// observeSpans and testSpans answer as observeMany and testMany over the parts of the buffer, wherever these parts are.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Detector } from '../../src/detectors/detector.js';
import { chosenCases, contentsOf, createDetector, defaultCases, partitionedCases } from '../support/cases.js';
import { inLongForm, sampleNote } from '../support/form.js';
import { pairOf, pairSettings } from '../support/pairs.js';

const MAX_KEY_BYTES = 2 ** 20;

interface Spans {
  bytes: Uint8Array;
  starts: Uint32Array;
  ends: Uint32Array;
}

/** The arguments of `observeSpans` before the verdicts. */
function argumentsOf({ bytes, starts, ends }: Spans): [Uint8Array, Uint32Array, Uint32Array, number] {
  return [bytes, starts, ends, starts.length];
}

function partsOf({ bytes, starts, ends }: Spans): Uint8Array[] {
  return Array.from(starts, (start, i) => bytes.subarray(start, ends[i]));
}

function spansOf(bytes: Uint8Array, pairs: [number, number][]): Spans {
  return {
    bytes,
    starts: Uint32Array.from(pairs, ([start]) => start),
    ends: Uint32Array.from(pairs, ([, end]) => end),
  };
}

/** A buffer of few different bytes, so that keys repeat, and spans in it in any order, with gaps and overlaps. */
const spans = fc
  .record({
    bytes: fc.integer({ min: 1, max: 200_000 }),
    seed: fc.nat(255),
    lengths: fc.constantFrom(0, 3, 20, 70_000),
  })
  .chain(({ bytes, seed, lengths }) =>
    fc.array(fc.tuple(fc.nat(bytes - 1), fc.nat(lengths)), { maxLength: 60 }).map((pairs) =>
      spansOf(
        Uint8Array.from({ length: bytes }, (_, i) => (i * i + seed) % 7),
        pairs.map(([start, length]) => [start, Math.min(bytes, start + length)]),
      ),
    ),
  );

describe.each(pairSettings)('with %s', (_, options) => {
  test('spans have the answers of their parts', async () => {
    const [inPlace, many] = (await pairOf(options)) as [Detector, Detector];
    fc.assert(
      fc.property(spans, (given) => {
        const parts = partsOf(given);
        const fingerprints = new BigUint64Array(parts.length);
        expect(inPlace.testSpans(...argumentsOf(given))).toEqual(many.testMany(parts));
        const verdicts = inPlace.observeSpans(...argumentsOf(given), undefined, fingerprints);
        expect(verdicts).toEqual(many.observeMany(parts));
        expect([...fingerprints]).toEqual(parts.map((part) => many.fingerprint(part)));
        expect(contentsOf(inPlace)).toEqual(contentsOf(many));
      }),
      { seed: 17, numRuns: inLongForm(60, 15) },
    );
  });
});

test.each(chosenCases([...defaultCases(), ...partitionedCases()]))(
  `$name: any number of calls has the same answers${sampleNote}`,
  async ({ options }) => {
    const [whole, cut, many] = await Promise.all([1, 2, 3].map(() => createDetector(options)));
    const text = Array.from({ length: 90 }, (_, i) => `key ${(i * i) % 50}\r\n`);
    const bytes = new TextEncoder().encode(text.join(''));
    let at = 0;
    const given = spansOf(
      bytes,
      text.map((line) => {
        at += line.length;
        return [at - line.length, at - 2];
      }),
    );
    const fingerprints = new BigUint64Array(text.length);
    const verdicts = whole?.observeSpans(...argumentsOf(given), undefined, fingerprints);
    expect(verdicts).toEqual(many?.observeMany(partsOf(given)));
    const answers = [0, 1, 8, 50].map((from, i, all) => {
      const part = { ...given, starts: given.starts.slice(from, all[i + 1]), ends: given.ends.slice(from, all[i + 1]) };
      return [...(cut?.observeSpans(...argumentsOf(part)) ?? [])];
    });
    expect(answers.flat()).toEqual([...(verdicts ?? [])]);
    expect(cut && contentsOf(cut)).toBe(many && contentsOf(many));
    expect(many?.observeBatch(fingerprints)).toEqual(whole?.observeBatch(fingerprints));
  },
);

test('more keys than a batch, and keys as long as the region of keys', async () => {
  const [inPlace, many] = (await pairOf()) as [Detector, Detector];
  const bytes = Uint8Array.from({ length: 2 * MAX_KEY_BYTES }, (_, i) => (i * i) % 251);
  const pairs: [number, number][] = [
    [0, MAX_KEY_BYTES],
    [MAX_KEY_BYTES - 1, 2 * MAX_KEY_BYTES - 1],
    [5, 70_000],
    [6, 70_001],
    [0, 0],
    ...Array.from({ length: 40_000 }, (_, i): [number, number] => [(i % 30_000) * 3, (i % 30_000) * 3 + 8]),
    [2 * MAX_KEY_BYTES, 2 * MAX_KEY_BYTES],
  ];
  const given = spansOf(bytes, pairs);
  expect(inPlace.observeSpans(...argumentsOf(given))).toEqual(many.observeMany(partsOf(given)));
  expect(contentsOf(inPlace)).toBe(contentsOf(many));
});

test('the keys before one that is refused are added and answered', async () => {
  const bytes = new TextEncoder().encode('1234567x9');
  const refused: [Partial<Parameters<typeof Detector.create>[0]>, Spans, string][] = [
    [
      { fingerprint: 'identity' },
      spansOf(bytes, [
        [0, 1],
        [1, 2],
        [6, 8],
        [2, 3],
      ]),
      'E_KEY',
    ],
    [
      {},
      spansOf(bytes, [
        [0, 1],
        [1, 2],
        [8, 10],
        [2, 3],
      ]),
      'E_PARAMETER',
    ],
    [
      {},
      spansOf(bytes, [
        [0, 1],
        [1, 2],
        [8, 7],
        [2, 3],
      ]),
      'E_PARAMETER',
    ],
    [
      {},
      spansOf(new Uint8Array(MAX_KEY_BYTES + 1), [
        [0, 1],
        [1, 3],
        [0, MAX_KEY_BYTES + 1],
      ]),
      'E_KEY',
    ],
  ];
  for (const [options, given, code] of refused) {
    const [detector] = (await pairOf(options)) as [Detector];
    const verdicts = new Uint8Array(4).fill(9);
    const fingerprints = new BigUint64Array(4);
    expect(() => detector.observeSpans(...argumentsOf(given), verdicts, fingerprints)).toThrow(
      expect.objectContaining({ code }),
    );
    expect(detector.observed).toBe(2);
    expect([...verdicts]).toEqual([0, 0, 9, 9]);
    expect(fingerprints[1]).not.toBe(0n);
    expect([...fingerprints.subarray(2)]).toEqual([0n, 0n]);
  }
});

describe('arrays that cannot be used are refused before anything is added', () => {
  const bytes = new Uint8Array(64);
  const [starts, ends] = [Uint32Array.of(0, 3), Uint32Array.of(3, 6)];
  const words = new BigUint64Array(2);
  const detached = new Uint8Array(8);
  structuredClone(detached, { transfer: [detached.buffer] });
  const refused: [string, unknown[]][] = [
    ['bytes of another type', ['text', starts, ends, 2]],
    ['bytes that were transferred', [detached, starts, ends, 2]],
    ['starts of another type', [bytes, [0, 3], ends, 2]],
    ['ends of another type', [bytes, starts, Int32Array.of(3, 6), 2]],
    ['more keys than starts', [bytes, starts, Uint32Array.of(1, 2, 3), 3]],
    ['a count that is not whole', [bytes, starts, ends, 1.5]],
    ['too few verdicts', [bytes, starts, ends, 2, new Uint8Array(1)]],
    ['too few fingerprints', [bytes, starts, ends, 2, new Uint8Array(2), new BigUint64Array(1)]],
    ['fingerprints of another type', [bytes, starts, ends, 2, new Uint8Array(2), new BigInt64Array(2)]],
    ['verdicts in the bytes', [bytes, starts, ends, 2, bytes.subarray(9, 11)]],
    ['fingerprints in the bytes', [bytes, starts, ends, 2, undefined, new BigUint64Array(bytes.buffer)]],
    ['verdicts in the fingerprints', [bytes, starts, ends, 2, new Uint8Array(words.buffer), words]],
  ];

  test.each(refused)('%s', async (_, given) => {
    const [detector] = (await pairOf()) as [Detector];
    expect(() => detector.observeSpans(...(given as Parameters<Detector['observeSpans']>))).toThrow(
      expect.objectContaining({ code: 'E_PARAMETER' }),
    );
    expect(detector.observed).toBe(0);
  });
});
