// The file beside a state in which its next files are written, before they take the place of the old ones.

import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { systemPath } from '../io/system/paths.js';

/** The file beside a state that shows whether one can be written. Up to version 0.1.0 the next state was written there. */
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

/** Replaces a file beside a state. At every moment the old or the new content is there as a whole. */
export async function replaceBeside(state: string, path: string, content: string): Promise<void> {
  const part = partPath(state);
  const file = await createPart(part);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(systemPath(part), systemPath(path));
}
