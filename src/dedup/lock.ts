// One run at a time on a state: a folder beside it, in which a run leaves a file that is named by its process id. It does so
// before it looks for others, so of two that start at once at least one sees the other (Lamport, A New Solution of Dijkstra's
// Concurrent Programming Problem, CACM 1974). Nobody takes away but his own file and those of the dead, which have no use for
// them, so a lock that is left behind needs no taking over that two could do at once.

import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FirstseenError } from '../errors.js';

export function lockPath(state: string): string {
  return `${state}.lock`;
}

function ownPath(state: string): string {
  return join(lockPath(state), String(process.pid));
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Whether a process has ended and only its parent has not asked after it, which in a container may never happen. Linux tells. */
function isZombie(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z /s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !isZombie(pid);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** A run that ends takes the folder away, so it may go between the two calls; each time that happens, one has ended. */
function announce(state: string): void {
  for (;;) {
    makeFolder(lockPath(state));
    try {
      writeFileSync(ownPath(state), '', { mode: 0o600 });
      return;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
}

/** Another process that has announced itself and lives; the files of those that were killed are taken away. */
function findOther(state: string): number | undefined {
  for (const name of readdirSync(lockPath(state))) {
    const pid = Number(name);
    if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) continue;
    if (isAlive(pid)) return pid;
    rmSync(join(lockPath(state), name), { force: true });
  }
  return undefined;
}

/** Gives a state free that this process has; nothing happens to that of another. */
export function unlockState(state: string): void {
  try {
    rmSync(ownPath(state), { force: true });
    rmdirSync(lockPath(state));
  } catch {
    // Others have announced themselves in it, or have taken it away already.
  }
}

/**
 * Keeps a state to this process until it is unlocked or the process ends. Of runs that start at the same instant none may
 * get it, but never more than one.
 * @throws FirstseenError E_STATE_FILE when another process has it, or the lock cannot be written.
 */
export function lockState(state: string): void {
  try {
    announce(state);
    const other = findOther(state);
    if (other !== undefined) {
      throw new Error(
        `another run (process ${other}) uses it; wait for its end, or remove ${join(lockPath(state), String(other))} if it is no such run`,
      );
    }
  } catch (cause) {
    unlockState(state);
    const isFile = codeOf(cause) === 'ENOTDIR';
    const reason = isFile
      ? `${lockPath(state)} is no folder; remove it if no run uses the state`
      : (cause as Error).message;
    throw new FirstseenError('E_STATE_FILE', `cannot use state ${state}: ${reason}`, { cause });
  }
  process.once('exit', () => unlockState(state));
}
