import { describe, expect, test } from 'vitest';
import { NEAR_SPARE_BYTES } from '../../../src/kernel/abi.js';
import { layOutNearRegions, signatureBytes } from '../../../src/near/regions.js';
import { layOutSeats } from '../../../src/near/seats.js';
import { type NearOptions, resolveSignature } from '../../../src/near/settings.js';

const MEBIBYTE = 2 ** 20;

function seatsFor(options: NearOptions, seats: number, maxTextBytes = 16 * MEBIBYTE) {
  const settings = resolveSignature(options);
  const regions = layOutNearRegions({ ...settings, maxTextBytes }, 4096);
  return { settings, regions, layout: layOutSeats({ settings, maxTextBytes, regions, seats }) };
}

describe.each<NearOptions>([{}, { explain: 9, hashes: 1024 }, { lsh: 'simhash' }, { lsh: 'bits', documentBytes: 40 }])(
  'seats of %j',
  (options) => {
    test('do not overlap, and have room for what they say', () => {
      const { settings, regions, layout } = seatsFor(options, 8);
      const { stride, maxDocuments } = layout;
      const starts = layout.seats.flatMap(({ work, tables, signatures, elements }, seat) =>
        seat === 0 ? [signatures, elements] : [work, tables, signatures, elements],
      );
      expect(layout.seats).toHaveLength(8);
      expect(layout.seats[0]).toMatchObject({ work: regions.work, tables: regions.tables });
      expect(starts[0]).toBe(regions.end);
      for (const [i, start] of starts.entries()) {
        expect((starts[i + 1] ?? layout.end) - start).toBeGreaterThanOrEqual(NEAR_SPARE_BYTES);
      }
      for (const { signatures, elements } of layout.seats) {
        expect(elements - signatures).toBeGreaterThanOrEqual(Math.max(maxDocuments * stride, signatureBytes(settings)));
      }
      const [last] = layout.seats.slice(-1);
      expect(layout.end - (last?.elements ?? 0)).toBeGreaterThanOrEqual(8 * settings.bands * maxDocuments);
    });
  },
);

test('signatures are kept only to explain answers and to compare documents', () => {
  expect(seatsFor({ verify: false }, 8).layout.stride).toBe(0);
  expect(seatsFor({ verify: false, explain: 1 }, 8).layout.stride).toBe(4 * 128);
  expect(seatsFor({}, 8).layout.stride).toBe(4 * 128 + 3 * 512 + 8 + 3 * 1912 + 3 * 512);
});

/**
 * What is kept of a signed document has the room of the widest sketch and of all fingerprints that are compared with one, so the seats of
 * 128 threads have few documents.
 */
test('the regions of many seats are bounded', () => {
  for (const seats of [4, 8, 128]) {
    const { regions, layout } = seatsFor({ explain: 1, hashes: 1024 }, seats);
    expect(layout.end - regions.end).toBeLessThan(272 * MEBIBYTE);
    expect(layout.maxDocuments).toBeGreaterThan(64);
    expect(layout.maxTextBytes).toBeGreaterThanOrEqual(MEBIBYTE / 4);
  }
});

test('a seat has no room for documents that are longer than any', () => {
  expect(seatsFor({}, 8, 1000).layout.maxTextBytes).toBe(1000);
  expect(seatsFor({ lsh: 'bits', documentBytes: 40 }, 8).layout.maxTextBytes).toBe(40);
});
