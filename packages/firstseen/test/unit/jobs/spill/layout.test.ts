import { expect, test } from 'vitest';
import { expectedKeys, layOutSpill, MIN_SPILL_BYTES, slotBytesFor } from '../../../../src/jobs/spill/layout.js';
import { SPILL_ENTRY_BYTES, SPILL_RECENT_ENTRIES } from '../../../../src/kernel/abi.js';

const file = { path: 'a', isFile: true, isCompressed: false, storedBytes: 3200, digest: '' };
const pipe = { ...file, isFile: false, storedBytes: 0 };

test('the number of keys to expect follows from the sizes of files, and is unknown for pipes', () => {
  expect(expectedKeys([file], 'lines')).toBe(100);
  expect(expectedKeys([file, { ...file, isCompressed: true }], 'csv')).toBe(900);
  expect(expectedKeys([file], 'u64')).toBe(400);
  expect(expectedKeys([file, pipe], undefined)).toBe(Number.POSITIVE_INFINITY);
});

const allNeeds = [false, true].flatMap((choice) =>
  [false, true].flatMap((counts) => [false, true].map((ranks) => ({ choice, counts, ranks }))),
);

test.each(
  [1, 3, 17, 256, 4000].flatMap((mebibytes) =>
    [0, 1e6, 1e9, Number.POSITIVE_INFINITY].flatMap((keys) =>
      allNeeds.map((needs) => [mebibytes, keys, needs] as const),
    ),
  ),
)('both readings fit in %d MiB of memory with %d keys and the needs %j', (mebibytes, keys, needs) => {
  const bytes = mebibytes * MIN_SPILL_BYTES;
  const end = 64 + bytes;
  const layout = layOutSpill({ offset: 64, bytes }, keys, needs);
  const partitions = 2 ** layout.partitionBits;
  expect(layout.partitionBits).toBeGreaterThanOrEqual(1);
  expect(layout.bufferBytes % SPILL_ENTRY_BYTES).toBe(0);
  expect(layout.bufferBytes).toBeGreaterThan(60_000);
  const buffersEnd = layout.buffersOffset + partitions * (layout.bufferBytes + 4);
  expect(buffersEnd + SPILL_RECENT_ENTRIES * SPILL_ENTRY_BYTES).toBeLessThanOrEqual(end);
  const { choice, counts } = layout;
  const kept = layout.windowOffset + layout.windowNumbers / 8;
  const bitmapsEnd = needs.choice ? choice.windowOffset + choice.windowNumbers / 8 : kept;
  expect(choice.windowOffset).toBeGreaterThanOrEqual(kept);
  expect(bitmapsEnd).toBeLessThanOrEqual(layout.blockOffset);
  if (needs.counts) {
    expect(bitmapsEnd).toBeLessThanOrEqual(counts.buffersOffset);
    expect(counts.buffersOffset + counts.buffersBytes).toBeLessThanOrEqual(layout.blockOffset);
    expect(bitmapsEnd).toBeLessThanOrEqual(counts.windowOffset);
    expect(counts.windowNumbers).toBeLessThanOrEqual(2 ** 24);
    expect(counts.windowOffset + 8 * counts.windowNumbers).toBeLessThanOrEqual(counts.blockOffset);
    expect(counts.blockOffset + counts.buffersBytes).toBeLessThanOrEqual(end);
  }
  expect(layout.blockOffset + layout.bufferBytes).toBeLessThanOrEqual(layout.tableOffset);
  expect(layout.tableOffset + slotBytesFor(needs) * 2 ** layout.maxTableBits).toBeLessThanOrEqual(end);
});
