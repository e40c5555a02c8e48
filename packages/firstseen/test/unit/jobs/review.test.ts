// What a run over records notes for a report: it agrees with the verdicts, for every kind of detector.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runFiles } from '../../../src/jobs/exact/run.js';
import type { PairsReview, RunReview } from '../../../src/review/facts.js';
import type { RunOptions } from '../../../src/run/runoptions.js';
import type { RunStats } from '../../../src/run/stats.js';
import { Random } from '../../support/streams.js';

let folder: string;
const counts = new Map<number, number>();
const lines: string[] = [];
const RECORDS = 4000;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'firstseen-review-'));
  const random = new Random(13);
  for (let i = 0; i < RECORDS; i++) {
    const key = Math.floor(1000 * (random.nextWord() / 2 ** 32) ** 3);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    lines.push(JSON.stringify({ key, at: i }));
  }
  // Records without a key are not compared, and count as records of their input.
  lines[10] = '{"at":10}';
  write('one.jsonl', lines.slice(0, RECORDS / 2));
  write('two.jsonl', lines.slice(RECORDS / 2));
});
afterAll(() => rmSync(folder, { recursive: true }));

const pathOf = (name: string) => join(folder, name);

function write(name: string, records: readonly string[]): void {
  writeFileSync(pathOf(name), records.map((record) => `${record}\n`).join(''));
}

type PairedReview = RunReview & { pairs: PairsReview };

async function reviewed(more: Partial<RunOptions>): Promise<{ review: PairedReview; stats: RunStats }> {
  const reviews: RunReview[] = [];
  const stats = await runFiles({
    ...{ inputs: [pathOf('one.jsonl'), pathOf('two.jsonl')], output: pathOf('out'), keys: ['key'], missingKey: 'drop' },
    onReview: (review) => void reviews.push(review),
    ...more,
  });
  expect(reviews).toHaveLength(1);
  return { review: reviews[0] as PairedReview, stats };
}

function keyOf(text: string | undefined): number {
  return (JSON.parse(text as string) as { key: number }).key;
}

test.each<[string, RunOptions['detector']]>([
  ['qht', { algorithm: 'qht', memory: '1MiB' }],
  ['bloom', { algorithm: 'bloom', memory: '1MiB', fpr: 1e-6 }],
  ['partitions', { algorithm: 'qht', memory: '1MiB', partitions: 8 }],
  ['exact', { algorithm: 'exact', memory: '1MiB' }],
])('clusters, pairs and counts are those of the keys, with %s', async (_, detector) => {
  const { review, stats } = await reviewed({ detector });
  const { clusters, pairs, inputs } = review;
  expect(inputs.map(({ records }) => records)).toEqual([RECORDS / 2, RECORDS / 2]);
  expect(inputs.reduce((sum, { dropped }) => sum + dropped, 0)).toBe(stats.duplicates);
  const repeated = [...counts].filter(([, count]) => count > 1).sort(([, one], [, other]) => other - one);
  expect(clusters?.errorRecords).toBe(0);
  for (const [i, { leastDropped, first, member }] of (clusters?.clusters ?? []).entries()) {
    expect(Math.abs(leastDropped + 1 - (repeated[i]?.[1] as number))).toBeLessThanOrEqual(1);
    expect(keyOf(first.excerpt?.text)).toBe(keyOf(member.excerpt?.text));
  }
  expect(pairs).toMatchObject({ keptShare: 1, withoutKept: 0 });
  expect(pairs.pairs).toHaveLength(20);
  for (const { kept, dropped } of pairs.pairs) {
    expect(keyOf(kept.excerpt?.text)).toBe(keyOf(dropped.excerpt?.text));
    for (const { input, number = 0, excerpt } of [kept, dropped]) {
      const before = input === pathOf('one.jsonl') ? 0 : RECORDS / 2;
      expect(excerpt?.text).toBe(lines[before + number - 1]);
    }
    expect(lines.indexOf(kept.excerpt?.text as string)).toBeLessThan(lines.indexOf(dropped.excerpt?.text as string));
  }
});

test('keys of which no record was kept are told as such: the detector has dropped the first by mistake', async () => {
  // Each key comes twice, so those whose first record is dropped too have the most dropped records.
  const keys = Array.from({ length: 2000 }, (_, i) => i);
  write(
    'twice.jsonl',
    [...keys, ...keys].map((key) => JSON.stringify({ key })),
  );
  const { review, stats } = await reviewed({
    inputs: [pathOf('twice.jsonl')],
    detector: { algorithm: 'rlbsbf', memory: '1KiB', fpr: 0.3 },
  });
  expect(stats.witness?.falsePositiveRate.estimate).toBeGreaterThan(0.01);
  const kept = new Set(readFileSync(pathOf('out'), 'utf8').trimEnd().split('\n').map(keyOf));
  const { clusters = [] } = review.clusters ?? {};
  expect(clusters.filter(({ first }) => first.isAbsent).length).toBeGreaterThan(5);
  for (const { first, member } of clusters) {
    // One that was dropped before its key was kept belongs to a cluster whose first member is not known.
    if (!kept.has(keyOf(member.excerpt?.text))) expect(first.isAbsent).toBe(true);
  }
});

test('a run that spills counts its inputs and samples what it dropped, without the kept records', async () => {
  const { review, stats } = await reviewed({ spill: folder, detector: { memory: '8MiB' } });
  const { clusters, pairs, inputs } = review;
  expect(clusters).toBeUndefined();
  expect(inputs.map(({ records }) => records)).toEqual([RECORDS / 2, RECORDS / 2]);
  expect(inputs.reduce((sum, { dropped }) => sum + dropped, 0)).toBe(stats.duplicates);
  expect(pairs.withoutKept).toBe(20);
  for (const { dropped } of pairs.pairs) {
    const before = dropped.input === pathOf('one.jsonl') ? 0 : RECORDS / 2;
    expect(dropped.excerpt?.text).toBe(lines[before + (dropped.number as number) - 1]);
  }
});

test('a run over a shard counts its records, and tells their numbers in the input', async () => {
  const { review, stats } = await reviewed({ shard: '2/3', detector: { algorithm: 'qht', memory: '64KiB' } });
  expect(stats.skipped).toBeGreaterThan(RECORDS / 2);
  expect(review.inputs.reduce((sum, { records }) => sum + records, 0)).toBe(stats.records);
  expect(review.pairs.pairs.length).toBeGreaterThan(10);
  for (const { kept } of review.pairs.pairs) {
    const before = kept.input === pathOf('one.jsonl') ? 0 : RECORDS / 2;
    expect(kept.excerpt?.text).toBe(lines[before + (kept.number as number) - 1]);
  }
});

test('without onReview nothing is noted, and the answers are the same', async () => {
  const { stats } = await reviewed({ detector: { algorithm: 'qht', memory: '64KiB' } });
  const plain = await runFiles({
    ...{ inputs: [pathOf('one.jsonl'), pathOf('two.jsonl')], output: pathOf('out'), keys: ['key'], missingKey: 'drop' },
    detector: { algorithm: 'qht', memory: '64KiB' },
  });
  expect([plain.records, plain.distinct]).toEqual([stats.records, stats.distinct]);
});
