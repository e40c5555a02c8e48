// The page of a report: what it shows, that nothing in a record is markup, and the differences of texts.

import { expect, test } from 'vitest';
import { differencesOf } from '../../../../src/cli/reportpage/differences.js';
import type { ReportFacts } from '../../../../src/cli/reportpage/facts.js';
import { byFolder } from '../../../../src/cli/reportpage/figures.js';
import { escaped, html } from '../../../../src/cli/reportpage/html.js';
import { reportHtml } from '../../../../src/cli/reportpage/page.js';
import type { ReviewedRecord, RunReview } from '../../../../src/review/facts.js';
import { Random } from '../../../support/streams.js';

const SCRIPT = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>&amp;`;

function record(text: string, more: Partial<ReviewedRecord> = {}): ReviewedRecord {
  return { input: 'in/a.jsonl', number: 3, excerpt: { text, bytes: text.length, isCut: false }, ...more };
}

const review: RunReview = {
  recordName: 'document',
  inputs: [
    { name: 'in/a.jsonl', records: 10, dropped: 4, droppedAcross: 1 },
    { name: 'in/b.jsonl', records: 5, dropped: 0, droppedAcross: 0 },
    { name: 'other/c.jsonl', records: 5, dropped: 1, droppedAcross: 1 },
  ],
  similarities: {
    threshold: 0.8,
    bins: [
      { from: 0.7, to: 0.75, kept: 3, dropped: 0 },
      { from: 0.95, to: 1, kept: 0, dropped: 5 },
    ],
    withoutCandidate: 12,
    wronglyDropped: { expected: 0.5, low: 0, high: 1.9, of: 5 },
    wronglyKept: { expected: 0, low: 0, high: 0, of: 0 },
    foundAtThreshold: 0.99,
  },
  clusters: {
    clusters: [{ leastDropped: 4, first: record('the first'), member: record('a member') }],
    errorRecords: 0,
    capacity: 1000,
  },
  pairs: {
    pairs: [
      {
        kept: record('one two three'),
        dropped: record('one 2 three'),
        similarity: 0.9,
        standardError: 0.01,
        droppedCount: 4,
      },
    ],
    keptShare: 1,
    withoutKept: 0,
  },
  forgotten: { added: 15, remembered: 10, forgotten: 5, memoryBytes: 2 ** 16, sufficientBytes: 2 ** 17 },
};

const facts: ReportFacts = {
  command: 'firstseen near',
  version: '1.2.3',
  endedAt: 'Ended today.',
  counts: {
    ...{ records: 20, distinct: 15, duplicates: 5, passed: 0, dropped: 0, seconds: 1.2, memoryBytes: 2 ** 16 },
    ...{ interrupted: false, resumed: false, error: null },
  },
  summary: [['records', '20']],
  rates: [],
  isExact: false,
  review,
  messages: [],
  style: 'body { color: red }',
  icon: '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
};

test('the page shows what the run noted', () => {
  const page = reportHtml(facts);
  for (const text of [
    '5 of 20 documents (25 %) are duplicates of earlier ones.',
    '<td class="name">in/a.jsonl</td><td class="number">10</td><td class="number">4</td><td class="number">40 %</td>',
    '<td class="name">other</td>',
    'Of another input',
    '5 duplicate, 0.95 to 1.00',
    '12 documents had no band in common',
    '10 % (0 % to 38 %)',
    '0 to 1.9 of 5',
    'The counts are exact.',
    'the first',
    'one <del>two</del><ins>2</ins> three',
    'Pair 1, similarity 0.900 ± 0.010, one of 4 duplicates of it',
    '5 of 15 documents that were added: 64KiB hold the last 10 documents',
    'With --memory 128KiB, this run would have remembered all documents.',
    'The run had no warning.',
    '<style>body { color: red }</style>',
  ]) {
    expect(page).toContain(text);
  }
});

test('a table that has forgotten nothing holds all documents, however few', () => {
  const forgotten = { added: 15, remembered: 15, forgotten: 0, memoryBytes: 2 ** 16 };
  const page = reportHtml({ ...facts, review: { ...review, forgotten } });
  expect(page).toContain('Nothing: 15 documents were added, and 64KiB hold all of them.');
});

/** The facts with another text in place of each of their texts. */
function withText<Value>(value: Value, text: string): Value {
  if (typeof value === 'string') return text as Value;
  if (Array.isArray(value)) return value.map((item) => withText(item, text)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const fixed = ['recordName', 'style', 'level'];
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, fixed.includes(name) ? member : withText(member, text)]),
  ) as Value;
}

test('no text becomes markup, wherever it stands', () => {
  const messages = [{ level: 'warning', code: 'E_MISSED', message: 'm', remedy: 'r', option: 'o' }] as const;
  const rates = [{ name: 'n', rate: { estimate: 0.1, low: 0, high: 1 }, count: 10, of: 'new' }];
  const page = reportHtml(withText({ ...facts, messages, rates }, SCRIPT));
  expect(page.split('&lt;script&gt;').length).toBeGreaterThan(15);
  expect(page).not.toContain('<script');
  expect(page).not.toContain('<img src=x');
  const tags = (text: string) => text.match(/<[a-z!/][^\s>]*/g)?.length;
  const harmless = reportHtml(withText({ ...facts, messages, rates }, 'plain text of some words'));
  const [count, harmlessCount] = [page, harmless].map(tags);
  expect(count).toBe(harmlessCount);
});

test('the page needs no script and no request', () => {
  const page = reportHtml(facts);
  expect(page.replaceAll('&#39;', "'")).toContain(
    `content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`,
  );
  expect(page).not.toMatch(/<script|<link[^>]*stylesheet|@import|url\(/);
  expect([...page.matchAll(/(?:src|href)="([^":]+:)/g)].map(([, scheme]) => scheme)).toEqual(['data:', 'data:']);
});

test('markup is escaped once, and control characters are shown', () => {
  expect(html`<p>${'<a>'}${html`<b>${'&'}</b>`}${[1, 'x"']}${undefined}${false}</p>`.markup).toBe(
    '<p>&lt;a&gt;<b>&amp;</b>1x&quot;</p>',
  );
  expect(escaped('a\0b\x1bc\n\td\u202ee')).toBe('a\u2400b\u241bc\n\td\ufffde');
});

test('a page about a run that did not begin says why', () => {
  const ending = { level: 'error', code: 'E_INPUT', message: 'cannot read in: it does not exist' } as const;
  const page = reportHtml({ ...facts, counts: undefined, review: undefined, summary: [], messages: [ending] });
  expect(page).toContain('The run did not begin.');
  expect(page).toContain('<span class="tone">Error:</span> cannot read in: it does not exist');
});

test('a stopped run, a failed one and one that was continued say what the report covers', () => {
  const counts = { ...facts.counts, interrupted: true, resumed: true, error: 'E_RECORD' } as ReportFacts['counts'];
  const page = reportHtml({ ...facts, counts });
  expect(page).toContain('The run failed with E_RECORD: the report covers what was read before.');
  expect(page).toContain('The run was stopped before the end of its input');
  expect(page).toContain('The run continued an earlier one: the report covers only what it did itself.');
});

test('what is not held is told', () => {
  const pairs = { pairs: [{ kept: {}, dropped: record('lost') }], keptShare: 1 / 8, withoutKept: 1 };
  const clusters = {
    clusters: [{ leastDropped: 2, first: { input: 'x' }, member: record('m') }],
    errorRecords: 7,
    capacity: 9,
  };
  const page = reportHtml({ ...facts, review: { ...review, pairs, clusters } });
  expect(page).toContain('from before this run, or no longer held');
  expect(page).toContain('The text of the kept one is not held, so nothing is marked in the duplicate.');
  expect(page).toContain('each count may be up to 7 too low, and no cluster that is missing here has more than 7');
  expect(page).toContain('The text of the first is no longer held. One of its duplicates:');
});

test('inputs are summed by folder', () => {
  expect(byFolder(review.inputs)).toEqual([
    { name: 'in', records: 15, dropped: 4, droppedAcross: 1 },
    { name: 'other', records: 5, dropped: 1, droppedAcross: 1 },
  ]);
});

function changed(words: readonly string[], random: Random): string[] {
  return words.flatMap((word) => {
    const draw = random.below(10);
    if (draw === 0) return [];
    return draw === 1 ? [word, `new${random.below(5)}`] : [word];
  });
}

test('the differences of two texts are all of both, and few', () => {
  const random = new Random(11);
  for (let round = 0; round < 200; round++) {
    const words = Array.from({ length: random.below(60) }, () => `w${random.below(8)}`);
    const [first, second] = [words.join(' '), changed(words, random).join(' ')];
    const parts = differencesOf(first, second);
    const without = (kind: 'first' | 'second') => parts.filter((part) => part.kind !== kind).map(({ text }) => text);
    expect(without('second').join('')).toBe(first);
    expect(without('first').join('')).toBe(second);
    for (const [i, { kind }] of parts.entries()) expect(kind).not.toBe(parts[i + 1]?.kind);
  }
  expect(differencesOf('a b c', 'a x c')).toEqual([
    { kind: 'both', text: 'a ' },
    { kind: 'first', text: 'b' },
    { kind: 'second', text: 'x' },
    { kind: 'both', text: ' c' },
  ]);
  expect(differencesOf('', '')).toEqual([]);
});

test('texts that have little in common are told apart as a whole', () => {
  const text = (letter: string) => Array.from({ length: 3000 }, (_, i) => `${letter}${i}`).join(' ');
  const parts = differencesOf(`same ${text('a')} end`, `same ${text('b')} end`);
  expect(parts.map(({ kind }) => kind)).toEqual(['both', 'first', 'second', 'both']);
});
