import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jobs } from '../../../src/jobs/jobs.js';
import { temporaryFolder } from '../../cli/support/command.js';

test('every job is registered under its name, with the kind of data that it takes, and what it writes', () => {
  const rows = Object.entries(jobs);
  expect(rows.map(([key, { name }]) => key === name)).toEqual(rows.map(() => true));
  expect(Object.fromEntries(rows.map(([key, { takes }]) => [key, takes]))).toEqual({
    exact: 'fingerprints',
    spill: 'spans',
    near: 'spans',
    passages: 'spans',
    motifs: 'records',
  });
  for (const [name, { emissions }] of rows) {
    expect(emissions, name).toContain(name === 'passages' ? 'spans' : 'distinct');
  }
});

test('a job over keys runs with only its inputs given', async () => {
  const folder = temporaryFolder();
  const inputs = [join(folder, 'in.txt')];
  const output = join(folder, 'out');
  writeFileSync(inputs[0] as string, 'one\ntwo\none\n');
  expect(await jobs.exact.run({ inputs, output })).toMatchObject({ records: 3, duplicates: 1 });
  expect(await jobs.near.run({ inputs, output, format: 'lines' })).toMatchObject({ records: 3, duplicates: 1 });
  writeFileSync(inputs[0] as string, '{"id":1,"text":"a"}\n');
  expect(await jobs.passages.run({ inputs, output })).toMatchObject({ records: 1, passages: { passages: 1 } });
});
