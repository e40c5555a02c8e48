// The summary of a run over documents counts documents, not the bands that its table has of them.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { summaryText } from '../../../../src/cli/summary.js';
import type { DocumentStats } from '../../../../src/jobs/near/documentoptions.js';
import { runDocuments } from '../../../../src/jobs/near/run.js';
import type { NearOptions } from '../../../../src/near/settings.js';
import { drawWords } from '../../../support/documents.js';
import { Random } from '../../../support/streams.js';

const DOCUMENTS = 50;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstseen-near-'));
  const random = new Random(5);
  const lines = Array.from({ length: DOCUMENTS }, () => `${drawWords(20, random).join(' ')}\n`);
  await writeFile(join(folder, 'in.txt'), lines.join(''));
});
afterAll(() => rm(folder, { recursive: true }));

function runOver(near: NearOptions, rest = {}): Promise<DocumentStats> {
  const [input, output] = [join(folder, 'in.txt'), join(folder, 'out.txt')];
  return runDocuments({ inputs: [input], output, format: 'lines', near: { memory: '1MiB', ...near }, ...rest });
}

test.each<[NearOptions, object, RegExp]>([
  [{ verify: false, window: 1000 }, { fromDocuments: 1000, toDocuments: expect.any(Number) }, /1,000 added documents/],
  [{ algorithm: 'exact', window: 1000 }, { fromDocuments: 1000, toDocuments: 1000 }, /exactly 1,000 documents/],
  [{ window: 1000 }, { fromDocuments: 1000, toDocuments: 1000 }, /exactly 1,000 documents/],
  [{ window: '1h' }, { fromMilliseconds: 3_600_000, toMilliseconds: expect.any(Number) }, /1h for certain/],
])('the window of %j', async (near, window, text) => {
  const stats = await runOver(near);
  expect(stats.window).toEqual(window);
  expect(summaryText(stats)).toMatch(text);
});

test.each<NearOptions>([{}, { verify: false }, { sets: 3 }])('documents observed with %j', async (near) => {
  const stats = await runOver(near);
  expect(stats).toMatchObject({ observed: DOCUMENTS, window: null, near: { documents: DOCUMENTS } });
  expect(summaryText(stats)).toMatch(/observed +50 documents over all runs/);
});

test('the summary so far', async () => {
  let statsSoFar: (() => DocumentStats) | undefined;
  await runOver({ verify: false }, { onReady: (soFar: () => DocumentStats) => (statsSoFar = soFar) });
  expect(statsSoFar?.()).toMatchObject({ observed: DOCUMENTS, near: { documents: DOCUMENTS } });
});

test('a window that the memory has no room for', async () => {
  await expect(runOver({ verify: false, window: 1e9 })).rejects.toMatchObject({
    code: 'E_PARAMETER',
    option: 'window',
    message: expect.stringMatching(
      /^with 9 elements for each document: 1MiB .* a window of 9,000,000,000 elements was/,
    ),
  });
});

test('a window of time that has no room for all bands', async () => {
  const stats = await runOver({ window: '1h', memory: '1KiB' });
  expect(stats.shortened).toBeGreaterThan(0);
  expect(stats.notices).toContainEqual(expect.stringMatching(/^\d+ generations? left the window early, because/));
  expect(summaryText(stats)).toMatch(/left early +\d+ generations?/);
});
