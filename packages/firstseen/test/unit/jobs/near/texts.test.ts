// Documents of several texts: no shingle goes from one into the next, whatever finds and signs them.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { DocumentOptions } from '../../../../src/jobs/near/documentoptions.js';
import { runDocuments } from '../../../../src/jobs/near/run.js';
import { loadNear } from '../../../../src/near.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { drawWords } from '../../../support/documents.js';
import { Random } from '../../../support/streams.js';

let folder = '';
const at = (name: string) => join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
});

interface Estimate {
  id: unknown;
  near: { verdict: string; estimate: number | null };
}

/** What is found about each record, with every band in common. */
async function estimates(name: string, content: string, own: Partial<DocumentOptions>): Promise<Estimate[]> {
  writeFileSync(at(name), content);
  const near = { memory: '1MiB', shingle: '2w', similarity: 0.05, bands: '128x1', ...own.near } as const;
  const annotated = { emit: 'all', annotate: 'near' } as const;
  await runDocuments({ inputs: [at(name)], output: at('out'), ...annotated, ...own, near });
  return readFileSync(at('out'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Estimate);
}

const linesOf = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const rounded = (found: readonly Estimate[]) => found.map(({ near }) => near.estimate?.toFixed(4) ?? null);

describe.each([
  ['by the kernel', {}],
  ['by the host', { case: 'unicode' }],
  ['with characters', { shingle: '7c' }],
  ['with tokens', { shingle: '2t' }],
] as const)('texts that are read %s', (_, near) => {
  test('the end of one and the beginning of the next are in no shingle', async () => {
    const whole = { id: 1, title: 'one two', body: 'three four' };
    const moved = { id: 2, title: 'one two three', body: 'four' };
    const [, second] = await estimates('in.ndjson', linesOf([whole, moved]), { textKey: ['title', 'body'], near });
    expect(second?.near.estimate ?? 0).toBeLessThan(0.5);
    const same = linesOf([whole, { id: 3, body: 'Three  FOUR', title: 'One two' }]);
    const [, third] = await estimates('in.ndjson', same, { textKey: ['title', 'body'], near });
    if (near !== undefined && !('shingle' in near)) expect(third?.near.estimate).toBe(1);
  });

  test('a text that is null or blank is as none', async () => {
    const records = [
      { id: 1, title: 'one two three', body: 'four five six' },
      { id: 2, title: 'one two three', body: 'four five six', more: null },
      { id: 3, title: 'one two three', body: 'four five six', more: ' ' },
    ];
    const all = records.map((record) => ({ more: '', ...record }));
    const found = await estimates('in.ndjson', linesOf(all), { textKey: ['title', 'more', 'body'], near });
    expect(rounded(found)).toEqual([null, '1.0000', '1.0000']);
  });
});

const chats = [
  { id: 1, messages: [{ content: 'one two three' }, { content: 'four five' }] },
  { id: 2, messages: [{ content: 'One two three' }, { content: null }, { role: 'tool' }, { content: 'four five' }] },
  { id: 3, messages: [{ content: 'one two three four five' }] },
];

test('the texts of all items of an array are one document', async () => {
  const found = await estimates('in.ndjson', linesOf(chats), { textKey: 'messages[*].content' });
  // Three of four shingles of the third are those of the first.
  expect(rounded(found)).toEqual([null, '1.0000', '0.7500']);
});

test('a record without a text in the array, or without one of several texts, is missing it', async () => {
  const records = [
    { id: 1, messages: [], title: 'x' },
    { id: 2, messages: [{ content: null }], title: 'y' },
    { id: 3, messages: [{ content: 'z' }] },
  ];
  const own = { missingKey: 'distinct', emit: 'verdicts', annotate: undefined } as const;
  const verdictsFor = async (textKey: readonly string[]) => {
    writeFileSync(at('in.ndjson'), linesOf(records));
    await runDocuments({ inputs: [at('in.ndjson')], output: at('out'), textKey, ...own } as DocumentOptions);
    return readFileSync(at('out'), 'utf8').trimEnd().split('\n');
  };
  expect(await verdictsFor(['messages[*].content'])).toEqual(['passed', 'passed', 'distinct']);
  expect(await verdictsFor(['title', 'messages[*].content'])).toEqual(['passed', 'distinct', 'passed']);
});

test.each([
  ['csv', 'id,title,body\n1,one two three,"four\nfive"\n2,one two three,four  five\n3,one two,three four five\n'],
  ['tsv', 'id\ttitle\tbody\n1\tone two three\tfour five\n2\tone two three\tfour  five\n3\tone two\tthree four five\n'],
])('columns of %s', async (format, content) => {
  const own = { textKey: ['title', 'body'], emit: 'ids', annotate: undefined, idKey: 'id' } as const;
  writeFileSync(at(`in.${format}`), content);
  const near = { memory: '1MiB', shingle: '2w', similarity: 0.5 } as const;
  await runDocuments({ inputs: [at(`in.${format}`)], output: at('out'), ...own, near } as DocumentOptions);
  expect(readFileSync(at('out'), 'utf8')).toBe('2\t1\t1.0000\n3\t1\t0.5000\n');
});

test('threads sign them alike', async () => {
  const random = new Random(7);
  const words = drawWords(3000, random);
  const records = Array.from({ length: 300 }, (_, i) => {
    const from = (i * 37) % 2000;
    const messages = [0, 1, 2].map((part) => ({
      content: words.slice(from + part * 20, from + part * 20 + 18).join(' '),
    }));
    return { id: i, title: words.slice(i % 5, (i % 5) + 4).join(' '), messages };
  });
  writeFileSync(at('in.ndjson'), linesOf(records));
  const output = async (threads: number) => {
    const keys = { textKey: ['title', 'messages[*].content'], idKey: 'id' } as const;
    const own = { near: { memory: '1MiB', similarity: 0.6 }, emit: 'distinct', threads } as const;
    await runDocuments({ inputs: [at('in.ndjson')], output: at('out'), ...keys, ...own, idKey: undefined } as never);
    return readFileSync(at('out'), 'utf8');
  };
  const alone = await output(1);
  expect(alone.split('\n').length).toBeGreaterThan(20);
  expect(await output(3)).toBe(alone);
});

test('a state knows how many texts its documents have, and so does a program', async () => {
  const run = (records: readonly object[], own: Partial<DocumentOptions>) => {
    writeFileSync(at('in.ndjson'), linesOf(records));
    const near = { memory: '1MiB', shingle: '2w' } as const;
    return runDocuments({ inputs: [at('in.ndjson')], output: at('out'), state: at('state'), near, ...own });
  };
  await run([{ title: 'one two', body: 'three four' }], { textKey: ['title', 'body'] });
  const again = { textKey: 'title', idKey: 'body', emit: 'ids', isReadOnly: true } as const;
  await expect(run([{ title: 'one', body: 'two' }], again)).rejects.toThrow(/number of texts is 2 in the state, not 0/);
  const near = await loadNear(readFileSync(at('state')));
  expect(near.test('one two\u001fthree four')).toMatchObject({ verdict: 'duplicate', similarity: 1 });
  expect(near.test('one two three four').similarity).not.toBe(1);
});

test('bits compares no several texts', async () => {
  const near = { lsh: 'bits', documentBytes: 8, shingle: undefined, bands: undefined } as const;
  await expect(estimates('in.ndjson', '', { textKey: ['a', 'b'], near })).rejects.toThrow(
    expect.objectContaining({ code: 'E_USAGE', option: 'textKey' }),
  );
});

test('a name is one value', async () => {
  const own = { textKey: ['a', 'b'], idKey: 'c[*]', emit: 'ids', annotate: undefined } as const;
  await expect(estimates('in.ndjson', '', own as Partial<DocumentOptions>)).rejects.toThrow(
    /^idKey "c\[\*\]" has several values/,
  );
});
