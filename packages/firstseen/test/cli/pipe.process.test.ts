// `firstseen pipe` as a process: how it ends.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeEach, expect, test } from 'vitest';
import { bodyOf, frame, framesIn, jsonOf, keysOf, kinds } from '../pipe/support/client.js';
import { requiresPosix } from '../support/platform.js';
import { finished, mainPath, runFirstseen, startFirstseen, temporaryFolder } from './support/command.js';

let cwd = '';
beforeEach(() => {
  cwd = temporaryFolder();
});

const created = frame(kinds.create, { options: { memory: '64KiB' } });

test('the end of the input ends it', async () => {
  const stdin = [created, frame(kinds.observe, keysOf(['a', 'b', 'a']))];
  const { code, stdout, stderr } = await runFirstseen(['pipe'], { cwd, stdin });
  expect([code, stderr]).toEqual([0, '']);
  const [hello, , verdicts] = framesIn(stdout);
  expect(jsonOf(hello)).toMatchObject({ protocol: 1, version: expect.stringMatching(/^\d/) });
  expect([...bodyOf(verdicts)]).toEqual([0, 0, 1]);
});

test('an input that is cut ends it with exit code 2 and a message', async () => {
  const { code, stdout, stderr } = await runFirstseen(['pipe'], { cwd, stdin: [created.subarray(0, 20)] });
  expect(code).toBe(2);
  expect(stderr).toBe(
    'firstseen: the input ends after 20 bytes of a frame; write frames as docs/PIPE.md says [E_FRAME]\n',
  );
  expect(framesIn(stdout).map(({ kind }) => kind)).toEqual([0, 255]);
});

test('a reader that has gone ends it', async () => {
  const child = startFirstseen(['pipe'], { cwd });
  const result = finished(child);
  await once(child.stdout, 'data');
  (child.stdout as unknown as { destroy(): void }).destroy();
  for (let i = 0; i < 50; i++) child.stdin.write(frame(kinds.stats, '', i));
  expect(await result).toMatchObject({ code: 0, stderr: '' });
});

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s ends it while it waits', async (signal, code) => {
  requiresPosix('signals that a process can handle');
  const child = startFirstseen(['pipe'], { cwd });
  const result = finished(child);
  await once(child.stdout, 'data');
  child.kill(signal);
  const { code: exitCode, stderr } = await result;
  expect([exitCode, stderr]).toEqual([
    code,
    `firstseen: stopped by ${signal} after the last request that was answered\n`,
  ]);
});

test('it ends when its parent is killed', async () => {
  requiresPosix('signals that a process can handle');
  const program = `
    const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, [${JSON.stringify(mainPath)}, 'pipe'], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdout.once('data', () => console.log('began'));
  `;
  const parent = spawn(process.execPath, ['-e', program], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  await once(parent.stdout, 'data');
  parent.kill('SIGKILL');
  // Standard error is closed when both have ended.
  const [code, signal] = await once(parent, 'close');
  expect([code, signal]).toEqual([null, 'SIGKILL']);
});
