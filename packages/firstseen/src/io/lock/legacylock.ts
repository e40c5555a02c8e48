// Locks of earlier versions, which have only the number of a process. In 0.1.0 the lock was a file that contains the number. Later it
// was a folder of empty files that are named by their processes.

import { readFileSync, rmSync, statSync } from 'node:fs';
import { systemPath } from '../system/paths.js';
import type { Processes } from './processes.js';

/** The process number in a name or a text; undefined for anything else. */
export function processNumber(text: string): number | undefined {
  return /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
}

/** Whether the process may still have the lock that it wrote to this file. If not, the file is removed. */
export function isStillLocked(path: string, pid: number, processes: Processes): boolean {
  const written = statSync(systemPath(path), { throwIfNoEntry: false })?.mtimeMs;
  if (written === undefined) return false;
  if (processes.canBeWriter(pid, written)) return true;
  rmSync(systemPath(path), { force: true });
  return false;
}

/** The process in a lock of 0.1.0; 0, which no process has, if it was killed before it wrote its number; undefined for no lock. */
export function numberInFile(path: string): number | undefined {
  if (!statSync(systemPath(path), { throwIfNoEntry: false })?.isFile()) return undefined;
  const text = readFileSync(systemPath(path), 'latin1').trim();
  return text === '' ? 0 : processNumber(text);
}
