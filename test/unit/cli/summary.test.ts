import { describe, expect, test } from 'vitest';
import { formatStats } from '../../../src/cli/summary.js';
import type { RunStats } from '../../../src/dedup/options.js';

const stats: RunStats = {
  records: 2000,
  distinct: 1340,
  duplicates: 660,
  passed: 0,
  dropped: 0,
  missing_key: 0,
  invalid: 0,
  too_long: 0,
  bytes_in: 278083,
  bytes_out: 900,
  seconds: 0.0244,
  records_per_second: 81967,
  algorithm: 'rlbsbf',
  layout: 'blocked',
  fingerprint: 'xxh64',
  keyed: false,
  seed: '0',
  parameters: { k: 2, s: 268435456 },
  memory_bytes: 67108864,
  state_bytes: 67109888,
  load: 0.0000049,
  observed: 2000,
  interrupted: false,
  resumed: false,
};

describe('the summary', () => {
  test('has one fact a line', () => {
    expect(formatStats(stats, 'text').split('\n')).toEqual([
      'records      2,000',
      'distinct     1,340 (67.00 %)',
      'duplicates   660 (33.00 %)',
      'bytes in     278,083 bytes (271.57KiB)',
      'bytes out    900 bytes',
      'seconds      0.024',
      'records/s    81,967',
      'algorithm    rlbsbf (blocked) k=2 s=268435456',
      'fingerprint  xxh64, seed 0',
      'memory       64MiB',
      'state        67,109,888 bytes (64MiB)',
      'load         0.0000049',
      'observed     2,000 elements over all runs',
    ]);
  });

  test('tells of exceptions that there were', () => {
    const text = formatStats({ ...stats, invalid: 3, dropped: 3, resumed: true, interrupted: true }, 'text');
    expect(text).toMatch(/^invalid {6}3$/m);
    expect(text).toMatch(/^dropped {6}3$/m);
    expect(text).not.toMatch(/too long|without key|passed/);
    expect(text).toMatch(/^run {10}went on where an earlier run had stopped; stopped before the end of the input$/m);
  });

  test('of nothing has no shares', () => {
    expect(formatStats({ ...stats, records: 0, distinct: 0, duplicates: 0 }, 'text')).toMatch(/^distinct {5}0$/m);
  });

  test('as JSON is the stats themselves in one line', () => {
    const text = formatStats(stats, 'json');
    expect(text).not.toContain('\n');
    expect(JSON.parse(text)).toEqual(stats);
  });
});
