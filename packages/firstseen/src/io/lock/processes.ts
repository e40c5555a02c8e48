// The processes that can hold the lock of a state. A process number alone is not an identity: every PID namespace has a process 1,
// and numbers are used again. A process is recognized by its machine, the boot of the machine, its PID namespace, its number and its
// start time. Only Linux has all of them (proc(5), pid_namespaces(7)).

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process, as a lock keeps it. */
export interface ProcessIdentity {
  readonly host: string;
  /** Random number that the kernel draws when it starts; null where there is none. */
  readonly boot: string | null;
  /** Null where there are no PID namespaces. */
  readonly pidNamespace: string | null;
  readonly pid: number;
  /** Clock ticks from the boot to the start of the process; null where the system does not say. */
  readonly start: string | null;
}

/** `unknown` for a process that cannot be seen from here, such as one in another PID namespace or on another machine. */
export type Liveness = 'alive' | 'dead' | 'unknown';

/** The functions that tell a lock about processes. */
export interface Processes {
  readonly self: ProcessIdentity;
  livenessOf(other: ProcessIdentity): Liveness;
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** The state and the start time of a process; null where /proc does not show it. */
function statOf(pid: number): { isZombie: boolean; start: string } | null {
  // The name of the program, in parentheses, may contain anything. Fields after it are numbered from 3.
  const fields = readText(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ');
  const start = fields?.[22 - 3];
  return start === undefined ? null : { isZombie: fields?.[0] === 'Z', start };
}

/** Tells if the numbers in /proc are those of the own PID namespace. After `unshare --pid` they may be those of its parent. */
function isProcOwn(): boolean {
  return linkTarget('/proc/self') === String(process.pid);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, but belongs to another user.
    return codeOf(error) !== 'ESRCH';
  }
}

function livenessHere({ pid, start }: ProcessIdentity): Liveness {
  if (!isRunning(pid)) return 'dead';
  const now = isProcOwn() ? statOf(pid) : null;
  if (now === null || start === null) return 'unknown';
  // A process that has ended, but for which its parent has not waited, stays a zombie. In a container, it may stay one forever.
  return now.isZombie || now.start !== start ? 'dead' : 'alive';
}

function isSameTable(a: ProcessIdentity, b: ProcessIdentity): boolean {
  if (a.boot === null || a.pidNamespace === null) return false;
  return a.host === b.host && a.boot === b.boot && a.pidNamespace === b.pidNamespace;
}

function thisProcess(): ProcessIdentity {
  return {
    host: hostname(),
    boot: readText('/proc/sys/kernel/random/boot_id')?.trim() ?? null,
    pidNamespace: linkTarget('/proc/self/ns/pid'),
    pid: process.pid,
    start: isProcOwn() ? (statOf(process.pid)?.start ?? null) : null,
  };
}

/** The processes of this machine, as this process sees them. */
export function processesHere(): Processes {
  const self = thisProcess();
  return {
    self,
    livenessOf: (other) => (isSameTable(self, other) ? livenessHere(other) : 'unknown'),
  };
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

/** A process from its JSON; undefined for anything else, such as a file that was written only in part. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    const { host, boot, pidNamespace, pid, start } = JSON.parse(text) as Record<string, unknown>;
    if (typeof host !== 'string' || !Number.isSafeInteger(pid)) return undefined;
    if (![boot, pidNamespace, start].every(isTextOrNull)) return undefined;
    return { host, boot, pidNamespace, pid, start } as ProcessIdentity;
  } catch {
    return undefined;
  }
}

/** Tells if two identities are of the same process for certain. */
export function isSameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return isSameTable(a, b) && a.pid === b.pid && a.start !== null && a.start === b.start;
}
