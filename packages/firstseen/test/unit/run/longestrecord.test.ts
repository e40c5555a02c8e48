// A limit of records that is too large for the memory of a job: the refusal names the largest value that works.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FirstseenError } from '../../../src/base/errors.js';
import { runFiles } from '../../../src/jobs/exact/run.js';
import { runDocuments } from '../../../src/jobs/near/run.js';
import { runPassages } from '../../../src/jobs/passages/run.js';

const RECORD = '{"text":"one two three"}\n';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstseen-record-'));
  await writeFile(join(folder, 'in.ndjson'), RECORD);
});
afterAll(() => rm(folder, { recursive: true }));

type RunWith = (options: { inputs: string[]; output: string; maxRecordBytes: number }) => Promise<unknown>;

const runs: [string, RunWith][] = [
  ['exact', (options) => runFiles({ ...options, detector: { memory: '1MiB' } })],
  ['near', (options) => runDocuments({ ...options, near: { memory: '1MiB' } })],
  ['near on threads', (options) => runDocuments({ ...options, threads: 2, near: { memory: '1MiB' } })],
  ['passages', (options) => runPassages({ ...options, emit: 'documents', detector: { memory: '1MiB' } })],
];

describe.each(runs)('%s', (_, run) => {
  const runWith = (maxRecordBytes: number) =>
    run({ inputs: [join(folder, 'in.ndjson')], output: join(folder, 'out.ndjson'), maxRecordBytes });

  test('names the largest limit that works', async () => {
    const refused = await runWith(2 ** 31 - 1).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(FirstseenError);
    const { code, option, expected = '' } = refused as FirstseenError;
    expect({ code, option }).toEqual({ code: 'E_MEMORY', option: 'maxRecordBytes' });
    const most = Number(expected.replace(/\D/g, ''));
    await expect(runWith(most + 1)).rejects.toMatchObject({ option: 'maxRecordBytes', expected });
    await runWith(most);
    expect(await readFile(join(folder, 'out.ndjson'), 'utf8')).toBe(RECORD);
  });
});

test('a detector that leaves no room for usual records is at fault itself', async () => {
  const options = { inputs: [join(folder, 'in.ndjson')], output: join(folder, 'out.ndjson'), maxRecordBytes: 2 ** 28 };
  await expect(runDocuments({ ...options, near: { memory: '5GiB' } })).rejects.toMatchObject({ option: 'memory' });
});
