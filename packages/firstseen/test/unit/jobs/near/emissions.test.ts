// The names of near documents: which document a dropped one is near, over several runs too.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { DocumentOptions } from '../../../../src/jobs/near/documentoptions.js';
import { AddedNames } from '../../../../src/jobs/near/names.js';
import { runDocuments } from '../../../../src/jobs/near/run.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { drawWords } from '../../../support/documents.js';
import { inLongForm } from '../../../support/form.js';
import { stopAfter } from '../../../support/signals.js';
import { Random } from '../../../support/streams.js';

const random = new Random(31);
const originals = Array.from({ length: 40 }, () => drawWords(60, random).join(' '));

let folder = '';
const at = (name: string) => join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
});

/** Writes records of these originals, named by a prefix and their place. */
function write(name: string, prefix: string, places: readonly number[]): string {
  const records = places.map((place, i) => `${JSON.stringify({ id: `${prefix}${i}`, text: originals[place] })}\n`);
  writeFileSync(at(name), records.join(''));
  return at(name);
}

async function idsOf(own: Partial<DocumentOptions> & Pick<DocumentOptions, 'inputs'>): Promise<string[]> {
  const { output = at('out') } = own;
  await runDocuments({ emit: 'ids', idKey: 'id', near: { memory: '1MiB' }, ...own, output });
  return readFileSync(output, 'utf8').split('\n').slice(0, -1);
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

test('a dropped document is named beside the kept one', async () => {
  const inputs = [write('a.ndjson', 'a', range(0, 40)), write('b.ndjson', 'b', range(0, 40).reverse())];
  expect(await idsOf({ inputs })).toEqual(range(0, 40).map((i) => `b${i}\ta${39 - i}\t1.0000`));
});

test('with a window, a document that was forgotten is kept, and named from then on', async () => {
  const inputs = [write('a.ndjson', 'a', [...range(0, 20), 19, 0, 0, 19])];
  const near = { memory: '1MiB', window: 10 } as const;
  expect(await idsOf({ inputs, near })).toEqual(['a20\ta19\t1.0000', 'a22\ta21\t1.0000', 'a23\ta19\t1.0000']);
});

test('if all documents are added, the nearest is the oldest of equal ones', async () => {
  const inputs = [write('a.ndjson', 'a', [0, 0, 1, 0])];
  const near = { memory: '1MiB', add: 'all' } as const;
  expect(await idsOf({ inputs, near })).toEqual(['a1\ta0\t1.0000', 'a3\ta0\t1.0000']);
});

test('a later run knows the names that a state has, and asks without changing it', async () => {
  const [first, second] = [write('a.ndjson', 'a', [0, 1, 2]), write('b.ndjson', 'b', [2, 3])];
  const state = at('state');
  expect(await idsOf({ inputs: [first], state })).toEqual([]);
  const asked = { inputs: [second], state, isReadOnly: true, output: at('asked') };
  expect(await idsOf(asked)).toEqual(['b0\ta2\t1.0000']);
  expect(await idsOf({ inputs: [first, second], state })).toEqual(['b0\ta2\t1.0000']);
});

test('documents of a run that kept no names have none', async () => {
  const [first, second] = [write('a.ndjson', 'a', [0, 1]), write('b.ndjson', 'b', [1, 2, 2])];
  const state = at('state');
  await runDocuments({ inputs: [first], idKey: 'id', output: at('kept'), state, near: { memory: '1MiB' } });
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => warnings.push(message);
  const asked = { inputs: [second], state, onWarning };
  expect(await idsOf({ ...asked, isReadOnly: true })).toEqual(['b0\t\t1.0000']);
  expect(await idsOf({ ...asked, output: at('added') })).toEqual(['b0\t\t1.0000', 'b2\tb1\t1.0000']);
  const told = expect.stringMatching(/state has no names of its documents, .*; make the state again with emit ids or/);
  expect(warnings).toEqual([told, told]);
  // Once documents have names, their names are told.
  await idsOf({ ...asked, isReadOnly: true, output: at('asked') });
  expect(warnings.length).toBe(2);
});

test('records without a name are numbered, also by a run that only asks', async () => {
  const inputs = [write('a.ndjson', 'a', [0, 1, 1])];
  const state = at('state');
  const run = (own: Partial<DocumentOptions>) =>
    runDocuments({ emit: 'ids', near: { memory: '1MiB' }, inputs, state, ...own });
  await run({ output: at('out') });
  expect(readFileSync(at('out'), 'utf8')).toBe('3\t2\t1.0000\n');
  await run({ output: at('asked'), isReadOnly: true });
  expect(readFileSync(at('asked'), 'utf8')).toBe('4\t1\t1.0000\n5\t2\t1.0000\n6\t2\t1.0000\n');
});

test('a run that was stopped goes on to the same output', async () => {
  const places = Array.from({ length: 4000 }, () => random.below(40));
  const inputs = [write('a.ndjson', 'a', places)];
  for (const emit of inLongForm(['ids', 'attributes'] as const, ['ids'] as const)) {
    const own = { inputs, emit, idKey: 'id', near: { memory: '1MiB', window: 20 } } as const;
    await runDocuments({ ...own, output: at(`${emit}.whole`) });
    const parts = { ...own, output: at(`${emit}.parts`), state: at(`${emit}.state`) };
    const { interrupted } = await runDocuments({ ...parts, signal: stopAfter(1) });
    expect(interrupted).toBe(true);
    await runDocuments(parts);
    expect(readFileSync(parts.output, 'utf8')).toBe(readFileSync(at(`${emit}.whole`), 'utf8'));
  }
});

test('names are kept for as many documents as fit, and long ones are cut', () => {
  const names = new AddedNames(2);
  expect(names.ofAge(1)).toBeUndefined();
  for (const name of ['"a"', '7', JSON.stringify('x'.repeat(2000))]) names.add(name);
  expect([0, 1, 2, 3].map((age) => names.ofAge(age))).toEqual([undefined, `"${'x'.repeat(1024)}"`, '7', undefined]);
  const restored = new AddedNames(2);
  restored.restore({ names: names.note() });
  restored.add('8');
  expect([1, 2].map((age) => restored.ofAge(age))).toEqual(['8', `"${'x'.repeat(1024)}"`]);
});

test.each([['x'], [['not JSON']], [[1]], [['1', '2', '3']]])(
  'a state whose names are not valid is refused: %j',
  (names) => {
    expect(() => new AddedNames(2).restore({ names })).toThrow('the state has no valid names of documents');
  },
);

test('a record in pieces that passes has a line of attributes too, and its bytes are not written', async () => {
  const lines = ['short', 'word '.repeat(2 ** 20), 'other'].map(
    (text) => `${JSON.stringify({ id: text.slice(0, 5), text })}\n`,
  );
  writeFileSync(at('a.ndjson'), lines.join(''));
  for (const [emit, expected] of [
    ['ids', ''],
    [
      'attributes',
      ['"short"', 'null', '"other"'].map((id) => `{"attributes":{},"id":${id},"nearest":null}\n`).join(''),
    ],
  ] as const) {
    const own = { emit, idKey: 'id', output: at(emit), near: { memory: '1MiB' } } as const;
    await runDocuments({ inputs: [at('a.ndjson')], maxRecordBytes: 4096, onError: 'pass', ...own });
    expect(readFileSync(at(emit), 'utf8')).toBe(expected);
  }
});

test('each shard has an output of its own', async () => {
  write('0.jsonl', 'a', [0, 1]);
  write('1.jsonl', 'b', [2, 1]);
  const inputs = [at('0.jsonl'), at('1.jsonl')];
  await runDocuments({ inputs, emit: 'ids', idKey: 'id', outputFolder: at('ids'), near: { memory: '1MiB' } });
  expect(['0', '1'].map((name) => readFileSync(at(`ids/${name}.jsonl.tsv`), 'utf8'))).toEqual(['', 'b1\ta1\t1.0000\n']);
});
