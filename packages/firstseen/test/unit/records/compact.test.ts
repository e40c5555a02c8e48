import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Kernel } from '../../../src/kernel/kernel.ts';
import { decisions } from '../../../src/records/classes.ts';
import { createKernel, kernelVariants } from './scan-host.ts';

const RUNS = { seed: 7, numRuns: 300 };
const REGION_BYTES = 1 << 16;
const { PASSED, DROPPED, COPIED, SKIPPED } = decisions;

const words = new Map([
  [0, 'distinct\n'],
  [1, 'duplicate\n'],
  [PASSED, 'passed\n'],
  [DROPPED, 'dropped\n'],
  [COPIED, ''],
  [SKIPPED, ''],
] as [number, string][]);
const verdict = fc.constantFrom(...words.keys());
const wantedBits = new Map([
  [0, 1],
  [1, 2],
  [PASSED, 4],
  [COPIED, 4],
  [DROPPED, 8],
  [SKIPPED, 0],
] as [number, number][]);

describe.each(kernelVariants)('the %s kernel', (variant) => {
  let kernel: Kernel;
  let target: number;
  beforeAll(async () => {
    kernel = await createKernel(variant, REGION_BYTES);
    target = kernel.regionOffset + REGION_BYTES / 2;
  });

  const written = (end: number) => new TextDecoder().decode(kernel.bytes.subarray(target, end));

  /** Writes records one after another, with a gap before some, like the scanner. */
  function placeRecords(texts: readonly string[], gaps: readonly boolean[]): void {
    let at = kernel.regionOffset;
    for (const [i, text] of texts.entries()) {
      if (gaps[i]) at += 3;
      kernel.bytes.set(new TextEncoder().encode(text), at);
      kernel.recordStarts[i] = at;
      at += text.length;
      kernel.recordEnds[i] = at;
    }
  }

  it('copies the wanted records in order', () => {
    const record = fc.tuple(fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 30 }), fc.boolean(), verdict);
    fc.assert(
      fc.property(fc.array(record, { maxLength: 50 }), fc.nat({ max: 15 }), (records, wanted) => {
        placeRecords(
          records.map(([text]) => text),
          records.map(([, gap]) => gap),
        );
        kernel.verdicts.set(records.map(([, , found]) => found));
        const kept = records.filter(([, , found]) => (wantedBits.get(found) ?? 0) & wanted);
        const end = kernel.exports.compact(records.length, wanted, target);
        expect(written(end)).toBe(kept.map(([text]) => text).join(''));
      }),
      RUNS,
    );
  });

  it('writes verdicts as words and counts them', () => {
    fc.assert(
      fc.property(fc.array(verdict, { maxLength: 50 }), (found) => {
        kernel.verdicts.set(found);
        const end = kernel.exports.writeVerdicts(found.length, target);
        expect(written(end)).toBe(found.map((value) => words.get(value)).join(''));
        for (const value of words.keys()) {
          const count = found.filter((other) => other === value).length;
          expect(kernel.exports.countVerdicts(found.length, value)).toBe(count);
        }
      }),
      RUNS,
    );
  });

  it('gathers the keyed records and scatters their verdicts', () => {
    const recordClass = fc.constantFrom(0, 0, PASSED, DROPPED, COPIED);
    fc.assert(
      fc.property(fc.array(recordClass, { maxLength: 60 }), (classes) => {
        kernel.recordClasses.set(classes);
        kernel.fingerprints.set(classes.map((_, i) => BigInt(1000 + i)));
        const keyed = classes.flatMap((value, i) => (value === 0 ? [i] : []));
        expect(kernel.exports.gatherKeyed(classes.length)).toBe(keyed.length);
        expect([...kernel.fingerprints.subarray(0, keyed.length)]).toEqual(keyed.map((i) => BigInt(1000 + i)));
        kernel.verdicts.set(keyed.map((i) => (i % 3 === 0 ? 1 : 0)));
        kernel.exports.scatterVerdicts(classes.length);
        const expected = classes.map((value, i) => (value !== 0 ? value : i % 3 === 0 ? 1 : 0));
        expect([...kernel.verdicts.subarray(0, classes.length)]).toEqual(expected);
      }),
      RUNS,
    );
  });

  it('finds and counts bytes only within bounds', () => {
    const few = fc.uint8Array({ maxLength: 80, min: 0, max: 3 });
    fc.assert(
      fc.property(few, fc.nat({ max: 20 }), (input, shift) => {
        const start = kernel.regionOffset + shift;
        const end = start + input.length;
        kernel.bytes.set(input, start);
        kernel.bytes.fill(2, end, end + 32);
        const first = input.indexOf(2);
        expect(kernel.exports.findByte(start, end, 2)).toBe(first < 0 ? end : start + first);
        expect(kernel.exports.countByte(start, end, 2)).toBe(input.filter((byte) => byte === 2).length);
      }),
      RUNS,
    );
  });
});
