// Makes folders for states and partitions.

import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FirstseenError } from '../../base/errors.js';
import { systemPath } from './paths.js';

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

/**
 * Makes a folder, and those above it, unless it exists.
 * @throws FirstseenError E_STATE_FILE
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeFolders(path);
  } catch (cause) {
    const problem = `cannot create folder ${path}: ${(cause as Error).message}`;
    throw new FirstseenError('E_STATE_FILE', problem, { cause });
  }
}
