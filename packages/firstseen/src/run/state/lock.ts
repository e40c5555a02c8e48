// Locks a state for one run: a folder beside the state, in which every run creates a file named by its process id. A run creates its
// file before it looks for others, so of two runs that start together, at least one sees the other (Lamport, A New Solution of
// Dijkstra's Concurrent Programming Problem, CACM 1974). A run removes only its own file and those of dead processes. So a stale lock
// never has to be taken over, which two runs could do at once.

import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ErrorDetails, FirstseenError } from '../../errors.js';

/** The states that this process has locked, by path. A file named by a process id cannot tell two runs in one process apart. */
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

/** Whether a process has ended but its parent has not waited for it, which in a container may never happen. Works on Linux. */
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

/** A run that ends removes the folder, possibly between the two calls. Every retry means that some run has ended. */
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

/** Another live process that has announced itself. The files of dead processes are removed. */
function findOther(state: string): number | undefined {
  for (const name of readdirSync(lockPath(state))) {
    const pid = Number(name);
    if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) continue;
    if (isAlive(pid)) return pid;
    rmSync(join(lockPath(state), name), { force: true });
  }
  return undefined;
}

/** Removes the own file, and the folder unless it contains the files of other runs. */
function withdraw(state: string): void {
  try {
    rmSync(ownPath(state), { force: true });
    rmdirSync(lockPath(state));
  } catch {
    // Another run has a file in it, or has removed it already.
  }
}

function lockError(state: string, reason: string, details: ErrorDetails): FirstseenError {
  return new FirstseenError('E_STATE_FILE', `cannot use state ${state}: ${reason}`, details);
}

/** @throws FirstseenError when another process has locked the state; Error when the lock cannot be written. Nothing is left behind. */
function takeFromOthers(state: string): void {
  try {
    announce(state);
    const other = findOther(state);
    if (other === undefined) return;
    throw lockError(state, `another run (process ${other}) uses it`, {
      remedy: `wait until it ends, or remove ${join(lockPath(state), String(other))} if that process is not such a run`,
    });
  } catch (cause) {
    withdraw(state);
    throw cause;
  }
}

/** @throws FirstseenError when a run of this process has locked the state: its file would look like the own one. */
function checkNotHeld(state: string): void {
  if (held.has(resolve(state))) {
    throw lockError(state, 'another run of this process uses it', { remedy: 'wait until it ends' });
  }
}

/**
 * Locks a state for one run of this process until the returned function is called, once, or the process ends. Of runs that start
 * at the same instant, possibly none gets the lock, but never more than one.
 * @throws FirstseenError E_STATE_FILE when another run has locked the state, or the lock cannot be written.
 */
export function lockState(state: string): () => void {
  try {
    checkNotHeld(state);
    takeFromOthers(state);
  } catch (cause) {
    if (cause instanceof FirstseenError) throw cause;
    if (codeOf(cause) !== 'ENOTDIR') throw lockError(state, (cause as Error).message, { cause });
    const remedy = 'remove it if no run uses the state';
    throw lockError(state, `${lockPath(state)} is not a directory`, { remedy, cause });
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
