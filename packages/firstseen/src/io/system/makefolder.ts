// Makes folders for states and partitions.

import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FirstseenError } from '../../base/errors.js';
import { shownPath, systemPath } from './paths.js';
import { systemProblem } from './systemproblem.js';

async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(systemPath(path)).catch(() => undefined);
  return stats?.isDirectory() ?? false;
}

/** Makes a folder, unless it is there, as when another process has made it meanwhile. @throws Error of the system */
async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(systemPath(path));
  } catch (error) {
    if (!(await isFolder(path))) throw error;
  }
}

/**
 * Makes a folder in those above it, unless it exists. Node's recursive form never ends below /proc in Node 22.
 * @throws Error of the system
 */
export async function makeFolders(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolders(dirname(path));
    await makeOne(path);
  }
}

/** The error for a file where a folder is expected. */
export function notFolder(path: string): FirstseenError {
  return new FirstseenError('E_STATE_FILE', `${shownPath(path)} is not a folder`, { remedy: 'name a folder' });
}

/**
 * Makes a folder, and those above it, unless it exists.
 * @throws FirstseenError E_STATE_FILE
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeFolders(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') throw notFolder(path);
    const { problem } = systemProblem(cause, 'write');
    throw new FirstseenError('E_STATE_FILE', `cannot create folder ${path}: ${problem}`, { cause });
  }
}
