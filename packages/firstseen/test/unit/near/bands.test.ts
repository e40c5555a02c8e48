import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chanceAt, chooseBands, formatBands, parseBands } from '../../../src/near/bands.js';
import { bandRate, chanceOfDuplicate } from '../../../src/near/decision.js';
import { minhash } from '../../../src/near/minhash.js';
import { lshFamilies } from '../../../src/near/registry.js';
import { simhash } from '../../../src/near/simhash.js';

/** Every pattern of seen and unseen bands, for a small number of bands. */
function chanceByEnumeration(chance: number, bands: number, agreeing: number): number {
  let sum = 0;
  for (let pattern = 0; pattern < 2 ** bands; pattern++) {
    const seen = pattern.toString(2).replaceAll('0', '').length;
    if (seen >= agreeing) sum += chance ** seen * (1 - chance) ** (bands - seen);
  }
  return sum;
}

describe('decisions', () => {
  test('the probability is the sum over all patterns of bands', () => {
    for (const chance of [0, 0.001, 0.2, 0.5, 0.99, 1]) {
      for (const bands of [1, 3, 8]) {
        for (let agreeing = 1; agreeing <= bands; agreeing++) {
          expect(chanceOfDuplicate(chance, bands, agreeing)).toBeCloseTo(
            chanceByEnumeration(chance, bands, agreeing),
            12,
          );
        }
      }
    }
  });

  test('the rate of a band inverts the rate of documents', () => {
    for (const fpr of [1e-9, 1e-3, 0.2]) {
      for (const [bands, agreeing] of [
        [9, 1],
        [25, 3],
        [16, 16],
      ] as const) {
        const rate = bandRate(fpr, bands, agreeing);
        expect(chanceOfDuplicate(rate, bands, agreeing) / fpr).toBeCloseTo(1, 4);
      }
    }
  });
});

describe('bands', () => {
  test('match those that datasketch 1.6.5 selects for 128 permutations', () => {
    const chosen = [0.5, 0.6, 0.7, 0.8, 0.85].map((similarity) =>
      formatBands(chooseBands({ lsh: minhash, hashes: 128, similarity, agreeing: 1 })),
    );
    expect(chosen).toEqual(['25x5', '18x7', '14x9', '9x13', '8x16']);
  });

  test.each(lshFamilies.map((lsh) => [lsh.name, lsh] as const))(
    '%s: the S-curve rises through the threshold',
    (_, lsh) => {
      for (const agreeing of [1, 2, 4]) {
        const bands = chooseBands({ lsh, hashes: 256, similarity: 0.8, agreeing });
        const chances = [0, 0.5, 0.8, 0.95, 1].map((similarity) => chanceAt(similarity, bands, lsh, agreeing));
        expect(chances).toEqual([...chances].sort((a, b) => a - b));
        expect(chances[1]).toBeLessThan(0.2);
        expect(chances[3]).toBeGreaterThan(0.85);
        expect(chances[4]).toBeCloseTo(1, 12);
      }
    },
  );

  test('no other bands have a smaller error area', () => {
    const area = (bands: number, rowsPerBand: number) => {
      let sum = 0;
      for (let i = 0; i < 1000; i++) {
        const similarity = (i + 0.5) / 1000;
        const chance = chanceAt(similarity, { bands, rowsPerBand }, simhash, 1);
        sum += (similarity < 0.7 ? chance : 1 - chance) / 1000;
      }
      return sum;
    };
    const chosen = chooseBands({ lsh: simhash, hashes: 64, similarity: 0.7, agreeing: 1 });
    const least = area(chosen.bands, chosen.rowsPerBand);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 64 }), (bands, rowsPerBand) => {
        fc.pre(bands * rowsPerBand <= 64);
        // The tolerance for sums over steps.
        expect(area(bands, rowsPerBand)).toBeGreaterThan(least - 1e-3);
      }),
    );
  });

  test('are parsed and formatted in the same form', () => {
    const limits = { hashes: 128, agreeing: 1 };
    expect(parseBands('16x8', limits)).toEqual({ bands: 16, rowsPerBand: 8 });
    expect(formatBands({ bands: 16, rowsPerBand: 8 })).toBe('16x8');
  });

  test.each([
    ['16', /bands is "16", but must be bands and rows per band, such as 9x13/],
    ['16x9', /must be BxR with B times R at most 128, the value of hashes; use fewer bands or rows, or more hashes/],
    ['2x9', /bands is "2x9", but must be at least 3 bands, as many as agreeing, of 1 row or more/],
    ['8x0', /bands is "8x0", but must be at least 3 bands/],
  ])('%s is refused', (text, message) => {
    expect(() => parseBands(text, { hashes: 128, agreeing: 3 })).toThrow(message);
  });
});

describe('similarity', () => {
  test.each(lshFamilies.map((lsh) => [lsh.name, lsh] as const))('%s: converts from agreement and back', (_, lsh) => {
    for (const similarity of [0, 0.3, 0.8, 1]) {
      expect(lsh.similarity(lsh.agreement(similarity))).toBeCloseTo(similarity, 12);
    }
    expect(lsh.similarity(0)).toBeGreaterThanOrEqual(0);
  });
});
