import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runFiles } from '../../../src/jobs/exact/run.js';
import { equalityOptionNames } from '../../../src/records/schemes.js';
import { type RunOptions, runDefaults } from '../../../src/run/runoptions.js';
import { fillDefaults } from '../../../src/run/settled.js';
import { temporaryFolder } from '../../cli/support/command.js';

test('absent and undefined options get their defaults', () => {
  const ofJob = [
    'keys',
    'detector',
    'emptyKey',
    'nullKey',
    'onOverload',
    'keep',
    'count',
    ...Object.keys(equalityOptionNames),
  ];
  const byDefault = Object.fromEntries(Object.entries(runDefaults).filter(([name]) => !ofJob.includes(name)));
  const shared = { ...byDefault, checkpoint: 30_000, maxLead: 3_600_000 };
  const settled = (options: RunOptions) => Object.assign({}, ...Object.values(fillDefaults(options)));
  expect(settled({ inputs: ['a'] })).toEqual({ inputs: ['a'], ...shared });
  expect(settled({ inputs: ['a'], onError: undefined, emit: 'verdicts' })).toEqual({
    ...shared,
    inputs: ['a'],
    emit: 'verdicts',
  });
});

test('durations are texts or milliseconds', async () => {
  const { state, time } = fillDefaults({ inputs: ['a'], checkpoint: '5s', maxLead: 1 });
  expect([state.checkpoint, time.maxLead]).toEqual([5000, 1]);
  for (const checkpoint of ['5', '0s', 0, Number.NaN, true]) {
    await expect(runFiles({ inputs: ['a'], checkpoint: checkpoint as never })).rejects.toThrow(/^checkpoint is /);
  }
});

test('a run requires only its inputs, and has the same witness as the command', async () => {
  const folder = temporaryFolder();
  const output = join(folder, 'out.txt');
  writeFileSync(join(folder, 'in.txt'), 'a\nb\na\n');
  const stats = await runFiles({ inputs: [join(folder, 'in.txt')], output });
  expect(readFileSync(output, 'utf8')).toBe('a\nb\n');
  expect(stats).toMatchObject({ records: 3, distinct: 2, duplicates: 1, resumed: false });
  expect(stats.witness?.memoryBytes).toBe(512 * 1024);
  const without = await runFiles({ inputs: [join(folder, 'in.txt')], output, detector: { witness: false } });
  expect(without.witness).toBeNull();
});

test.each([
  [{ inputs: [] }, 'inputs'],
  [{ inputs: 'a.txt' }, 'inputs'],
  [{ inputs: [5] }, 'inputs'],
  [{ inputs: ['a'], output: 5 }, 'output'],
  [{ inputs: ['a'], state: 5 }, 'state'],
  [{ inputs: ['a'], missingKey: 'x' }, 'missingKey'],
  [{ inputs: ['a'], onError: 'x' }, 'onError'],
  [{ inputs: ['a'], format: 'xml' }, 'format'],
  [{ inputs: ['a'], keys: 'id' }, 'keys'],
  [{ inputs: ['a'], keys: [null] }, 'keys'],
  [{ inputs: ['a'], now: 3 }, 'now'],
  [{ inputs: ['a'], onReady: 3 }, 'onReady'],
  [{ inputs: ['a'], onWarning: 3 }, 'onWarning'],
  [{ inputs: ['a'], onProgress: 3 }, 'onProgress'],
  [{ inputs: ['a'], onElements: 3 }, 'onElements'],
  [{ inputs: ['a'], onFailure: 3 }, 'onFailure'],
])('%j is refused, and the error names %s', async (options, option) => {
  await expect(runFiles(options as never)).rejects.toMatchObject({
    name: 'FirstseenError',
    code: 'E_USAGE',
    option,
    expected: expect.stringMatching(/./),
  });
});
