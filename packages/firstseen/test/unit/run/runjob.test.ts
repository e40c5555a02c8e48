import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { listRequest } from '../../../src/io/file/folder.js';
import { lockPath } from '../../../src/io/lock/entry.js';
import { lockState } from '../../../src/io/lock/lock.js';
import { requestOf } from '../../../src/io/sources.js';
import { exactJob } from '../../../src/jobs/exact/job.js';
import { runJob } from '../../../src/run/runjob.js';
import type { SharedOptions } from '../../../src/run/runoptions.js';
import { fillDefaults } from '../../../src/run/settled.js';
import { temporaryFolder } from '../../cli/support/command.js';

let folder = '';

beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder, 'in.txt'), 'a\nb\na\n');
});

const pathOf = (name: string) => join(folder, name);

const request = { job: exactJob, key: { keys: [] } };

function runWith(options: Partial<SharedOptions> = {}) {
  const asked = { detector: { algorithm: 'exact' as const, memory: 4096 } };
  const shared = { inputs: [pathOf('in.txt')], output: pathOf('out.txt'), ...options };
  return runJob({ ...request, asked, options: fillDefaults(shared), inputs: shared.inputs.map(requestOf) });
}

test('runs a job from its options to its output, and guesses the format', async () => {
  let isReady = false;
  const onReady = () => {
    isReady = true;
  };
  expect(await runWith({ onReady })).toMatchObject({ records: 3, distinct: 2, duplicates: 1, resumed: false });
  expect(isReady).toBe(true);
  expect(readFileSync(pathOf('out.txt'), 'utf8')).toBe('a\nb\n');
});

test('reads documents instead of the inputs of the options', async () => {
  const asked = { detector: { algorithm: 'exact' as const, memory: 4096 } };
  const options = fillDefaults({ inputs: ['docs'], output: pathOf('out.txt') });
  const documents = listRequest({ name: 'docs', paths: ['docs/a', 'docs/b'] });
  const stats = await runJob({ ...request, asked, options, format: 'lines', inputs: [documents] });
  expect(stats.records).toBe(2);
  expect(readFileSync(pathOf('out.txt'), 'utf8')).toBe('docs/a\ndocs/b\n');
});

test('continues from its state, and unlocks it even after an error', async () => {
  const state = pathOf('s');
  await runWith({ state });
  expect(existsSync(lockPath(state))).toBe(false);
  writeFileSync(pathOf('in.txt'), 'a\nb\na\nc\n');
  expect(await runWith({ state })).toMatchObject({
    ...{ records: 1, distinct: 1, bytesIn: 2, bytesOut: 2, resumed: true },
    allRuns: { records: 4, distinct: 3, duplicates: 1, bytesIn: 8, bytesOut: 6 },
  });
  expect(readFileSync(pathOf('out.txt'), 'utf8')).toBe('a\nb\nc\n');
  await expect(runWith({ state, inputs: [pathOf('none')] })).rejects.toMatchObject({ code: 'E_INPUT' });
  expect(existsSync(lockPath(state))).toBe(false);
});

test('refuses a file that is both one of several inputs and output before it writes anything', async () => {
  writeFileSync(pathOf('other.txt'), 'c\n');
  const inputs = [pathOf('in.txt'), pathOf('other.txt')];
  await expect(runWith({ inputs, output: pathOf('in.txt') })).rejects.toMatchObject({ code: 'E_USAGE' });
  expect(readFileSync(pathOf('in.txt'), 'utf8')).toBe('a\nb\na\n');
  writeFileSync(pathOf('secret'), '00'.repeat(16));
  await expect(runWith({ secretFile: pathOf('secret'), state: pathOf('secret') })).rejects.toThrow('the secret file');
});

test('replaces its only input', async () => {
  await runWith({ output: pathOf('in.txt') });
  expect(readFileSync(pathOf('in.txt'), 'utf8')).toBe('a\nb\n');
});

test('uses the secret of the secret file', async () => {
  writeFileSync(pathOf('secret'), '00'.repeat(16));
  expect(await runWith({ secretFile: pathOf('secret') })).toMatchObject({ keyed: true, fingerprint: 'siphash' });
});

test('looks records up in a state that another run has locked, and leaves it as it is', async () => {
  const state = pathOf('s');
  await runWith({ state });
  const before = readFileSync(state);
  const lock = await lockState(state);
  const asked = { detector: { algorithm: 'exact' as const, memory: 4096 }, isReadOnly: true };
  const options = { inputs: [pathOf('in.txt')], state, isReadOnly: true };
  const inputs = options.inputs.map(requestOf);
  const look = (output: string) =>
    runJob({ ...request, asked, inputs, options: fillDefaults({ ...options, output: pathOf(output) }) });
  try {
    expect(await Promise.all([look('again.txt'), look('x')])).toMatchObject([
      { distinct: 0, duplicates: 3 },
      { distinct: 0, duplicates: 3, allRuns: { records: 3 } },
    ]);
  } finally {
    lock.release();
  }
  expect(readFileSync(state).equals(before)).toBe(true);
});

test('a run that only reads a state overwrites its own output, and takes an unfinished last record', async () => {
  const state = pathOf('s');
  await runWith({ state });
  writeFileSync(pathOf('new.txt'), 'a\nd\nlast');
  const asked = { detector: { algorithm: 'exact' as const, memory: 4096 }, isReadOnly: true };
  const options = { inputs: [pathOf('new.txt')], state, isReadOnly: true };
  const inputs = options.inputs.map(requestOf);
  const look = (output: string) =>
    runJob({ ...request, asked, inputs, options: fillDefaults({ ...options, output: pathOf(output) }) });
  for (let i = 0; i < 2; i++) expect(await look('new')).toMatchObject({ records: 3, distinct: 2, bytesWaiting: 0 });
  expect(readFileSync(pathOf('new'), 'utf8')).toBe('d\nlast\n');
  await expect(look('out.txt')).rejects.toMatchObject({ code: 'E_STATE_RUN', remedy: 'name another output' });
  expect(existsSync(`${state}.begun`)).toBe(false);
});

test('a run that lost the lock of its state writes neither outputs nor state', async () => {
  const state = pathOf('s');
  await runWith({ state });
  writeFileSync(pathOf('in.txt'), 'a\nb\na\nc\n');
  const before = readFileSync(state);
  const onReady = () => renameSync(lockPath(state), pathOf('taken'));
  await expect(runWith({ state, onReady })).rejects.toThrow(`lost the lock of state ${state}`);
  expect(readFileSync(state).equals(before)).toBe(true);
  expect(readFileSync(pathOf('out.txt'), 'utf8')).toBe('a\nb\n');
});
