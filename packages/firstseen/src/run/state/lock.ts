// One run at a time on a state: a folder beside it, in which a run leaves a file that is named by its process id. It does so
// before it looks for others, so of two that start at once at least one sees the other (Lamport, A New Solution of Dijkstra's
// Concurrent Programming Problem, CACM 1974). Nobody takes away but his own file and those of the dead, which have no use for
// them, so a lock that is left behind needs no taking over that two could do at once.

import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FirstseenError } from '../../errors.js';

/** The states of this process by their paths: a file named by a process says nothing of two runs in it. */
const held = new Set<string>();

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

/** Takes the own file away, and the folder with it unless others have announced themselves in it. */
function withdraw(state: string): void {
  try {
    rmSync(ownPath(state), { force: true });
    rmdirSync(lockPath(state));
  } catch {
    // Others have announced themselves in it, or have taken it away already.
  }
}

/** @throws Error when another process has the state, or the lock cannot be written; nothing is left behind then. */
function takeFromOthers(state: string): void {
  try {
    announce(state);
    const other = findOther(state);
    if (other === undefined) return;
    throw new Error(
      `another run (process ${other}) uses it; wait for its end, or remove ${join(lockPath(state), String(other))} if it is no such run`,
    );
  } catch (cause) {
    withdraw(state);
    throw cause;
  }
}

/** @throws Error when a run of this process has the state, whose file in the folder would look like the own one. */
function checkNotHeld(state: string): void {
  if (held.has(resolve(state))) throw new Error('another run of this process uses it; wait for its end');
}

/**
 * Keeps a state to one run of this process until what is returned is called, once, or the process ends. Of runs that start at the
 * same instant none may get it, but never more than one.
 * @throws FirstseenError E_STATE_FILE when another run has it, or the lock cannot be written.
 */
export function lockState(state: string): () => void {
  try {
    checkNotHeld(state);
    takeFromOthers(state);
  } catch (cause) {
    const isFile = codeOf(cause) === 'ENOTDIR';
    const reason = isFile
      ? `${lockPath(state)} is no folder; remove it if no run uses the state`
      : (cause as Error).message;
    throw new FirstseenError('E_STATE_FILE', `cannot use state ${state}: ${reason}`, { cause });
  }
  const path = resolve(state);
  const giveUp = () => withdraw(path);
  held.add(path);
  process.once('exit', giveUp);
  return () => {
    held.delete(path);
    process.off('exit', giveUp);
    withdraw(path);
  };
}
