import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requestOf } from '../../../../src/io/sources.js';
import { motifThreads } from '../../../../src/jobs/motifs/threads.js';
import { resolveMotifSettings } from '../../../../src/near/motifsettings.js';
import { temporaryFolder } from '../../../cli/support/command.js';

/** Writes two sparse files with 500,000 binary records of 16 bytes in all. */
function writtenInputs(): [string, string] {
  const folder = temporaryFolder();
  const path = (name: string, records: number): string => {
    writeFileSync(join(folder, name), '');
    truncateSync(join(folder, name), 16 * records);
    return join(folder, name);
  };
  return [path('first.bin', 300_000), path('second.bin', 200_000)];
}

const settings = resolveMotifSettings({ recordBytes: 16, hashes: 32 });
const request = { threads: 'auto', format: 'binary', settings, processors: 2 } as const;

test('auto takes as many threads as processors, up to four, for 500,000 records of files with 32 hashes', async () => {
  const inputs = writtenInputs().map(requestOf);
  expect(await motifThreads({ ...request, inputs })).toBe(2);
  expect(await motifThreads({ ...request, inputs, processors: 1 })).toBe(1);
  expect(await motifThreads({ ...request, inputs, processors: 64 })).toBe(4);
  const fewer = resolveMotifSettings({ recordBytes: 16, hashes: 31 });
  expect(await motifThreads({ ...request, inputs, settings: fewer })).toBe(1);
});

test('auto takes one thread for fewer records, standard input, and files that cannot be read', async () => {
  const both = writtenInputs();
  const [first] = both;
  for (const inputs of [[first], [first, '-'], [first, `${first}.gone`]]) {
    expect(await motifThreads({ ...request, inputs: inputs.map(requestOf) })).toBe(1);
  }
  expect(await motifThreads({ ...request, inputs: both.map(requestOf), format: 'hex' })).toBe(1);
});

test('auto takes one thread if the memory of several does not fit beside the arrays', async () => {
  const inputs = writtenInputs().map(requestOf);
  const fits = resolveMotifSettings({ recordBytes: 16, hashes: 32, addressBits: 26, batchRecords: 2 ** 16 });
  const fills = { ...fits, hashes: 63 };
  expect(await motifThreads({ ...request, inputs, settings: fits, processors: 4 })).toBe(4);
  expect(await motifThreads({ ...request, inputs, settings: fills, processors: 4 })).toBe(1);
});

test('a number of threads is taken for any input, and anything else is refused', async () => {
  expect(await motifThreads({ ...request, threads: 7, inputs: [] })).toBe(7);
  for (const threads of [0, 33, 1.5]) {
    await expect(motifThreads({ ...request, threads, inputs: [] })).rejects.toMatchObject({ code: 'E_PARAMETER' });
  }
});
