// What a killed run leaves of its lock, at each moment of making it.

import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { lockState } from '../../../../src/io/lock/lock.js';
import { type Processes, processesHere } from '../../../../src/io/lock/processes.js';
import { temporaryFolder } from '../../../cli/support/command.js';

vi.mock('node:fs', { spy: true });

type Step = (...values: unknown[]) => unknown;

/** The functions by which a run makes its lock. */
const steps = { mkdirSync, writeFileSync, renameSync, writeSync };

/** Calls a function after each step. */
async function afterEachStep(use: () => void): Promise<void> {
  const real = await vi.importActual<typeof steps>('node:fs');
  // The function itself may call those that are steps.
  let isBetween = true;
  for (const name of Object.keys(steps) as (keyof typeof steps)[]) {
    vi.mocked(steps[name] as Step).mockImplementation((...values) => {
      const result = (real[name] as Step)(...values);
      if (isBetween) {
        isBetween = false;
        use();
        isBetween = true;
      }
      return result;
    });
  }
}

/** The processes of this machine, of which the one that locks has ended. */
function endedProcesses(): Processes {
  const { self, livenessOf } = processesHere();
  const ended = { ...self, pid: 999_999_999 };
  return { self: ended, livenessOf: (other) => (other.pid === ended.pid ? 'dead' : livenessOf(other)) };
}

test('a run that is killed at any moment of locking keeps nobody waiting', async () => {
  const folder = temporaryFolder();
  const processes = endedProcesses();
  const left: string[] = [];
  await afterEachStep(() => {
    const copy = join(folder, `copy${left.length}`);
    left.push(copy);
    cpSync(join(folder, 's.lock'), `${copy}.lock`, { recursive: true });
  });
  await lockState(join(folder, 's'), { processes });
  vi.resetAllMocks();
  expect(left.length).toBeGreaterThanOrEqual(5);
  for (const state of left) {
    const warnings: Error[] = [];
    // A second run in the place of the one that was killed, whose end the system shows.
    const lock = await lockState(state, {
      processes: { ...processesHere(), livenessOf: processes.livenessOf },
      onWarning: (warning) => warnings.push(warning),
    });
    expect(readdirSync(`${state}.lock`)).toHaveLength(1);
    lock.release();
    expect(existsSync(`${state}.lock`)).toBe(false);
    expect(warnings).toEqual([]);
  }
});

test('a run whose disk is full while it locks leaves nothing behind', async () => {
  const folder = temporaryFolder();
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  vi.mocked(writeFileSync).mockImplementationOnce(() => {
    throw full;
  });
  await expect(lockState(join(folder, 's'))).rejects.toMatchObject({ code: 'E_STATE_FILE', cause: full });
  expect(readdirSync(folder)).toEqual([]);
});
