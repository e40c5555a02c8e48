// The file beside a state in which its next files are written, before they take the place of the old ones.

import { access, type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { systemPath } from '../io/system/paths.js';

/** The file beside a state that shows whether one can be written. */
export function partPath(path: string): string {
  return `${path}.part`;
}

/**
 * Creates a file that only its owner can read, from its first byte on: a state holds records, and the secret of a keyed detector.
 * An existing file of that name, which others may have created or opened, is removed, not written to.
 */
export async function createPart(part: string): Promise<FileHandle> {
  await rm(systemPath(part), { force: true });
  return open(systemPath(part), 'wx', 0o600);
}

/** The errors of file systems that have no second name for a file. */
const WITHOUT_LINKS = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

async function writeWhole(file: FileHandle, content: string): Promise<void> {
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Creates a file that is not there yet. It has its content from the first moment on.
 * @param name tells apart those who create it at the same time
 * @returns whether it was created; false if it is there already
 */
export async function createBeside(path: string, content: string, name: string): Promise<boolean> {
  const part = `${path}.${name}`;
  await writeWhole(await createPart(part), content);
  try {
    await link(systemPath(part), systemPath(path));
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!WITHOUT_LINKS.includes(code)) throw error;
    const exists = await access(systemPath(path)).then(
      () => true,
      () => false,
    );
    if (!exists) await rename(systemPath(part), systemPath(path));
    return !exists;
  } finally {
    await rm(systemPath(part), { force: true });
  }
}

/** Replaces a file beside a state. At every moment the old or the new content is there as a whole. */
export async function replaceBeside(state: string, path: string, content: string): Promise<void> {
  const part = partPath(state);
  await writeWhole(await createPart(part), content);
  await rename(systemPath(part), systemPath(path));
}
