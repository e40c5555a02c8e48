// Passages of records with several texts: none goes from one text into the next, and each text is rewritten where it is.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PassageOptions } from '../../../../src/jobs/passages/passageoptions.js';
import { runPassages } from '../../../../src/jobs/passages/run.js';
import { temporaryFolder } from '../../../cli/support/command.js';

let folder = '';

beforeEach(() => {
  folder = temporaryFolder();
});

const linesOf = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

async function written(content: string, own: Partial<PassageOptions>, name = 'in.jsonl'): Promise<string[]> {
  const [input, output] = [join(folder, name), join(folder, 'out')];
  writeFileSync(input, content);
  const detector = own.against ? {} : { detector: { memory: '1MiB', algorithm: 'exact' } as const };
  await runPassages({ inputs: [input], output, threads: 1, ...detector, ...own });
  return readFileSync(output, 'utf8').split('\n').filter(Boolean);
}

const line = (id: number, ...spans: readonly string[]) => `{"attributes":{"duplicates":[${spans.join()}]},"id":${id}}`;

const pages = [
  { id: 1, title: 'Menu', body: 'One page.\nMenu' },
  { id: 2, body: 'Another page.\nMenu', title: 'Ménu' },
  { id: 3, title: 'Menu\nNew', body: 'One page.' },
];

test('places are those of the texts one after the other, in the order of the options', async () => {
  expect(await written(linesOf(pages), { textKey: ['title', 'body'] })).toEqual([
    line(1, '[15,19,1]'),
    line(2, '[19,23,1]'),
    line(3, '[0,5,1]', '[9,18,1]'),
  ]);
  expect(await written(linesOf(pages), { textKey: ['body', 'title'] })).toEqual([
    line(1, '[15,19,1]'),
    line(2, '[14,19,1]'),
    line(3, '[0,10,1]', '[10,15,1]'),
  ]);
});

test.each([
  ['paragraph', { by: 'paragraph', separator: '--' }],
  ['ngram', { by: 'ngram', ngram: 2, separator: '--' }],
  ['line', { by: 'line' }],
  ['document', { by: 'document' }],
] as const)('by %s, texts that are divided otherwise are others', async (_, own) => {
  const records = [
    { id: 1, title: 'one two', body: 'three four' },
    { id: 2, title: 'one two three', body: 'four' },
    { id: 3, title: 'one two', body: 'three four' },
  ];
  const stats = await written(linesOf(records), { ...own, textKey: ['title', 'body'] });
  const counts = stats.map((text) => text.split(/,1(?:\.0)?\]/).length - 1);
  expect(counts[1]).toBe(0);
  expect(counts[2]).toBeGreaterThan(0);
});

test('each text is rewritten where it is, and all else stays', async () => {
  const lines = [
    '{"id":1,"title":"Menu","body":"One \\"page\\".\\nMenu"}\n',
    '{ "body" : "On\\u0065 \\"page\\".\\nOther \\u00e9\\nMen\\u0075" , "id":2, "title":"M\\u0065nu" }\n',
    '{"id":3,"title":"New","x":"Menu","body":"New"}\n',
  ];
  const own = { textKey: ['title', 'body'], emit: 'rewritten' } as const;
  expect(await written(lines.join(''), own)).toEqual([
    '{"id":1,"title":"Menu","body":"One \\"page\\".\\n"}',
    '{ "body" : "Other \\u00e9\\n" , "id":2, "title":"" }',
    '{"id":3,"title":"New","x":"Menu","body":""}',
  ]);
});

describe('the texts of all items of an array', () => {
  const chat = (id: number, ...contents: readonly unknown[]) => ({
    id,
    messages: contents.map((content) => ({ role: 'user', content })),
  });
  const textKey = 'messages[*].content';

  test('are rewritten one by one', async () => {
    const records = [chat(1, 'Hello.', 'What?'), chat(2, 'Hello.', null, 'New', 'What?\nHello.'), chat(3, 'What?')];
    expect(await written(linesOf(records), { textKey, emit: 'rewritten' })).toEqual([
      JSON.stringify(records[0]),
      JSON.stringify(chat(2, '', null, 'New', '')),
    ]);
  });

  test('are many', async () => {
    const contents = Array.from({ length: 5000 }, (_, i) => `text ${i % 4000}`);
    const [rewritten] = await written(linesOf([chat(1, ...contents)]), { textKey, emit: 'rewritten' });
    expect(rewritten).toBe(JSON.stringify(chat(1, ...contents.map((text, i) => (i < 4000 ? text : '')))));
  });

  test('must be strings', async () => {
    const parts = [{ type: 'text', text: 'Hello.' }];
    await expect(written(linesOf([chat(1, 'x', parts)]), { textKey })).rejects.toThrow(
      /the record has no text at messages\[\*\]\.content, but another value/,
    );
    await expect(written(linesOf([chat(1, null)]), { textKey })).rejects.toThrow(/has no text at/);
    await expect(written(linesOf([chat(1)]), { textKey })).rejects.toThrow(/has no key/);
  });

  test('threads find the same', async () => {
    const records = Array.from({ length: 200 }, (_, i) => chat(i, `text ${i % 50}\nmore ${i}`, `text ${i % 30}`));
    const alone = await written(linesOf(records), { textKey });
    expect(await written(linesOf(records), { textKey, threads: 3 })).toEqual(alone);
    expect(alone[60]).toBe(line(60, '[0,8,1]', '[16,22,1]'));
  });
});

test('columns of a table', async () => {
  const rows = 'id,title,body\n1,Menu,"One page.\nMenu"\n2,Menu,Last\n';
  expect(await written(rows, { textKey: ['title', 'body'] }, 'in.csv')).toEqual([
    '{"attributes":{"duplicates":[[15,19,1]]},"id":"1"}',
    '{"attributes":{"duplicates":[[0,5,1]]},"id":"2"}',
  ]);
});

test('n-grams and margins of test items end with a text', async () => {
  const items = join(folder, 'items.jsonl');
  writeFileSync(items, linesOf([{ id: 't', question: 'one two three four', answer: 'five six' }]));
  const own = { against: [items], itemTextKey: ['question', 'answer'], ngram: 3, textKey: ['a', 'b'] };
  const records = [
    { id: 1, a: 'zero one two', b: 'three four five' },
    { id: 2, a: 'zero three four five', b: 'five six' },
    { id: 3, a: 'zero', b: 'one two three and more' },
  ];
  expect(await written(linesOf(records), own)).toEqual([
    '{"attributes":{"duplicates":[]},"id":1,"items":[]}',
    '{"attributes":{"duplicates":[]},"id":2,"items":[]}',
    '{"attributes":{"duplicates":[[5,18,0.5]]},"id":3,"items":[["t",0.5]]}',
  ]);
  const rewritten = await written(linesOf(records), { ...own, emit: 'rewritten', margin: 4 });
  expect(rewritten[2]).toBe('{"id":3,"a":"zero","b":" more"}');
});
