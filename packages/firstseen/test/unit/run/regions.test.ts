import { expect, test } from 'vitest';
import { CHUNK_BYTES } from '../../../src/io/sink.js';
import { BATCH_CAPACITY, SCAN_SPARE_BYTES } from '../../../src/kernel/abi.js';
import { scratchBytesFor, scratchBytesForSpans } from '../../../src/records/settings.js';
import { partBytes } from '../../../src/run/inputwindow.js';
import { layOutRegions } from '../../../src/run/regions.js';
import { BANKS, bankSeatsOf, crewBytes } from '../../../src/threads/crew.js';
import { SHARED_DETECTOR_BYTES } from '../../../src/threads/detector.js';

const scan = { format: 'ndjson', fingerprint: 'xxh64', maxRecordBytes: 1000, paths: [['a'], ['b']] } as const;

test.each([
  [1, 1],
  [2, 1],
  [1, 3],
])(
  'regions of a run with %i outputs and %i threads do not overlap, and leave space for reads past their ends',
  (outputCount, threads) => {
    const {
      input,
      outputs,
      scratch,
      threads: own,
      end,
    } = layOutRegions({ regionOffset: 128, scan, outputCount, threads });
    const regions = [
      ...input.parts.map((offset) => ({ offset, bytes: partBytes(input) })),
      ...[...outputs.flat(), scratch, ...own.scratch],
      { offset: own.crew, bytes: crewBytes(threads) },
      { offset: own.detector, bytes: SHARED_DETECTOR_BYTES },
    ];
    expect(outputs).toHaveLength(outputCount);
    expect(own.scratch).toHaveLength(bankSeatsOf(threads));
    expect(input.parts).toHaveLength(threads === 1 ? 2 : 3);
    expect(input.parts[0]).toBe(128);
    for (const [i, { offset, bytes }] of regions.entries()) {
      const next = regions[i + 1]?.offset ?? end;
      expect(offset % 64).toBe(0);
      expect(next).toBeGreaterThanOrEqual(offset + bytes + SCAN_SPARE_BYTES);
    }
  },
);

test('a part of the input fits the longest record and several chunks, an output region fits a part of the input', () => {
  const { input, outputs } = layOutRegions({ regionOffset: 0, scan, outputCount: 1, threads: 1 });
  expect(partBytes(input)).toBe(1000 + 3 * CHUNK_BYTES);
  expect(outputs[0]?.[0].bytes).toBeGreaterThan(partBytes(input));
});

test('the scratch regions of seats fit the keys of a piece, not of the whole input, if keys are kept', () => {
  const spans = { ...scan, fingerprint: 'spans' } as const;
  const { threads: own, input } = layOutRegions({ regionOffset: 0, scan: spans, outputCount: 1, threads: 4 });
  expect((own.maxPieceBytes * bankSeatsOf(4)) / BANKS).toBeGreaterThanOrEqual(partBytes(input));
  for (const { bytes } of own.scratch) {
    expect(bytes).toBe(scratchBytesForSpans(spans, own.maxPieceBytes, BATCH_CAPACITY));
  }
});

test('the scratch region fits the keys of a record, or of a whole batch if keys are kept', () => {
  const scratchOf = (fingerprint: 'xxh64' | 'spans') =>
    layOutRegions({ regionOffset: 0, scan: { ...scan, fingerprint }, outputCount: 1, threads: 1 });
  expect(scratchOf('xxh64').scratch.bytes).toBe(scratchBytesFor(scan));
  const { scratch, input } = scratchOf('spans');
  const spans = { ...scan, fingerprint: 'spans' } as const;
  expect(scratch.bytes).toBe(scratchBytesForSpans(spans, partBytes(input), BATCH_CAPACITY));
});
