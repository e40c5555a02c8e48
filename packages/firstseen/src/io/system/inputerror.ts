// Errors of inputs.

import { FirstseenError } from '../../base/errors.js';
import { STANDARD_STREAM } from './paths.js';
import { systemDetails, systemProblem } from './systemproblem.js';

/** The error for an input that is a directory. */
export function folderError(path: string, cause?: unknown): FirstseenError {
  return new FirstseenError('E_INPUT', `cannot read ${path}: it is a directory`, {
    remedy: 'name the files in it',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The error for an input that cannot be read. An error with a code of its own remains as it is. */
export function inputError(path: string, cause: unknown): FirstseenError {
  if (cause instanceof FirstseenError) return cause;
  const name = path === STANDARD_STREAM ? 'standard input' : path || '""';
  if (cause instanceof Error && 'code' in cause && cause.code === 'EISDIR') return folderError(name, cause);
  const { problem } = systemProblem(cause, 'read');
  return new FirstseenError('E_INPUT', `cannot read ${name}: ${problem}`, systemDetails(cause, 'read'));
}
