// Texts of which there is nothing to compare, or that are only like themselves, keep what they have.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { summaryText } from '../../../../src/cli/summary.js';
import type { PassageOptions } from '../../../../src/jobs/passages/passageoptions.js';
import { runPassages } from '../../../../src/jobs/passages/run.js';
import { createPassages } from '../../../../src/passages/create.js';
import { temporaryFolder } from '../../../cli/support/command.js';

let folder = '';
beforeEach(() => {
  folder = temporaryFolder();
});

const exact = { memory: '8MiB', algorithm: 'exact' } as const;

async function run(texts: readonly string[], own: Partial<PassageOptions>) {
  const [input, output] = [join(folder, 'in.jsonl'), join(folder, 'out')];
  writeFileSync(input, texts.map((text, id) => `${JSON.stringify({ id, text })}\n`).join(''));
  const stats = await runPassages({ inputs: [input], output, detector: exact, ...own });
  const records = readFileSync(output, 'utf8').split('\n').filter(Boolean);
  return { stats, records: records.map((line) => JSON.parse(line)) };
}

async function keptIds(texts: readonly string[], own: Partial<PassageOptions>): Promise<number[]> {
  const { records } = await run(texts, own);
  return records.map(({ id }) => id);
}

const words = (count: number, prefix = 'w') => Array.from({ length: count }, (_, i) => `${prefix}${i}`).join(' ');
const chorus = 'la la la la la la la la la la la la la la la la la la la la';

describe('a paragraph that repeats itself', () => {
  const verse = `${words(8)} ${Array.from({ length: 20 }, () => words(8)).join(' ')}`;

  test.each([
    ['one word', chorus],
    ['eight words', verse],
  ])('of %s is new, and its copy was seen', async (_, text) => {
    const { records } = await run([text, text], { by: 'ngram', ngram: 5 });
    expect(records.map(({ attributes }) => attributes.duplicates)).toEqual([[], [[0, text.length, 1]]]);
  });

  test('is new in the library too', async () => {
    const passages = await createPassages({ by: 'ngram', ngram: 5, memory: '1MiB' });
    expect(passages.observe(verse).seen).toBe(0);
    expect(passages.observe(verse).seen).toBe(1);
  });

  test('keeps the shares of its n-grams, each as often as it occurs', async () => {
    const { records } = await run([chorus, `${chorus} a b c d e`], { by: 'ngram', ngram: 5, overlap: 0.5 });
    expect(records[1].attributes.duplicates).toEqual([[0, chorus.length + 10, 16 / 21]]);
  });

  test('is found by Dolma, which adds n-grams as it reads them', async () => {
    const { records } = await run([chorus], { by: 'ngram', ngram: 5, dolmaQuirks: true });
    expect(records[0].attributes.duplicates).toHaveLength(1);
  });
});

describe('a text that repeats itself', () => {
  const lines = Array.from({ length: 40 }, (_, i) => (i % 2 ? 'Come, gather round' : `only ${i}`)).join('\n');
  const rows = Array.from({ length: 20 }, () => '| - | - |').join('\n');

  test.each(['paragraph', 'line', 'ngram'] as const)('is kept as a document by %s', async (by) => {
    const own = { by, emit: 'documents', documentShare: 0.4 } as const;
    expect(await keptIds([rows, lines, lines, rows], own)).toEqual([0, 1]);
  });

  test('is kept in several parts of a batch, and on threads', async () => {
    const long = Array.from({ length: 40_000 }, (_, i) => `line ${i % 10_000}`).join('\n');
    const own = { emit: 'documents', documentShare: 0.5 } as const;
    for (const threads of [1, 2]) expect(await keptIds([long, 'x', long], { ...own, threads })).toEqual([0, 1]);
  });

  test('has the spans of its later lines, and is rewritten without them', async () => {
    const { records } = await run(['a\nb\na\n'], {});
    expect(records[0].attributes.duplicates).toEqual([[4, 6, 1]]);
  });
});

describe('blank passages', () => {
  const spaced = (...lines: string[]) => lines.join('\n\n\n\n\n\n\n\n');

  test('are no part of the share of a document', async () => {
    const own = { emit: 'documents', documentShare: 0.5 } as const;
    expect(await keptIds([spaced('a', 'b'), spaced('c', 'd'), spaced('a', 'b'), '\n\n', '\n\n'], own)).toEqual([
      ...[0, 1, 3, 4],
    ]);
  });

  test('do not keep a record of which nothing else is left', async () => {
    const texts = ['one\n\n \ntwo', 'one\n\n\ttwo', 'two\n  \n\u3000\none', '', ' \n'];
    const { records, stats } = await run(texts, { emit: 'rewritten' });
    expect(records.map(({ id }) => id)).toEqual([0, 1]);
    expect(stats.passages).toMatchObject({ documentsDropped: 3, documentsBlank: 2, documentsEmptied: 1 });
    expect((await run(texts, { emit: 'rewritten', minDocument: 0 })).records).toHaveLength(5);
  });
});

test('texts of which nothing is compared are counted, and most of them are a warning', async () => {
  const texts = [...Array.from({ length: 60 }, () => 'short'), ' ', ...Array.from({ length: 59 }, () => words(20))];
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => void warnings.push(message);
  const { stats } = await run(texts, { minWords: 10, onWarning });
  expect(stats.passages).toMatchObject({ documents: 120, documentsBlank: 1, documentsUncompared: 60 });
  expect(summaryText(stats)).toMatch(
    /texts +120, 58 with seen passages, 1 blank, 60 without a passage that is compared/,
  );
  expect(warnings).toEqual([expect.stringMatching(/^61 of 120 texts have no passage that is compared/)]);
  await run(texts.slice(1, -1), { minWords: 10, onWarning });
  await run(texts.slice(2), { minWords: 10, onWarning });
  expect(warnings).toHaveLength(2);
});
