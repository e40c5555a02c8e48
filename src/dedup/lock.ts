// One run at a time on a state: a file beside it that holds the process id of the run.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { FirstseenError } from '../errors.js';

export function lockPath(state: string): string {
  return `${state}.lock`;
}

/** Whether the process that wrote a lock is another one and lives; one that was killed has left its lock behind. */
function isHeld(path: string): boolean {
  const pid = Number(readFileSync(path, 'utf8'));
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function tryWrite(path: string): boolean {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isOurs(path: string): boolean {
  try {
    return Number(readFileSync(path, 'utf8')) === process.pid;
  } catch {
    return false;
  }
}

/** Gives a state free that this process has. */
export function unlockState(state: string): void {
  if (isOurs(lockPath(state))) rmSync(lockPath(state), { force: true });
}

/**
 * Keeps a state to this process until it is unlocked or the process ends.
 * @throws FirstseenError E_STATE_FILE when another process has it, or the lock cannot be written.
 */
export function lockState(state: string): void {
  const path = lockPath(state);
  try {
    if (!tryWrite(path)) {
      if (isHeld(path)) {
        const pid = readFileSync(path, 'utf8').trim();
        throw new Error(
          `another run (process ${pid}) uses it; wait for its end, or remove ${path} if it is no such run`,
        );
      }
      rmSync(path, { force: true });
      if (!tryWrite(path)) throw new Error('another run has just begun to use it');
    }
  } catch (cause) {
    throw new FirstseenError('E_STATE_FILE', `cannot use state ${state}: ${(cause as Error).message}`, { cause });
  }
  process.once('exit', () => unlockState(state));
}
