// Test items in texts: as a part of them, in capitals, with other signs, over several lines, and what is written of them.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { summaryText } from '../../../../src/cli/summary.js';
import { matchOf, withMargins } from '../../../../src/jobs/passages/items/match.js';
import type { PassageOptions } from '../../../../src/jobs/passages/passageoptions.js';
import { runPassages } from '../../../../src/jobs/passages/run.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { drawWords } from '../../../support/documents.js';
import { Random } from '../../../support/streams.js';

let folder = '';
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = temporaryFolder();
});

const question = 'What is the name of the river that flows through Vienna and Budapest?';
const other = 'How many moons has the planet Mars, which are named Phobos and Deimos, in all?';
const items = [
  { id: 't1', text: question },
  { id: 2, text: other },
];

function write(name: string, records: readonly unknown[]): string {
  writeFileSync(at(name), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return at(name);
}

async function run(texts: readonly string[], own: Partial<PassageOptions> = {}, tested: readonly unknown[] = items) {
  const input = write(
    'crawl.jsonl',
    texts.map((text, id) => ({ id, text })),
  );
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => void warnings.push(message);
  const against = own.against ?? [write('tests.jsonl', tested)];
  const stats = await runPassages({ inputs: [input], output: at('out'), onWarning, ...own, against });
  const lines = readFileSync(at('out'), 'utf8').split('\n').filter(Boolean);
  return { stats, warnings, records: lines.map((line) => JSON.parse(line)) };
}

async function itemsIn(text: string, own: Partial<PassageOptions> = {}, tested: readonly unknown[] = items) {
  const { records } = await run([text], own, tested);
  return records[0].items;
}

const filler = drawWords(400, new Random(4)).join(' ');

describe('an item is found', () => {
  const forms = {
    alone: question,
    'within a longer paragraph': `${filler} ${question} ${filler}`,
    'in capitals': question.toUpperCase(),
    'with a comma': question.replace('river', 'river,'),
    'with other quotes': `»${question.replace('name', '“name”')}«`,
    'wrapped at 35 characters': question.replace(/(.{25,35}) /g, '$1\n'),
    'wrapped as in DOS': question.replaceAll(' ', '\r\n'),
    'with blanks between words': question.replaceAll(' ', ' \u00a0\t'),
    'with soft hyphens': question.replaceAll('e', 'e\u00ad'),
  };

  test('in each form', async () => {
    const texts = Object.values(forms);
    const { records } = await run(texts);
    const itemsOf = Object.fromEntries(Object.keys(forms).map((form, i) => [form, records[i].items]));
    expect(itemsOf).toEqual(Object.fromEntries(Object.keys(forms).map((form) => [form, [['t1', 1]]])));
    const without = await run([...texts, 'a page'], { emit: 'documents' });
    expect(without.records).toEqual([{ id: texts.length, text: 'a page' }]);
  });

  test.each([
    [
      'apostrophes',
      "don't ask the one who can't know it's not the way they'd do",
      'dont ask the one who cant know its not the way theyd do',
    ],
    ['hyphens at both ends', 'a-b c-d e-f g-h i-j k-l m-n', 'a b c d e f g h i j k l m n'],
    [
      'umlauts',
      'ÄÖÜ eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf',
      'äöü eins zwei drei vier FÜNF sechs sieben acht neun zehn elf ZWÖLF',
    ],
    ['Chinese', '多瑙河流经维也纳和布达佩斯等城市', '请问：多瑙河流经\n维也纳和布达佩斯、等城市。'],
  ])('whose %s differ', async (_, item, text) => {
    expect(await itemsIn(text, {}, [{ id: 'x', text: item }])).toEqual([['x', 1]]);
  });

  test('in a text of many words and n-grams', async () => {
    const long = Array.from({ length: 30 }, () => `${filler} ${question}`).join('\n');
    expect(await itemsIn(`${long} ${other}`)).toEqual([
      ['t1', 1],
      [2, 1],
    ]);
    const [item] = await itemsIn(long, {}, [{ id: 'long', text: long }]);
    expect(item).toEqual(['long', 1]);
  });
});

test('half of an item is found unless a larger share is asked for', async () => {
  const text = `${filler} ${question.split(' ').slice(0, 10).join(' ')} ${filler}`;
  expect(await itemsIn(text)).toEqual([]);
  expect(await itemsIn(text, { ngram: 8 })).toEqual([['t1', 3 / 6]]);
  expect(await itemsIn(text, { ngram: 8, itemShare: 0.5 })).toEqual([['t1', 3 / 6]]);
  expect(await itemsIn(text, { ngram: 8, itemShare: 0.51 })).toEqual([]);
  expect((await run([text], { ngram: 8, itemShare: 0.51, emit: 'documents' })).records).toHaveLength(1);
});

test('spans have the n-grams and the share of the item, and the counts are told', async () => {
  const text = `Ünlike this: ${question} Yes.`;
  const { records, stats } = await run([text, 'nothing', ''], {});
  expect(records).toEqual([
    { attributes: { duplicates: [[13, 13 + question.length - 1, 1]] }, id: 0, items: [['t1', 1]] },
    { attributes: { duplicates: [] }, id: 1, items: [] },
    { attributes: {}, id: 2, items: [] },
  ]);
  expect(stats.passages.items).toEqual({ items: 2, found: 1, leftOut: 0 });
  expect(summaryText(stats)).toMatch(/items +2, 1 found/);
});

describe('rewritten records', () => {
  const text = `${'a'.repeat(9)}é ${question} ${'z'.repeat(10)}`;

  test.each([
    [0, `${'a'.repeat(9)}é ? ${'z'.repeat(10)}`],
    [3, `${'a'.repeat(8)}${'z'.repeat(9)}`],
    [12, ''],
  ])('are without n-grams and %d characters on either side', async (margin, left) => {
    const { records } = await run([text, 'b'], { emit: 'rewritten', margin });
    expect(records).toEqual([...(left === '' ? [] : [{ id: 0, text: left }]), { id: 1, text: 'b' }]);
  });
});

test('items with few words are left out and told, or looked for as a whole', async () => {
  const short = [...items, { id: 'capital', text: 'The capital of Peru is Lima' }, { id: 'yes', text: 'Yes' }];
  const text = `They say the capital of Peru is LIMA. ${question}`;
  const { records, warnings, stats } = await run([text], {}, short);
  expect(records[0].items).toEqual([['t1', 1]]);
  expect(warnings).toEqual([
    '2 of 4 items have fewer than 13 words, and are not looked for; give minWords to look for shorter items as a whole, or a smaller ngram',
  ]);
  expect(stats.passages.items).toEqual({ items: 4, found: 1, leftOut: 2 });
  const whole = await run([text], { minWords: 5 }, short);
  expect(whole.records[0].items).toEqual([
    ['t1', 1],
    ['capital', 1],
  ]);
  expect(whole.warnings).toHaveLength(1);
});

test('items have keys of their own, and numbers without names', async () => {
  const own = { itemTextKey: 'question', itemIdKey: 'key' };
  expect(await itemsIn(question, own, [{ key: 7, question }])).toEqual([[7, 1]]);
  expect(await itemsIn(question, { itemTextKey: 'question' }, [{ question: 'x' }, { question }])).toEqual([[2, 1]]);
  await expect(run(['x'], own, [{ question }])).rejects.toThrow(/the item has no name at key/);
  await expect(run(['x'], own, [{ key: 1, text: question }])).rejects.toThrow(
    /correct the item, itemTextKey or itemIdKey/,
  );
  writeFileSync(at('tests.csv'), `nr,q\n5,"${question}"\n`);
  const table = { against: [at('tests.csv')], itemTextKey: 'q' };
  expect(await itemsIn(question, table)).toEqual([[1, 1]]);
  expect(await itemsIn(question, { ...table, itemIdKey: 'nr' })).toEqual([['5', 1]]);
});

test('items of several files are found, and the same n-gram in several items', async () => {
  const [one, two] = [write('a.jsonl', items), write('b.jsonl', [{ id: 'again', text: question.toLowerCase() }])];
  expect(await itemsIn(question, { against: [one, two] })).toEqual([
    ['t1', 1],
    ['again', 1],
  ]);
});

test.each<[Partial<PassageOptions>, RegExp]>([
  [{ by: 'ngram' }, /by has no effect with against/],
  [{ overlap: 0.5 }, /overlap has no effect with against/],
  [{ state: 'x' }, /state has no effect with against/],
  [{ detector: { memory: '1MiB' } }, /memory has no effect with against/],
  [{ margin: 3 }, /margin has no effect with emit spans/],
  [{ itemShare: 2 }, /itemShare is 2/],
])('%j is refused', async (own, message) => {
  await expect(run(['a'], own)).rejects.toThrow(message);
});

test('options of items require items', async () => {
  const input = write('crawl.jsonl', []);
  await expect(runPassages({ inputs: [input], itemShare: 0.5 })).rejects.toThrow(/itemShare requires against/);
});

test('parts are joined where they overlap, also by their margins', () => {
  const hit = (number: number, startByte: number, endByte: number) => ({ number, startByte, endByte });
  const ngrams = { itemsOf: [[0], [0], [1]], counts: [4, 1] };
  const { items: matched, parts } = matchOf([hit(1, 0, 6), hit(2, 4, 8), hit(3, 20, 26)], ngrams, 0);
  expect(matched).toEqual([
    { item: 0, share: 0.5 },
    { item: 1, share: 1 },
  ]);
  expect(parts).toEqual([
    { startByte: 0, endByte: 8, share: 0.5 },
    { startByte: 20, endByte: 26, share: 1 },
  ]);
  expect(withMargins(Buffer.from('é'.repeat(20)), parts, { characters: 3, hasBoundaries: false })).toEqual([
    { startByte: 0, endByte: 32, share: 1 },
  ]);
});
