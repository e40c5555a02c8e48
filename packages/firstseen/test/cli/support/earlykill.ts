// Kills a run after its first records have reached the output, before it saves a state.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { requiresPosix } from '../../support/platform.js';
import { finished, startFirstseen } from './command.js';

export interface EarlyKill {
  cwd: string;
  input: string;
  /** What the run has written when it is killed. */
  written: string;
  /** They name the state `s` and the output `out`. */
  flags: readonly string[];
}

/** The run reads the input to its end and then waits for a pipe, which gets nothing. */
export async function killBeforeState({ cwd, input, written, flags }: EarlyKill): Promise<void> {
  requiresPosix('named pipes in folders');
  const [pipe, out] = [join(cwd, 'pipe'), join(cwd, 'out')];
  execFileSync('mkfifo', [pipe]);
  const child = startFirstseen([input, 'pipe', ...flags, '--checkpoint', '1h'], { cwd });
  const ended = finished(child);
  const writing = await open(pipe, 'w');
  while (!existsSync(out) || readFileSync(out, 'utf8') !== written) await sleep(20);
  child.kill('SIGKILL');
  await ended;
  await writing.close();
  expect(existsSync(join(cwd, 's'))).toBe(false);
}
