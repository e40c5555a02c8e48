// The error of work that was given to a thread.

import { FirstseenError } from './errors.js';

/** A thread ended before its work was done. */
export function threadEnded(details: string, cause?: unknown): FirstseenError {
  const remedy = 'repeat the work since the last saved state, with fewer threads if memory is short';
  const problem = `a thread ended before its work was done${details}`;
  return new FirstseenError('E_THREAD', problem, { remedy, ...(cause === undefined ? {} : { cause }) });
}
