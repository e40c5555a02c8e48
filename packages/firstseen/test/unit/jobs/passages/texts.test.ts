// How the text of a record is found: it is decoded while its end is found, and what follows it is walked through once.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runPassages } from '../../../../src/jobs/passages/run.js';
import { temporaryFolder } from '../../../cli/support/command.js';

let folder = '';

beforeEach(() => {
  folder = temporaryFolder();
});

/** The spans of the records in these lines, and how many lines were invalid. */
async function spansOf(lines: readonly string[], textKey = 'text'): Promise<{ spans: string[]; invalid: number }> {
  const [input, output] = [join(folder, 'in.jsonl'), join(folder, 'out.jsonl')];
  writeFileSync(input, lines.map((line) => `${line}\n`).join(''));
  const { invalid } = await runPassages({
    ...{ inputs: [input], output, textKey, onError: 'drop', threads: 1 },
    detector: { memory: '1MiB', algorithm: 'exact' },
  });
  return { spans: readFileSync(output, 'utf8').split('\n').filter(Boolean), invalid };
}

const seen = (id: number, ...spans: readonly string[]) => `{"attributes":{"duplicates":[${spans.join()}]},"id":${id}}`;

test('the first escape of a text may be at any place of a vector', async () => {
  const lengths = Array.from({ length: 40 }, (_, length) => length);
  const lines = lengths.map((length) => `{"id":${length},"text":"${'a'.repeat(length)}\\nsame\\\\"}`);
  const { spans } = await spansOf(lines);
  expect(spans).toEqual(
    lengths.map((length) => (length === 0 ? seen(0) : seen(length, `[${length + 1},${length + 6},1]`))),
  );
});

test.each([
  ['first in the record', (text: string, id: number) => `{"text":"${text}","id":${id},"more":[{"a":"}"}]}`],
  ['in the middle', (text: string, id: number) => `{"more":{"a":["\\"]"]},"text" : "${text}" ,"id":${id}}  `],
  ['without escapes', (text: string, id: number) => `{"id":${id},"text":"${text.replaceAll('\\n', ' ')}"}`],
])('a text is found %s', async (_, lineOf) => {
  const { spans, invalid } = await spansOf([lineOf('one\\ntwo', 1), lineOf('one\\ntwo', 2)]);
  expect(invalid).toBe(0);
  expect(spans[0]).toBe(seen(1));
  expect(spans[1]).toMatch(/^\{"attributes":\{"duplicates":\[\[0,/);
});

test.each(['page.text', 'pages[1].text'])('a text is found at %s', async (textKey) => {
  const record = (id: number) => {
    const page = { text: 'one\ntwo', links: ['}', { a: ']' }] };
    return JSON.stringify({ id, page, pages: [{ text: '"' }, page, 'last'], end: {} });
  };
  const { spans, invalid } = await spansOf([record(1), record(2)], textKey);
  expect({ spans, invalid }).toEqual({ spans: [seen(1), seen(2, '[0,4,1]', '[4,7,1]')], invalid: 0 });
});

test.each([
  ['is not closed', '{"id":1,"text":"one\\n'],
  ['has an escape of JSON that does not exist', '{"id":1,"text":"one\\n\\q"}'],
  ['has such an escape and is not closed', '{"id":1,"text":"one\\q'],
  ['has half an escape', '{"id":1,"text":"one\\n\\u12"}'],
  ['is followed by something else', '{"id":1,"text":"one\\n"x}'],
  ['is in an object that is not closed', '{"id":1,"text":"one\\n","more":[1}'],
  ['is in an object that is followed by another one', '{"id":1,"text":"one\\n"},{"id":2,"text":"two"}'],
])('a record whose text %s is invalid', async (_, line) => {
  expect(await spansOf(['{"id":3,"text":"one"}', line])).toEqual({ spans: [seen(3)], invalid: 1 });
});
