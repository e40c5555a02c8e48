// What Linux tells of other processes.

import { readFileSync } from 'node:fs';

/** A file of a process; empty once it has ended. */
function told(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Whether a process has ended, or waits for its parent to take note of that. */
export function hasEnded(pid) {
  const stat = told(pid, 'stat');
  return stat === '' || /\) [ZX]/.test(stat);
}

export function childrenOf(pid) {
  return told(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

export function commandOf(pid) {
  return told(pid, 'cmdline');
}

/** What a process has in memory, in bytes; 0 once it has ended. */
export function residentBytes(pid) {
  return Number(/^VmRSS:\s+(\d+)/m.exec(told(pid, 'status'))?.[1] ?? 0) * 1024;
}

/** The most that a process has had in memory, in bytes; 0 once it has ended. */
export function peakResidentBytes(pid) {
  return Number(/^VmHWM:\s+(\d+)/m.exec(told(pid, 'status'))?.[1] ?? 0) * 1024;
}

/** Sends a signal to a process that may have ended. */
export function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
