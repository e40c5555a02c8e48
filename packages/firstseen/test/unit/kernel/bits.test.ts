import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileLibrary } from '../../support/assembly.js';

interface BitsLibrary {
  bitAt(word: number, bit: number): number;
  setBitIf(word: number, bit: number, change: number): void;
  clearBitIf(word: number, bit: number, change: number): void;
  countOnes(offset: number, words: number): bigint;
  clearFirstSet(offset: number, from: bigint, to: bigint): number;
}

const OFFSET = 0x8000;
const WORDS = 5;
const BITS = WORDS * 64;

const { exports: kernel, memory } = await compileLibrary<BitsLibrary>('bits');
const region = new BigUint64Array(memory.buffer, OFFSET, WORDS);

const bits = fc.array(fc.boolean(), { minLength: BITS, maxLength: BITS });
const sparseBits = fc.uniqueArray(fc.nat(BITS - 1), { maxLength: 4 }).map((set) => {
  return Array.from({ length: BITS }, (_, bit) => set.includes(bit));
});
const range = fc.tuple(fc.nat(BITS), fc.nat(BITS)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);

/** Writes one bit for each entry: bit b is bit (b & 63) of word (b >> 6). */
function write(values: readonly boolean[]): void {
  region.fill(0n);
  values.forEach((isSet, bit) => {
    if (isSet) region[bit >> 6] = (region[bit >> 6] as bigint) | (1n << BigInt(bit & 63));
  });
}

function read(): boolean[] {
  return Array.from({ length: BITS }, (_, bit) => (((region[bit >> 6] as bigint) >> BigInt(bit & 63)) & 1n) === 1n);
}

describe('bits', () => {
  test('exactly one bit is read, set or cleared', () => {
    fc.assert(
      fc.property(bits, fc.nat(BITS - 1), (values, bit) => {
        const word = OFFSET + (bit >> 6) * 8;
        write(values);
        expect(kernel.bitAt(word, bit & 63)).toBe(values[bit] ? 1 : 0);
        kernel.setBitIf(word, bit & 63, 0);
        kernel.clearBitIf(word, bit & 63, 0);
        expect(read()).toEqual(values);
        kernel.setBitIf(word, bit & 63, 1);
        expect(read()).toEqual(values.with(bit, true));
        kernel.clearBitIf(word, bit & 63, 1);
        expect(read()).toEqual(values.with(bit, false));
      }),
      { numRuns: 50 },
    );
  });

  test('ones are counted', () => {
    fc.assert(
      fc.property(bits, (values) => {
        write(values);
        expect(kernel.countOnes(OFFSET, WORDS)).toBe(BigInt(values.filter(Boolean).length));
      }),
    );
  });

  test('the first set bit of a range is cleared, if there is one', () => {
    fc.assert(
      fc.property(fc.oneof(bits, sparseBits), range, (values, [from, to]) => {
        write(values);
        const first = values.indexOf(true, from);
        const isFound = first >= 0 && first < to;
        expect(kernel.clearFirstSet(OFFSET, BigInt(from), BigInt(to)) !== 0).toBe(isFound);
        expect(read()).toEqual(isFound ? values.with(first, false) : values);
      }),
    );
  });
});
