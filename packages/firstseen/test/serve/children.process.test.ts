// Sources have no program that compacts, so each task fails with what the process wrote. test/cli/serve.process.test.ts runs the built one.

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { launchCompactor } from '../../src/serve/log/process.js';

const task = { folder: "a folder's name", from: undefined, to: 1, part: 'part', isUrgent: false };

const supervision = { onProgress: () => undefined, signal: new AbortController().signal };

/** The shells that this process has started. */
function shells(): string[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const own = lines.map((line) => line.trim().split(/\s+/)).filter(([, parent]) => Number(parent) === process.pid);
  return own.filter((line) => line.includes('IFS=')).map(([pid]) => pid as string);
}

test.skipIf(process.platform === 'win32')(
  'a shell starts the processes, and this process does without it',
  async () => {
    const before = shells();
    const compact = launchCompactor();
    const started = shells().filter((pid) => !before.includes(pid));
    expect(started).toHaveLength(1);
    for (let i = 0; i < 2; i++) await expect(compact(task, supervision)).rejects.toThrow(/compact\.js/);
    const controller = new AbortController();
    const running = compact(task, { ...supervision, signal: controller.signal });
    // Also one that is stopped is ended.
    process.kill(Number(started[0]), 'SIGSTOP');
    controller.abort();
    await expect(running).rejects.toThrow(/the shell that started it/);
    await expect.poll(() => shells().filter((pid) => started.includes(pid))).toEqual([]);
    await expect(compact(task, supervision)).rejects.toThrow(/compact\.js/);
  },
);
