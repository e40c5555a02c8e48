// Twenty texts, with what Dolma 1.2.1 wrote for them, and what is right.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PassageOptions } from '../../../../src/jobs/passages/passageoptions.js';
import { runPassages } from '../../../../src/jobs/passages/run.js';
import { temporaryFolder } from '../../../cli/support/command.js';

const texts = [
  ...['a b c\nd e f\n', 'a b c\nd e f\n', '漢字 b c\nd e f\n漢字 b c', '漢字 b c\nzz\nd e f'],
  ...['same whole 漢字', 'same whole 漢字', 'x\n\n\ny', '', '  \nq'],
  ...['a b c d e f g h\nnew words here now', 'a b c d e f z y\nnew words here now again', 'A b c\n a b c\na b c '],
  ...['one two three four five', 'one two three four six', 'one two three four five'],
  ...['p q r s t u v w\np q r s t u v w', '\n\n', 'naïve café\nnaïve café', 'tab\tsep line\ntab sep line', 'd e f'],
];

type Found = Readonly<Record<number, string>>;

interface Case {
  name: string;
  options: Partial<PassageOptions>;
  /** The spans of texts that have some, by their numbers: right, and where Dolma 1.2.1 differs. */
  right: Found;
  dolma: Found;
  /** What a text without seen passages has. */
  none?: string;
}

const paragraphs = {
  ...{ 2: '[0,6,1],[6,12,1]', 3: '[7,13,1],[13,19,1]', 4: '[0,7,1],[10,15,1]', 6: '[0,13,1]' },
  ...{ 7: '[2,3,1],[3,4,1]', 15: '[0,23,1]', 16: '[16,31,1]', 17: '[0,1,1],[1,2,1]' },
  ...{ 18: '[11,21,1]', 20: '[0,5,1]' },
};
const paragraphsOfDolma = {
  ...{ 2: '[0,6,1],[6,11,1],[11,11,1]', 3: '[7,13,1],[13,20,1]', 4: '[0,7,1],[10,16,1]', 6: '[0,14,1]' },
  ...{ 17: '[0,1,1],[1,1,1],[1,1,1]', 18: '[11,22,1]' },
};
const longer = { 3: '[13,19,1]', 4: '[0,7,1]', 6: '[0,13,1]', 15: '[0,23,1]', 16: '[16,31,1]', 18: '[11,21,1]' };

/** Scores of n-grams have a point. */
function withPoints(found: Found): Found {
  return Object.fromEntries(Object.entries(found).map(([number, spans]) => [number, spans.replaceAll(',1]', ',1.0]')]));
}

function without(found: Found, ...numbers: number[]): Found {
  return Object.fromEntries(Object.entries(found).filter(([number]) => !numbers.includes(Number(number))));
}

const cases: Case[] = [
  { name: 'paragraphs', options: {}, right: paragraphs, dolma: paragraphsOfDolma },
  { name: 'lines', options: { by: 'line' }, right: paragraphs, dolma: paragraphsOfDolma },
  {
    ...{ name: 'documents', options: { by: 'document' }, none: '{}' },
    right: { 2: '[0,12,1]', 6: '[0,13,1]', 15: '[0,23,1]' },
    dolma: { 6: '[0,17,1]' },
  },
  {
    ...{ name: 'six characters or more', options: { minLength: 6 } },
    right: longer,
    dolma: { 3: '[13,20,1]', 6: '[0,14,1]', 18: '[11,22,1]' },
  },
  {
    ...{ name: 'one word or more', options: { minWords: 1 } },
    right: without(paragraphs, 7, 17),
    dolma: Object.fromEntries(Object.keys(paragraphs).map((number) => [number, ''])),
  },
  {
    ...{ name: 'three words or more', options: { minWords: 3 } },
    right: without(paragraphs, 7, 17, 18),
    dolma: Object.fromEntries(Object.keys(paragraphs).map((number) => [number, ''])),
  },
  {
    ...{ name: 'no blank paragraphs', options: { skipEmpty: true } },
    right: without(paragraphs, 7, 17),
    dolma: { ...without(paragraphsOfDolma, 17), 2: '[0,6,1],[6,11,1]' },
  },
  {
    ...{ name: 'n-grams', options: { by: 'ngram', ngram: 3, overlap: 0.5 } },
    right: {
      ...withPoints(paragraphs),
      ...{ 11: `[0,16,${2 / 3}],[16,40,${2 / 3}]`, 14: `[0,22,${2 / 3}]` },
    },
    dolma: {
      ...withPoints(paragraphsOfDolma),
      ...{ 11: '[0,16,0.6666666865348816],[16,40,0.6666666865348816]', 14: '[0,22,0.6666666865348816]' },
    },
  },
];

async function linesFor(options: Partial<PassageOptions>): Promise<string[]> {
  const folder = temporaryFolder();
  const records = texts.map((text, i) => `${JSON.stringify({ id: String(i + 1), text })}\n`);
  writeFileSync(join(folder, 'in.jsonl'), records.join(''));
  await runPassages({
    inputs: [join(folder, 'in.jsonl')],
    output: join(folder, 'out.jsonl'),
    attribute: 'dup',
    detector: { memory: '1MiB', algorithm: 'exact' },
    ...options,
  });
  return readFileSync(join(folder, 'out.jsonl'), 'utf8').trimEnd().split('\n');
}

function expected(found: Found, none = '{"dup":[]}'): string[] {
  return texts.map((text, i) => {
    const spans = found[i + 1] ?? '';
    const attributes = text === '' ? '{}' : spans === '' ? none : `{"dup":[${spans}]}`;
    return `{"attributes":${attributes},"id":"${i + 1}"}`;
  });
}

test.each(cases)('$name', async ({ options, right, none }) => {
  expect(await linesFor(options)).toEqual(expected(right, none));
});

test.each(cases)('$name, as Dolma writes them', async ({ options, right, dolma, none }) => {
  expect(await linesFor({ ...options, dolmaQuirks: true })).toEqual(expected({ ...right, ...dolma }, none));
});
