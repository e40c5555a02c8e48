// Reads a file that an option names.

import { readFile, stat } from 'node:fs/promises';
import { FirstseenError } from '../../base/errors.js';
import { shownPath, systemPath } from './paths.js';
import { systemDetails, systemProblem } from './systemproblem.js';

const WORLD_READABLE = 0o004;

/**
 * The bytes of a file that an option names.
 * @param origin where the name was given, for errors
 * @param onWarning given for a secret: told if every user of the machine can read it
 * @throws FirstseenError E_INPUT for a file that cannot be read
 */
export async function readNamedFile(
  path: string,
  origin: string,
  onWarning?: (message: string) => void,
): Promise<Buffer> {
  try {
    const { mode } = await stat(systemPath(path));
    if (onWarning && process.platform !== 'win32' && (mode & WORLD_READABLE) !== 0) {
      onWarning(`every user of this machine can read ${shownPath(path)}; take that permission away (chmod o-r)`);
    }
    return await readFile(systemPath(path));
  } catch (cause) {
    const { problem } = systemProblem(cause, 'read');
    const text = `cannot read ${shownPath(path)}, which ${origin} names: ${problem}`;
    throw new FirstseenError('E_INPUT', text, systemDetails(cause, 'read'));
  }
}
