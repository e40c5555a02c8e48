// Runs over passages: against the twin, and what is written, counted and kept.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PassageOptions, PassageStats } from '../../../../src/jobs/passages/passageoptions.js';
import { runPassages } from '../../../../src/jobs/passages/run.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { PassageTwin, type PassageTwinOptions, wordsOf } from '../../../reference/passages.js';
import { inLongForm } from '../../../support/form.js';
import { stopAfter } from '../../../support/signals.js';
import { Random } from '../../../support/streams.js';

const exact = { memory: '8MiB', algorithm: 'exact' } as const;

let folder = '';
const at = (name: string) => join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
});

interface Ran {
  stats: PassageStats;
  lines: string[];
}

async function run(own: Partial<PassageOptions> = {}): Promise<Ran> {
  const output = own.output ?? at('out');
  const stats = await runPassages({ inputs: [at('in.jsonl')], detector: exact, ...own, output });
  return { stats, lines: readFileSync(output, 'utf8').trimEnd().split('\n').filter(Boolean) };
}

function writeRecords(records: readonly unknown[], name = 'in.jsonl'): void {
  writeFileSync(at(name), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}

function writeTexts(texts: readonly string[], name?: string): void {
  writeRecords(
    texts.map((text, id) => ({ id, text })),
    name,
  );
}

/** Pieces of texts: letters, digits and signs of one to four bytes, blanks, and characters that JSON escapes. */
const pieces = [
  ...[
    'a',
    'b',
    'word',
    'Word',
    'x1',
    '7',
    '3.14',
    '1,000',
    "don't",
    'it’s',
    'a.b',
    'a:b',
    '1:2',
    '.',
    ',',
    '!',
    '-',
    '_',
  ],
  ...[
    ' ',
    ' ',
    ' ',
    ' ',
    '\t',
    '\u00a0',
    '\u2003',
    '\u3000',
    '\r',
    '"',
    '\\',
    '/',
    '\u0001',
    'é',
    'ß',
    '×',
    '漢',
    '字',
    'の',
    'カ',
    '😀',
    '𝒳',
  ],
  ...['。', '“', '”', '—', '…', '٣', 'ж', '한글'],
];

function randomText(random: Random, separator: string): string {
  const paragraph = () => Array.from({ length: random.below(7) }, () => pieces[random.below(pieces.length)]).join('');
  return Array.from({ length: random.below(6) }, paragraph).join(separator);
}

const twinCases: (readonly [PassageTwinOptions])[] = [
  [{ by: 'paragraph' }],
  [{ by: 'paragraph', separator: '\n\n' }],
  [{ by: 'paragraph', separator: '漢' }],
  [{ by: 'paragraph', minLength: 3, minWords: 2 }],
  [{ by: 'line', skipEmpty: true }],
  [{ by: 'document' }],
  [{ by: 'ngram', ngram: 2, overlap: 0.5 }],
  [{ by: 'ngram', ngram: 3, overlap: 1, minWords: 3 }],
];

describe.each(twinCases)('%o', (options) => {
  test('finds what the twin finds', async () => {
    const random = new Random(5);
    const texts = Array.from({ length: inLongForm(3000, 1000) }, () => randomText(random, options.separator ?? '\n'));
    writeTexts(texts);
    const { lines } = await run(options);
    const twin = new PassageTwin(options);
    const found = lines.map((line) => JSON.parse(line).attributes.duplicates ?? []);
    const wanted = texts.map((text) => twin.find(text));
    expect(found).toEqual(wanted);
    expect(wanted.flat().length).toBeGreaterThan(inLongForm(50, 10));
  });
});

test.each([
  ['marks belong to the letter before them', 'cafe\u0301 na\u0308h\u200d ok', ['cafe\u0301', 'na\u0308h\u200d', 'ok']],
  ['Hindi', 'यह एक वाक्य है।', ['यह', 'एक', 'वाक्य', 'है', '।']],
  ['Arabic', 'نعم، هذا', ['نعم', '،', 'هذا']],
  ['Thai', 'ภาษา', ['ภ', 'า', 'ษ', 'า']],
  ['Japanese', 'カナ漢字。', ['カ', 'ナ', '漢', '字', '。']],
])('the words of the twin: %s', (_, text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test('n-grams are of the words of the twin in all scripts', async () => {
  const random = new Random(6);
  const starts = [
    0x20, 0x300, 0x590, 0x900, 0xe00, 0x1100, 0x2000, 0x2600, 0x3000, 0x4e00, 0xac00, 0xff00, 0x1f600, 0x20000, 0xe0100,
  ];
  const character = () => String.fromCodePoint((starts[random.below(starts.length)] as number) + random.below(96));
  const paragraphs = Array.from({ length: 300 }, () => Array.from({ length: 12 }, character).join(''));
  const texts = Array.from({ length: inLongForm(2000, 800) }, () => {
    const [one, other] = [paragraphs[random.below(300)], paragraphs[random.below(300)]] as [string, string];
    return one.slice(random.below(3)) + other;
  });
  writeTexts(texts);
  const { lines } = await run({ by: 'ngram', ngram: 2, overlap: 0.3 });
  const twin = new PassageTwin({ by: 'ngram', ngram: 2, overlap: 0.3 });
  const wanted = texts.map((text) => twin.find(text));
  expect(lines.map((line) => JSON.parse(line).attributes.duplicates ?? [])).toEqual(wanted);
  expect(wanted.flat().length).toBeGreaterThan(inLongForm(50, 10));
});

test('a paragraph of more n-grams than a batch holds is taken whole', async () => {
  const long = Array.from({ length: 40_000 }, (_, i) => `w${i}`).join(' ');
  writeTexts([long, `${long} more`, 'x']);
  const { lines } = await run({ by: 'ngram', ngram: 5, overlap: 0.9 });
  expect(lines.map((line) => JSON.parse(line).attributes.duplicates.length)).toEqual([0, 1, 0]);
});

test('a text of more paragraphs than a batch holds is taken whole', async () => {
  const long = Array.from({ length: 40_000 }, (_, i) => `${i}`).join('\n');
  writeTexts([long, long]);
  const { lines, stats } = await run();
  expect(JSON.parse(lines[1] as string).attributes.duplicates).toHaveLength(40_000);
  expect(stats.passages).toMatchObject({ documents: 2, documentsWithSeen: 1, passages: 80_000, seen: 40_000 });
});

test('a name of any kind is written as it is', async () => {
  writeFileSync(
    at('in.jsonl'),
    '{"text":"a","id":1.50}\n{"id":"\\u00e9é","text":"b"}\n{"text":"a","n":{"id":{"x":[1]}},"id":null}\n',
  );
  const { lines } = await run({ attribute: 'ü"' });
  expect(lines).toEqual([
    '{"attributes":{"ü\\"":[]},"id":1.50}',
    '{"attributes":{"ü\\"":[]},"id":"\\u00e9é"}',
    '{"attributes":{"ü\\"":[[0,1,1]]},"id":null}',
  ]);
});

describe('rewritten records', () => {
  const rewritten = { emit: 'rewritten' } as const;

  test('keep every byte but those of seen passages', async () => {
    writeFileSync(
      at('in.jsonl'),
      [
        '{"id":1,"text":"one\\ntwo"}',
        String.raw`{ "a" : "\u0041", "text" : "\u00e9 \ud83d\ude00 \"x\"\ntwo\n\\ é\/", "z":1 }`,
        '{"text":"one\\ntwo","id":3}',
        '{"text":"three","id":4}',
        '',
      ].join('\n'),
    );
    const { lines, stats } = await run(rewritten);
    expect(lines).toEqual([
      '{"id":1,"text":"one\\ntwo"}',
      String.raw`{ "a" : "\u0041", "text" : "\u00e9 \ud83d\ude00 \"x\"\n\\ é\/", "z":1 }`,
      '{"text":"three","id":4}',
    ]);
    expect(stats.passages).toMatchObject({ documents: 4, documentsDropped: 1, seen: 3, seenCharacters: 4 + 7 });
    expect(stats).toMatchObject({ records: 4, duplicates: 1, distinct: 3 });
  });

  test('have the text that the twin leaves', async () => {
    const random = new Random(6);
    const texts = Array.from({ length: inLongForm(2000, 800) }, () => randomText(random, '\n'));
    const escaped = (text: string) =>
      JSON.stringify(text).replace(/[^ -.0-~]/g, (unit) =>
        unit === '/' ? '\\/' : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    writeFileSync(
      at('in.jsonl'),
      texts.map((text, i) => `{"text":${i % 2 ? escaped(text) : JSON.stringify(text)}}\n`).join(''),
    );
    const { lines } = await run({ ...rewritten, minDocument: 0 });
    const twin = new PassageTwin({ by: 'paragraph' });
    const left = texts.map((text) => {
      const characters = [...text];
      for (const [start, end] of twin.find(text).reverse()) characters.splice(start, end - start);
      return characters.join('');
    });
    expect(lines.map((line) => JSON.parse(line).text)).toEqual(left);
  });

  test('are without thousands of passages each, also if another record follows on the line', async () => {
    const lines = (id: number) => Array.from({ length: 10_000 }, (_, i) => `Menu\n${id}.${i} "é"`).join('\n');
    const records = [0, 1].map((id) => JSON.stringify({ text: lines(id), id }));
    writeFileSync(at('in.jsonl'), `${records.join(' ')}\n`);
    const { lines: written } = await run(rewritten);
    const kept = (id: number) => Array.from({ length: 10_000 }, (_, i) => `${id}.${i} "é"`).join('\n');
    expect(written.map((line) => JSON.parse(line))).toEqual([
      { text: `Menu\n${kept(0)}`, id: 0 },
      { text: kept(1), id: 1 },
    ]);
  });

  test('are dropped below a length, and go to the duplicates as they came', async () => {
    writeTexts(['aaaa\nbbbb', 'aaaa\nbb', 'c']);
    const { lines } = await run({ ...rewritten, minDocument: 3, duplicatesTo: at('dropped') });
    expect(lines.map((line) => JSON.parse(line).id)).toEqual([0]);
    expect(readFileSync(at('dropped'), 'utf8')).toBe('{"id":1,"text":"aaaa\\nbb"}\n{"id":2,"text":"c"}\n');
  });
});

test('documents are dropped from a share on', async () => {
  writeTexts(['aaaa\nbbbb', 'aaaa\ncccc', 'aaaa\nc', 'aaaa\nbbbb', '']);
  const { lines } = await run({ emit: 'documents', documentShare: 0.6 });
  expect(lines.map((line) => JSON.parse(line).id)).toEqual([0, 1, 4]);
});

describe('records without a text', () => {
  const records = [
    { id: 1, text: 'a' },
    { id: 2 },
    { id: 3, text: 7 },
    { id: 4, text: null },
    { text: 'a' },
    { id: 6, text: 'a' },
  ];

  test.each([
    [1, 'line 1'],
    [2, 'text'],
    [3, 'text'],
    [4, 'name at id'],
  ])('end the run: record %i', async (index, problem) => {
    writeRecords([records[index]]);
    const failed = run();
    await expect(failed).rejects.toMatchObject({ code: 'E_KEY_MISSING' });
    await expect(failed).rejects.toThrow(problem);
  });

  test('are written unchecked, or left out, if that is asked for', async () => {
    writeRecords(records);
    const passed = await run({ missingKey: 'distinct' });
    expect(passed.lines).toEqual([
      '{"attributes":{"duplicates":[]},"id":1}',
      '{"attributes":{},"id":2}',
      '{"attributes":{},"id":3}',
      '{"attributes":{},"id":4}',
      '{"attributes":{},"id":null}',
      '{"attributes":{"duplicates":[[0,1,1]]},"id":6}',
    ]);
    expect(passed.stats).toMatchObject({ records: 6, missingKey: 4, passed: 4 });
    const dropped = await run({ missingKey: 'drop' });
    expect(dropped.lines).toHaveLength(2);
    expect(dropped.stats).toMatchObject({ records: 6, missingKey: 4, dropped: 4 });
  });

  test('records that are not JSON follow the policy of errors', async () => {
    writeFileSync(at('in.jsonl'), 'no\n{"id":1,"text":"a"}\n');
    await expect(run()).rejects.toMatchObject({ code: 'E_RECORD' });
    expect((await run({ onError: 'drop' })).stats).toMatchObject({ invalid: 1, dropped: 1 });
  });
});

describe('a state', () => {
  const ngrams = { by: 'ngram', ngram: 3, overlap: 0.5, state: '' } as const;

  test('of test sets is asked by many runs and stays as it is', async () => {
    writeTexts(['the answer to all questions is forty two'], 'tests.jsonl');
    writeTexts(['he says the answer to all questions is wrong', 'nothing of it here at all', 'x y z w', 'x y z w']);
    const state = at('tests.state');
    await run({ ...ngrams, state, inputs: [at('tests.jsonl')], output: at('tests.out') });
    const saved = readFileSync(state);
    for (const _ of [1, 2]) {
      const { lines } = await run({ ...ngrams, state, isReadOnly: true, emit: 'documents', documentShare: 0.5 });
      expect(lines.map((line) => JSON.parse(line).id)).toEqual([1, 2, 3]);
    }
    expect(readFileSync(state)).toEqual(saved);
    await expect(run({ ...ngrams, ngram: 4, state, isReadOnly: true })).rejects.toMatchObject({
      code: 'E_STATE_DIFFERS',
      message: expect.stringContaining('ngram is 3 in the state, not 4'),
    });
  });

  test('continues where a run stopped', async () => {
    // Several batches of texts.
    const DOCUMENTS = inLongForm(40_000, 26_000);
    const random = new Random(7);
    writeTexts(Array.from({ length: DOCUMENTS }, () => randomText(random, '\n')));
    const { lines } = await run();
    const first = await run({ state: at('state'), output: at('parts'), signal: stopAfter(2) });
    expect(first.stats.interrupted).toBe(true);
    const second = await run({ state: at('state'), output: at('parts') });
    expect(second.stats.resumed).toBe(true);
    expect(readFileSync(at('parts'), 'utf8').trimEnd().split('\n')).toEqual(lines);
    expect(first.stats.passages.documents + second.stats.passages.documents).toBe(DOCUMENTS);
  });

  test('of another job is refused', async () => {
    writeTexts(['a']);
    await run({ state: at('state') });
    await expect(run({ by: 'document', state: at('state') })).rejects.toMatchObject({ code: 'E_STATE_DIFFERS' });
  });
});

test('a detector that is full ends the run before the text that does not fit', async () => {
  writeTexts(Array.from({ length: 9000 }, (_, i) => `${i}a\n${i}b`));
  const failed = run({ detector: { memory: '64KiB', algorithm: 'exact' } });
  await expect(failed).rejects.toMatchObject({ code: 'E_FULL' });
  const written = readFileSync(at('out'), 'utf8').trimEnd().split('\n').length;
  expect(written).toBeGreaterThan(1000);
  expect(written).toBeLessThan(8192);
});

test('the texts before the one that does not fit have their spans', async () => {
  writeTexts(Array.from({ length: 9000 }, (_, i) => `${i}a\nMenu`));
  const failed = run({ detector: { memory: '32KiB', algorithm: 'exact' } });
  await expect(failed).rejects.toMatchObject({ code: 'E_FULL' });
  const [first, ...others] = readFileSync(at('out'), 'utf8').trimEnd().split('\n');
  expect(JSON.parse(first as string).attributes.duplicates).toEqual([]);
  expect(others.length).toBeGreaterThan(1000);
  expect(others.every((line) => JSON.parse(line).attributes.duplicates.length === 1)).toBe(true);
});

test('a secret changes which passages collide, and nothing else', async () => {
  writeFileSync(at('secret'), '00112233445566778899aabbccddeeff\n', { mode: 0o600 });
  writeTexts(['a\nb', 'b\nc']);
  const { lines } = await run({ secretFile: at('secret') });
  expect(lines.map((line) => JSON.parse(line).attributes.duplicates)).toEqual([[], [[0, 2, 1]]]);
});

test('several inputs are one stream, compressed or not', async () => {
  writeTexts(['a\nb'], 'one.jsonl');
  writeFileSync(at('two.jsonl.gz'), gzipSync('{"id":"z","text":"b"}\n'));
  const { lines } = await run({ inputs: [at('one.jsonl'), at('two.jsonl.gz')] });
  expect(lines[1]).toBe('{"attributes":{"duplicates":[[0,1,1]]},"id":"z"}');
});

describe('is refused', () => {
  test.each<[string, keyof PassageOptions, Partial<PassageOptions>]>([
    ['E_USAGE', 'separator', { by: 'line', separator: 'x' }],
    ['E_USAGE', 'ngram', { ngram: 5 }],
    ['E_USAGE', 'overlap', { overlap: 0.5 }],
    ['E_USAGE', 'attribute', { emit: 'documents', attribute: 'x' }],
    ['E_USAGE', 'dolmaQuirks', { emit: 'rewritten', dolmaQuirks: true }],
    ['E_USAGE', 'minDocument', { minDocument: 5 }],
    ['E_USAGE', 'documentShare', { documentShare: 0.5 }],
    ['E_USAGE', 'duplicatesTo', { duplicatesTo: 'x' }],
    ['E_USAGE', 'separator', { separator: '' }],
    ['E_PARAMETER', 'ngram', { by: 'ngram', ngram: 1 }],
    ['E_PARAMETER', 'overlap', { by: 'ngram', overlap: 1.5 }],
    ['E_PARAMETER', 'minLength', { minLength: -1 }],
    ['E_USAGE', 'format', { inputs: ['a.u64'] }],
    ['E_USAGE', 'format', { inputs: ['a.csv', 'b.jsonl'] }],
    ['E_USAGE', 'format', { format: 'lines' }],
    ['E_USAGE', 'emit', { format: 'tsv', emit: 'rewritten' }],
    ['E_USAGE', 'emit', { emit: 'distinct' as 'spans' }],
  ])('%s for %s in %o', async (code, option, options) => {
    writeTexts(['a']);
    await expect(run(options)).rejects.toMatchObject({ code, data: { details: { option } } });
  });
});

test('spans are compressed at level 4 of gzip, and records at its default', async () => {
  const random = new Random(31);
  writeTexts(Array.from({ length: 300 }, () => Array.from({ length: 12 }, () => random.below(2000)).join('\n')));
  for (const [emit, level] of [
    ['spans', 4],
    ['rewritten', 6],
  ] as const) {
    await run({ emit, output: at(`${emit}.gz`) });
    const stored = readFileSync(at(`${emit}.gz`));
    expect(stored.equals(gzipSync(gunzipSync(stored), { level }))).toBe(true);
    expect(stored.equals(gzipSync(gunzipSync(stored), { level: level === 4 ? 6 : 4 }))).toBe(false);
  }
});
