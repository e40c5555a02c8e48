import { expect, test } from 'vitest';
import { expectedKeys, LEAST_SPILL_BYTES, layOutSpill } from '../../../../src/jobs/spill/layout.js';
import { SPILL_ENTRY_BYTES, SPILL_RECENT_ENTRIES } from '../../../../src/kernel/abi.js';

const file = { path: 'a', isFile: true, isCompressed: false, storedBytes: 3200, digest: '' };
const pipe = { ...file, isFile: false, storedBytes: 0 };

test('the number of keys to expect follows from the sizes of files, and is unknown for pipes', () => {
  expect(expectedKeys([file], 'lines')).toBe(100);
  expect(expectedKeys([file, { ...file, isCompressed: true }], 'csv')).toBe(900);
  expect(expectedKeys([file], 'u64')).toBe(400);
  expect(expectedKeys([file, pipe], undefined)).toBe(Number.POSITIVE_INFINITY);
});

test.each(
  [1, 3, 17, 256, 4000].flatMap((mebibytes) =>
    [0, 1e6, 1e9, Number.POSITIVE_INFINITY].map((keys) => [mebibytes, keys] as const),
  ),
)('both readings fit in %d MiB of memory with %d keys', (mebibytes, keys) => {
  const bytes = mebibytes * LEAST_SPILL_BYTES;
  const end = 64 + bytes;
  const layout = layOutSpill({ offset: 64, bytes }, keys);
  const partitions = 2 ** layout.partitionBits;
  expect(layout.partitionBits).toBeGreaterThanOrEqual(1);
  expect(layout.bufferBytes % SPILL_ENTRY_BYTES).toBe(0);
  expect(layout.bufferBytes).toBeGreaterThan(60_000);
  const buffersEnd = layout.buffersOffset + partitions * (layout.bufferBytes + 4);
  expect(buffersEnd + SPILL_RECENT_ENTRIES * SPILL_ENTRY_BYTES).toBeLessThanOrEqual(end);
  expect(layout.windowOffset + layout.windowNumbers / 8).toBeLessThanOrEqual(layout.blockOffset);
  expect(layout.blockOffset + layout.bufferBytes).toBeLessThanOrEqual(layout.tableOffset);
  expect(layout.tableOffset + SPILL_ENTRY_BYTES * 2 ** layout.mostTableBits).toBeLessThanOrEqual(end);
});
