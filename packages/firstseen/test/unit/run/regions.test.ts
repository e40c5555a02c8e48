import { expect, test } from 'vitest';
import { BATCH_CAPACITY, SCAN_SPARE_BYTES } from '../../../src/kernel/abi.js';
import { scratchBytesFor, scratchBytesForSpans } from '../../../src/records/settings.js';
import { CHUNK_BYTES, planRegions } from '../../../src/run/regions.js';

const scan = { format: 'ndjson', fingerprint: 'xxh64', maxRecordBytes: 1000, paths: [['a'], ['b']] } as const;

test.each([1, 2])(
  'regions of a run with %i outputs do not overlap, and leave space for reads past their ends',
  (outputCount) => {
    const { input, outputs, scratch, end } = planRegions({ regionOffset: 128, scan, outputCount });
    const regions = [input, ...outputs.flat(), scratch];
    expect(outputs).toHaveLength(outputCount);
    expect(input.offset).toBe(128);
    for (const [i, { offset, bytes }] of regions.entries()) {
      const next = regions[i + 1]?.offset ?? end;
      expect(offset % 64).toBe(0);
      expect(next).toBeGreaterThanOrEqual(offset + bytes + SCAN_SPARE_BYTES);
    }
  },
);

test('the input region fits the longest record and several chunks, an output region fits the input region', () => {
  const { input, outputs } = planRegions({ regionOffset: 0, scan, outputCount: 1 });
  expect(input.bytes).toBe(1000 + 4 * CHUNK_BYTES);
  expect(outputs[0]?.[0].bytes).toBeGreaterThan(input.bytes);
});

test('the scratch region fits the keys of a record, or of a whole batch if keys are kept', () => {
  const scratchOf = (fingerprint: 'xxh64' | 'spans') =>
    planRegions({ regionOffset: 0, scan: { ...scan, fingerprint }, outputCount: 1 });
  expect(scratchOf('xxh64').scratch.bytes).toBe(scratchBytesFor(scan));
  const { scratch, input } = scratchOf('spans');
  expect(scratch.bytes).toBe(scratchBytesForSpans({ ...scan, fingerprint: 'spans' }, input.bytes, BATCH_CAPACITY));
});
