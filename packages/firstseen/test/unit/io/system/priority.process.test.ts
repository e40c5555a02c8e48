// The priority of the built programs that write snapshots, of the server and of the worker for Kafka.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../cli/support/command.js';
import { packageFolder } from '../../../support/folders.js';

interface Program {
  name: string;
  /** The arguments and the standard input that give it a task, at which it fails. */
  call: (isUrgent: boolean) => { args?: string[]; input?: string };
}

const programs: Program[] = [
  {
    name: 'compact.js',
    call: (isUrgent) => ({ args: [JSON.stringify({ folder: '/missing', to: 1, part: 'part', isUrgent })] }),
  },
  {
    name: 'kafkasnapshot.js',
    call: (isUrgent) => ({ input: `${JSON.stringify({ task: { folder: '/missing', isUrgent }, client: {} })}\n` }),
  },
];

/** Runs a program, and returns its priority at its end. */
function priorityOf({ name, call }: Program, isUrgent: boolean): number {
  const report = join(temporaryFolder(), 'report.cjs');
  writeFileSync(report, "process.on('exit', () => console.log('priority', require('node:os').getPriority()));");
  const { args = [], input } = call(isUrgent);
  const words = ['--require', report, join(packageFolder, 'dist/chunks', name), ...args];
  const { stdout } = spawnSync(process.execPath, words, {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    encoding: 'utf8',
    ...(input === undefined ? {} : { input }),
  });
  return Number(/priority (-?\d+)\s*$/.exec(stdout)?.[1]);
}

test.skipIf(process.platform === 'win32').each(programs)(
  '$name leaves the processor to others unless its work is urgent',
  (program) => {
    // A process may lower its priority, and not raise it.
    expect(priorityOf(program, false)).toBe(Math.max(10, getPriority()));
    expect(priorityOf(program, true)).toBe(getPriority());
  },
);
