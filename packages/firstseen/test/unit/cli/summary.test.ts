import { describe, expect, test } from 'vitest';
import { statsData, summaryText } from '../../../src/cli/summary.js';
import type { RateEstimate } from '../../../src/detectors/intervals.js';
import type { GapEstimate, WitnessStats } from '../../../src/detectors/witness.js';
import { noCounts } from '../../../src/framing/counts.js';
import type { RunStats } from '../../../src/run/stats.js';

function gapRate(gap: number, { falseNegatives, ...rate }: { falseNegatives: number } & RateEstimate): GapEstimate {
  return {
    gapFromElements: gap,
    gapToElements: 2 * gap - 1,
    duplicates: 64,
    falseNegatives: falseNegatives,
    ...rate,
  };
}

const stats: RunStats = {
  records: 2000,
  distinct: 1340,
  duplicates: 660,
  passed: 0,
  dropped: 0,
  skipped: 0,
  missingKey: 0,
  emptyKey: 0,
  invalid: 0,
  tooLong: 0,
  notCompared: 0,
  bytesIn: 278083,
  bytesOut: 900,
  bytesWaiting: 0,
  seconds: 0.0244,
  threads: 1,
  recordsPerSecond: 81967,
  allRuns: null,
  algorithm: 'rlbsbf',
  layout: 'blocked',
  fingerprint: 'xxh64',
  keyed: false,
  seed: '0',
  parameters: { k: 2, s: 268435456 },
  memoryBytes: 67108864,
  stateBytes: 67109888,
  load: 0.0000049,
  observed: 2000,
  window: null,
  witness: {
    fraction: 0.0625,
    elements: 1340,
    falsePositiveRate: { estimate: 0.00012, low: 0.0000812, high: 0.000169 },
    falseNegativeRate: { estimate: 0.25, low: 0.2, high: 0.3049 },
    newElements: 1_200_000,
    repeats: 800,
    byGap: [
      gapRate(512, { falseNegatives: 0, estimate: 0, low: 0, high: 0.01 }),
      gapRate(1024, { falseNegatives: 32, estimate: 0.5, low: 0.4, high: 0.6 }),
    ],
    memoryBytes: 1048576,
  },
  overload: null,
  interrupted: false,
  idle: false,
  resumed: false,
  notices: [],
  error: null,
};

describe('the summary', () => {
  test('has one fact per line', () => {
    expect(summaryText(stats).split('\n')).toEqual([
      'records          2,000',
      'distinct         1,340 (67.00 %)',
      'duplicates       660 (33.00 %)',
      'false positives  0.012 % (0.0081 % to 0.017 %), 97 to 203 of 1,200,000 new',
      'false negatives  25 % (20 % to 30 %), 160 to 244 of 800 repeats',
      '  at gap         1,024 to 2,047: 50 % (40 % to 60 %)',
      'witness          1,340 elements, 1 in 16',
      'bytes in         278,083 bytes (271.57KiB)',
      'bytes out        900 bytes',
      'seconds          0.024',
      'records/s        81,967',
      'algorithm        rlbsbf (blocked) k=2 s=268435456',
      'fingerprint      xxh64, seed 0',
      'memory           64MiB',
      'state            67,109,888 bytes (64MiB)',
      'load             0.0000049',
      'observed         2,000 elements over all runs',
    ]);
  });

  test('reports exceptions, if any', () => {
    const ended = { interrupted: true, error: 'E_OUTPUT' };
    const text = summaryText({ ...stats, invalid: 3, dropped: 3, resumed: true, ...ended });
    expect(text).toMatch(/^invalid {10}3$/m);
    expect(text).toMatch(/^dropped {10}3$/m);
    expect(text).not.toMatch(/too long|without key|passed/);
    expect(text).toMatch(
      /^run {14}continued an earlier run; stopped before the end of the input; failed with E_OUTPUT$/m,
    );
  });

  test('tells the counts over all runs with a state apart', () => {
    const { records, distinct, duplicates } = { records: 3000, distinct: 2000, duplicates: 1000 };
    const text = summaryText({ ...stats, allRuns: { ...noCounts, records, distinct, duplicates } });
    expect(text).toMatch(/^all runs {9}3,000 records, 2,000 distinct, 1,000 duplicates$/m);
    expect(text).toMatch(/^records {10}2,000$/m);
  });

  test('of an empty run has no shares', () => {
    expect(summaryText({ ...stats, records: 0, distinct: 0, duplicates: 0 })).toMatch(/^distinct {9}0$/m);
  });

  test('without a witness has no error rates', () => {
    expect(summaryText({ ...stats, witness: null })).not.toMatch(/false|gap|witness/);
  });

  test('of an exact algorithm has no rates', () => {
    const text = summaryText({ ...stats, algorithm: 'exactwindow' });
    expect(text).toMatch(/^errors +none with exactwindow$/m);
    expect(text).not.toMatch(/false|witness/);
  });

  test('has what a window dropped after its end', () => {
    const late = { estimate: 0.01, low: 0.005, high: 0.02 };
    const text = summaryText({ ...stats, witness: { ...(stats.witness as WitnessStats), lateDuplicateRate: late } });
    expect(text).toMatch(/^dropped late +1 % \(0\.5 % to 2 %\), 10 to 40 of 2,000 elements$/m);
  });

  test('marks the rates as exact if the witness follows everything', () => {
    const exact = { estimate: 0.5, low: 0.5, high: 0.5 };
    const none = { estimate: null, low: 0, high: 1 };
    const witness = {
      ...stats.witness,
      fraction: 1,
      falsePositiveRate: exact,
      falseNegativeRate: none,
      byGap: [],
    };
    const text = summaryText({ ...stats, witness: witness as RunStats['witness'] });
    expect(text).toMatch(
      /^false positives {2}50 %, 600,000 of 1,200,000 new\nfalse negatives {2}not measured\nwitness {10}all 1,340 elements$/m,
    );
  });

  test('has a row for bytes that wait, if there are any', () => {
    const waiting = summaryText({ ...stats, bytesWaiting: 12 }).split('\n');
    expect(waiting).toContain('bytes waiting    12 bytes of an unfinished record');
    expect(summaryText(stats)).not.toContain('waiting');
  });

  test('as JSON consists of the stats', () => {
    const found = JSON.parse(JSON.stringify(statsData(stats)));
    expect(Object.keys(found).join(' ')).toBe(
      'records distinct duplicates passed dropped skipped missing_key empty_key invalid too_long not_compared bytes_in bytes_out bytes_waiting seconds threads records_per_second all_runs ' +
        'algorithm layout fingerprint keyed seed parameters memory_bytes state_bytes load observed window witness overload interrupted ' +
        'idle resumed notices error',
    );
    expect(found).toMatchObject({
      bytes_in: 278083,
      parameters: { k: 2, s: 268435456 },
      witness: { memory_bytes: 2 ** 20 },
    });
    expect(found.witness.by_gap[1]).toEqual({
      ...{ gap_from_elements: 1024, gap_to_elements: 2047, duplicates: 64, false_negatives: 32 },
      ...{ estimate: 0.5, low: 0.4, high: 0.6 },
    });
  });
});
