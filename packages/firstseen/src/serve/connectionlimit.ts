// The limit of connections that leaves a server files to open for its log and its snapshots.

import { formatCount } from '../base/count.js';
import { FirstseenError } from '../base/errors.js';
import { limitsHere, type ProcessLimits } from '../io/system/limits.js';

/** Open files besides connections: the log, snapshots, pipes of processes, and sockets whose client is being refused. */
const FILES_OF_SERVER = 64;

/** The share of the requested connections below which an administrator is told. */
const TOLD_BELOW = 0.9;

/** The most connections of each port, and what to tell an administrator if they are fewer than were requested. */
export interface ConnectionLimit {
  readonly maxConnections: number;
  readonly warning?: string;
}

/**
 * Returns the most connections that each of some ports may have. Without such a limit, clients take all files of the process, and the owner's
 * changes are refused once the log needs another one.
 * @throws FirstseenError E_INPUT when the process may not open as many files as a server needs
 */
export function connectionLimit(
  { maxConnections, ports }: { maxConnections: number; ports: number },
  { openFiles, usedFiles }: ProcessLimits = limitsHere(),
): ConnectionLimit {
  if (openFiles === undefined) return { maxConnections };
  const granted = Math.min(maxConnections, Math.floor((openFiles - usedFiles - FILES_OF_SERVER) / ports));
  if (granted >= TOLD_BELOW * maxConnections) return { maxConnections: granted };
  const needed = usedFiles + FILES_OF_SERVER + ports;
  if (granted < 1) {
    const problem = `this process may have ${openFiles} open files, but a server needs at least ${needed}`;
    throw new FirstseenError('E_INPUT', problem, { remedy: 'raise the limit (ulimit -n)' });
  }
  const [files, most, requested] = [openFiles, granted, maxConnections].map(formatCount);
  return {
    maxConnections: granted,
    warning: `this process may have ${files} open files, so each port takes ${most} connections at most, not ${requested}; raise the limit (ulimit -n)`,
  };
}
