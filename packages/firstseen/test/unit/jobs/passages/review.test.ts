// What a run over passages notes for a report: it agrees with the summary, and the parts of sampled texts are those that were seen.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PassageOptions, PassageStats } from '../../../../src/jobs/passages/passageoptions.js';
import { partsOf } from '../../../../src/jobs/passages/review.js';
import { runPassages } from '../../../../src/jobs/passages/run.js';
import type { RunReview, TextsReview } from '../../../../src/review/facts.js';
import { Random } from '../../../support/streams.js';

let folder: string;
const texts: string[] = [];
const SHARED = 200;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'firstseen-review-'));
  const random = new Random(17);
  const paragraph = (i: number) => `paragraph "${i}" with é, 😀 and a tab\t.`;
  for (let i = 0; i < 2 * SHARED; i++) {
    // Each has a paragraph of its own, and most have some that others have too.
    const shared = Array.from({ length: random.below(4) }, () => paragraph(random.below(60)));
    texts.push([paragraph(1000 + i), ...new Set(shared)].join('\n'));
  }
  write('one.ndjson', texts.slice(0, SHARED));
  write('two.ndjson', texts.slice(SHARED));
});
afterAll(() => rmSync(folder, { recursive: true }));

const pathOf = (name: string) => join(folder, name);

function write(name: string, some: readonly string[]): void {
  writeFileSync(pathOf(name), some.map((text, id) => `${JSON.stringify({ id, text })}\n`).join(''));
}

type Reviewed = { review: RunReview & { texts: TextsReview }; stats: PassageStats };

async function reviewed(more: Partial<PassageOptions>): Promise<Reviewed> {
  const reviews: RunReview[] = [];
  const stats = await runPassages({
    ...{ inputs: [pathOf('one.ndjson'), pathOf('two.ndjson')], output: pathOf('out'), detector: { memory: '1MiB' } },
    onReview: (review) => void reviews.push(review),
    ...more,
  });
  expect(reviews).toHaveLength(1);
  return { review: reviews[0] as Reviewed['review'], stats };
}

/** The paragraphs that texts before one have. */
function seenBefore(index: number): ReadonlySet<string> {
  return new Set(texts.slice(0, index).flatMap((text) => text.split('\n')));
}

test.each(['spans', 'rewritten'] as const)(
  'the parts of sampled texts are their seen paragraphs, with %s',
  async (emit) => {
    const { review, stats } = await reviewed({ emit });
    const { bins, withoutSeen, characters, seenCharacters, texts: sample } = review.texts;
    expect(review.inputs.map(({ records }) => records)).toEqual([SHARED, SHARED]);
    expect([characters, seenCharacters]).toEqual([stats.passages.characters, stats.passages.seenCharacters]);
    expect(bins.reduce((sum, { kept, dropped }) => sum + kept + dropped, 0)).toBe(stats.passages.documentsWithSeen);
    expect(withoutSeen).toBe(stats.passages.documents - stats.passages.documentsWithSeen);
    expect(sample).toHaveLength(20);
    for (const { record, parts = [], seenPassages, seenCharacters: seen } of sample) {
      const index = (record.input === pathOf('one.ndjson') ? 0 : SHARED) + (record.number as number) - 1;
      const text = texts[index] as string;
      expect(parts.map((part) => part.text).join('')).toBe(text);
      const before = seenBefore(index);
      const expected = text.split('\n').filter((paragraph) => before.has(paragraph));
      expect(seenPassages).toBe(expected.length);
      const marked = parts.filter(({ isSeen }) => isSeen).map((part) => part.text);
      expect(marked.join('').replaceAll('\n', '')).toBe(expected.join(''));
      expect(Array.from(marked.join('')).length).toBe(seen);
    }
  },
);

test('texts of which only counts are known are shown as records', async () => {
  const { review, stats } = await reviewed({ emit: 'documents', documentShare: 0.3 });
  expect(stats.duplicates).toBeGreaterThan(10);
  expect(review.inputs.reduce((sum, { dropped }) => sum + dropped, 0)).toBe(stats.duplicates);
  expect(review.texts.bins.reduce((sum, { dropped }) => sum + dropped, 0)).toBe(stats.duplicates);
  for (const { record, parts } of review.texts.texts) {
    expect(parts).toBeUndefined();
    const index = (record.input === pathOf('one.ndjson') ? 0 : SHARED) + (record.number as number) - 1;
    expect(JSON.parse(record.excerpt?.text as string)).toBe(texts[index]);
  }
});

test('parts are cut at characters, and spans may overlap', () => {
  const parts = partsOf('a😀bcdef', [
    [1, 3],
    [2, 4],
    [6, 9],
  ]);
  expect(parts).toEqual([
    { text: 'a', isSeen: false },
    { text: '😀b', isSeen: true },
    { text: 'c', isSeen: true },
    { text: 'de', isSeen: false },
    { text: 'f', isSeen: true },
  ]);
  expect(partsOf('x'.repeat(100_000), [[0, 99_999]])[0]?.text.length).toBe(2 ** 14);
});
