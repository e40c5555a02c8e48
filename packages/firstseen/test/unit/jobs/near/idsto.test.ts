// Records go to the output, and the names of the dropped ones to another file, in one run.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import type { DocumentOptions } from '../../../../src/jobs/near/documentoptions.js';
import { runDocuments } from '../../../../src/jobs/near/run.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { drawWords } from '../../../support/documents.js';
import { stopAfter } from '../../../support/signals.js';
import { Random } from '../../../support/streams.js';

let folder = '';
const at = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(at(name), 'utf8');

beforeEach(() => {
  folder = temporaryFolder();
});

const random = new Random(11);
const originals = Array.from({ length: 30 }, () => drawWords(40, random).join(' '));

function write(name: string, prefix: string, places: readonly number[]): string {
  const lines = places.map((place, i) => `${JSON.stringify({ id: `${prefix}${i}`, text: originals[place] })}\n`);
  writeFileSync(at(name), lines.join(''));
  return at(name);
}

const run = (own: Partial<DocumentOptions> & Pick<DocumentOptions, 'inputs'>) =>
  runDocuments({ idKey: 'id', near: { memory: '1MiB' }, output: at('kept.ndjson'), idsTo: at('ids.tsv'), ...own });

const idsIn = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { id: string }).id);

test('the kept records, the dropped ones and their names are written at once', async () => {
  const inputs = [write('in.ndjson', 'a', [0, 1, 0, 2, 1, 1])];
  await run({ inputs, duplicatesTo: at('dropped.ndjson') });
  expect(idsIn(read('kept.ndjson'))).toEqual(['a0', 'a1', 'a3']);
  expect(idsIn(read('dropped.ndjson'))).toEqual(['a2', 'a4', 'a5']);
  expect(read('ids.tsv')).toBe('a2\ta0\t1.0000\na4\ta1\t1.0000\na5\ta1\t1.0000\n');
});

test('the names are those of emit ids, whatever the output gets', async () => {
  const inputs = [write('in.ndjson', 'a', [0, 1, 0, 2, 1, 1])];
  await runDocuments({ inputs, idKey: 'id', near: { memory: '1MiB' }, emit: 'ids', output: at('alone.tsv') });
  for (const own of [{ emit: 'all', annotate: 'near' }, { emit: 'verdicts' }, { emit: 'attributes' }] as const) {
    await run({ inputs, ...own });
    expect(read('ids.tsv')).toBe(read('alone.tsv'));
  }
  await run({ inputs, idsTo: at('ids.tsv.gz'), idKey: undefined } as never);
  expect(gunzipSync(readFileSync(at('ids.tsv.gz'))).toString()).toBe('3\t1\t1.0000\n5\t2\t1.0000\n6\t2\t1.0000\n');
});

test('each input of a folder has a file of records, and all have one of names', async () => {
  const inputs = [write('one.ndjson', 'a', [0, 1, 0]), write('two.ndjson', 'b', [1, 2])];
  await run({ inputs, output: undefined, outputFolder: at('kept') } as never);
  expect(idsIn(read('kept/two.ndjson'))).toEqual(['b1']);
  expect(read('ids.tsv')).toBe('a2\ta0\t1.0000\nb0\ta1\t1.0000\n');
});

test('a run that was stopped goes on with both files', async () => {
  const places = Array.from({ length: 20_000 }, (_, i) => (i * 7) % 30);
  const inputs = [write('in.ndjson', 'a', places)];
  await run({ inputs });
  const [kept, ids] = [read('kept.ndjson'), read('ids.tsv')];
  const own = { inputs, output: at('kept2.ndjson'), idsTo: at('ids2.tsv'), state: at('state') };
  await run({ ...own, signal: stopAfter(1) });
  expect(read('ids2.tsv').length).toBeLessThan(ids.length);
  await expect(run({ ...own, idsTo: undefined, duplicatesTo: at('ids2.tsv') } as never)).rejects.toThrow(
    expect.objectContaining({ code: 'E_STATE_RUN' }),
  );
  await run(own);
  expect([read('kept2.ndjson'), read('ids2.tsv')]).toEqual([kept, ids]);
});

test.each([
  ['the output has the same lines', { emit: 'ids' }, /idsTo .* would have what emit ids writes to the output/],
  ['documents are not verified', { near: { verify: false } }, /idsTo .* names the document that another is near/],
  [
    'the name is one of records',
    { idsTo: 'ids.parquet' },
    /ids\.parquet would have lines, but it is named as a file of parquet/,
  ],
  ['it is the output', { idsTo: 'kept.ndjson' }, /kept\.ndjson would be written, but it is also another output/],
] as const)('names are refused if %s', async (_, own, message) => {
  const inputs = [write('in.ndjson', 'a', [0])];
  const idsTo = at('idsTo' in own ? own.idsTo : 'ids.tsv');
  await expect(run({ inputs, ...own, idsTo } as never)).rejects.toThrow(message);
});
