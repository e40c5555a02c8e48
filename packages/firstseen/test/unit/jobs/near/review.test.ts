// What a run over documents notes for a report: it agrees with the output of the run.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DocumentOptions, DocumentStats } from '../../../../src/jobs/near/documentoptions.js';
import { runDocuments } from '../../../../src/jobs/near/run.js';
import type { PairsReview, RunReview } from '../../../../src/review/facts.js';
import { drawWords, editWords } from '../../../support/documents.js';
import { Random } from '../../../support/streams.js';

interface Document {
  id: string;
  text: string;
}

let folder: string;
const documents: Document[] = [];
const SHARED_INPUT = 300;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'firstseen-review-'));
  const random = new Random(7);
  const originals = Array.from({ length: 40 }, () => drawWords(60, random));
  for (let i = 0; i < 2 * SHARED_INPUT; i++) {
    const original = originals[random.below(2 * originals.length)];
    const words = original ? editWords(original, random.below(4) / 100, random) : drawWords(60, random);
    documents.push({ id: `d${i}`, text: words.join(' ') });
  }
  write('one.jsonl', documents.slice(0, SHARED_INPUT));
  write('two.jsonl', documents.slice(SHARED_INPUT));
});
afterAll(() => rmSync(folder, { recursive: true }));

const pathOf = (name: string) => join(folder, name);

function write(name: string, records: readonly object[]): void {
  writeFileSync(pathOf(name), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}

interface Reviewed {
  review: RunReview & { pairs: PairsReview };
  stats: DocumentStats;
  /** The fields of each line of the output. */
  lines: string[][];
}

async function reviewed(more: Partial<DocumentOptions> = {}): Promise<Reviewed> {
  const reviews: RunReview[] = [];
  const inputs = [pathOf('one.jsonl'), pathOf('two.jsonl')];
  const output = pathOf('out');
  const onReview = (review: RunReview) => void reviews.push(review);
  const stats = await runDocuments({ inputs, output, idKey: 'id', near: { memory: '1MiB' }, onReview, ...more });
  expect(reviews).toHaveLength(1);
  const lines = readFileSync(output, 'utf8').trimEnd().split('\n');
  return { review: reviews[0] as Reviewed['review'], stats, lines: lines.map((line) => line.split('\t')) };
}

/** The index of a document by its name. */
const indexOf = (id: string | undefined) => Number(id?.slice(1));

test('counts, clusters, pairs and similarities agree with what --emit ids writes', async () => {
  const { review, stats, lines } = await reviewed({ emit: 'ids' });
  const { clusters, pairs, similarities, forgotten } = review;
  const across = lines.filter(([id, kept]) => indexOf(id) >= SHARED_INPUT && indexOf(kept) < SHARED_INPUT);
  const dropped = (isSecond: boolean) => lines.filter(([id]) => indexOf(id) >= SHARED_INPUT === isSecond).length;
  expect(lines).toHaveLength(stats.duplicates);
  expect(across.length).toBeGreaterThan(20);
  expect(review.inputs).toEqual([
    { name: pathOf('one.jsonl'), records: SHARED_INPUT, dropped: dropped(false), droppedAcross: 0 },
    { name: pathOf('two.jsonl'), records: SHARED_INPUT, dropped: dropped(true), droppedAcross: across.length },
  ]);
  const sizes = new Map<string, number>();
  for (const [, kept = ''] of lines) sizes.set(kept, (sizes.get(kept) ?? 0) + 1);
  const largest = [...sizes.values()].sort((a, b) => b - a).slice(0, 20);
  expect(clusters?.errorRecords).toBe(0);
  expect(clusters?.clusters.map(({ leastDropped }) => leastDropped)).toEqual(largest);
  for (const { first, leastDropped } of clusters?.clusters ?? []) {
    expect(leastDropped).toBe(sizes.get(first.name as string));
    const { text } = documents[indexOf(first.name)] as Document;
    expect(text.startsWith(first.excerpt?.text as string)).toBe(true);
  }
  const written = new Map(lines.map(([id, kept, similarity]) => [id, [kept, similarity]]));
  expect(pairs).toMatchObject({ keptShare: 1, withoutKept: 0 });
  expect(pairs.pairs).toHaveLength(Math.min(20, sizes.size));
  for (const { kept, dropped: duplicate, similarity } of pairs.pairs) {
    expect([kept.name, similarity?.toFixed(4)]).toEqual(written.get(duplicate.name as string));
    for (const { name, number, excerpt } of [kept, duplicate]) {
      expect((indexOf(name) % SHARED_INPUT) + 1).toBe(number);
      expect(excerpt?.text).toBe(documents[indexOf(name)]?.text);
    }
  }
  const { bins = [], withoutCandidate = 0, wronglyDropped } = similarities ?? {};
  expect(bins.reduce((sum, bin) => sum + bin.dropped, 0)).toBe(stats.duplicates);
  expect(bins.reduce((sum, bin) => sum + bin.kept, withoutCandidate)).toBe(stats.distinct);
  for (const { to, dropped: count } of bins) if (to < 0.8) expect(count).toBe(0);
  expect(wronglyDropped?.of).toBe(stats.duplicates);
  expect(forgotten).toMatchObject({ added: stats.distinct, forgotten: 0, sufficientBytes: undefined });
});

test('what a small table has forgotten is told, with the memory that would do', async () => {
  const small = await reviewed({ near: { memory: '32KiB' } });
  const { forgotten } = small.review;
  expect(forgotten?.forgotten).toBe(small.stats.distinct - (small.stats.near.remembered as number));
  const enough = await reviewed({ near: { memory: forgotten?.sufficientBytes as number } });
  expect(enough.review.forgotten?.forgotten).toBe(0);
});

test('documents of three slots are counted as documents', async () => {
  const documents = Array.from({ length: 30 }, (_, i) => ({ text: drawWords(900, new Random(i)).join(' '), id: i }));
  write('long.jsonl', documents);
  const { review, stats } = await reviewed({ inputs: [pathOf('long.jsonl')], near: { memory: '32KiB' } });
  // The table has 54 slots.
  expect(stats.near.remembered).toBe(18);
  expect(review.forgotten).toMatchObject({ added: 30, remembered: 18, forgotten: 12 });
});

test('the clusters of a table to which all documents are added are those of their first members', async () => {
  const { review } = await reviewed({ near: { memory: '1MiB', add: 'all' } });
  const { clusters = [], errorRecords } = review.clusters ?? {};
  expect(errorRecords).toBe(0);
  const [largest] = clusters;
  expect(largest?.leastDropped).toBeGreaterThan(5);
  // The first members of different clusters are documents that were kept.
  const { lines } = await reviewed({ near: { memory: '1MiB', add: 'all' }, idKey: 'id' });
  const kept = new Set(lines.map(([line]) => (JSON.parse(line as string) as Document).id));
  for (const { first } of clusters) expect(kept.has(first.name as string)).toBe(true);
});

test('a run that does not verify documents has samples of what it dropped, and no clusters', async () => {
  const { review, stats } = await reviewed({ near: { memory: '1MiB', verify: false } });
  expect(stats.duplicates).toBeGreaterThan(20);
  const { pairs, clusters, similarities, forgotten, inputs } = review;
  expect([clusters, similarities, forgotten]).toEqual([undefined, undefined, undefined]);
  expect(inputs[0]?.droppedAcross).toBeUndefined();
  expect(pairs.withoutKept).toBe(20);
  for (const { dropped } of pairs.pairs) expect(dropped.excerpt?.text).toBe(documents[indexOf(dropped.name)]?.text);
});

test('a run that only reads a state says that what it found is from an earlier run', async () => {
  const state = pathOf('state');
  const inputs = [pathOf('one.jsonl')];
  await runDocuments({ state, inputs, output: pathOf('first'), idKey: 'id', near: { memory: '1MiB' } });
  const { review, stats } = await reviewed({ state, isReadOnly: true, inputs, near: {} });
  expect(stats.duplicates).toBe(SHARED_INPUT);
  expect(review.inputs).toMatchObject([{ dropped: SHARED_INPUT, droppedAcross: SHARED_INPUT }]);
  expect(review.pairs.withoutKept).toBe(20);
  for (const { kept } of review.pairs.pairs) expect(kept).toEqual({});
});

test('documents that are files are counted by their folder', async () => {
  for (const [name, text] of [
    ['files/a/1.txt', 'one two three four five six'],
    ['files/b/2.txt', 'one two three four five six'],
  ] as const) {
    mkdirSync(join(pathOf(name), '..'), { recursive: true });
    writeFileSync(pathOf(name), text);
  }
  const { review } = await reviewed({ inputs: [pathOf('files')], idKey: undefined as never });
  expect(review.inputs).toEqual([
    { name: pathOf('files/a'), records: 1, dropped: 0, droppedAcross: 0 },
    { name: pathOf('files/b'), records: 1, dropped: 1, droppedAcross: 1 },
  ]);
  expect(review.pairs.pairs).toMatchObject([
    { kept: { name: pathOf('files/a/1.txt') }, dropped: { name: pathOf('files/b/2.txt') }, similarity: 1 },
  ]);
});

test('a run that fails tells what it noted before', async () => {
  writeFileSync(pathOf('broken.jsonl'), `${JSON.stringify(documents[0])}\n${JSON.stringify(documents[0])}\nbroken\n`);
  const reviews: RunReview[] = [];
  const onReview = (review: RunReview) => void reviews.push(review);
  const run = runDocuments({
    inputs: [pathOf('broken.jsonl')],
    output: pathOf('out'),
    near: { memory: '64KiB' },
    onReview,
  });
  await expect(run).rejects.toMatchObject({ code: 'E_RECORD' });
  expect(reviews).toMatchObject([{ inputs: [{ records: 2, dropped: 1 }] }]);
});
