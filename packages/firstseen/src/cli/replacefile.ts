// Replaces a file as a whole: a reader sees the old content or the new, never a part.

import { open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { linkedFile } from '../io/system/identity.js';
import { systemPath } from '../io/system/paths.js';
import { giveAccess, PRIVATE_MODE, replacedFile } from '../io/system/replaced.js';

/** A pipe or a device, which cannot be replaced. */
async function isSpecial(path: string): Promise<boolean> {
  const found = await stat(systemPath(path)).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/** Returns the path at which the new content of a file is written before it is renamed. */
export function replacementPath(path: string): string {
  // A link stays one.
  return `${linkedFile(path)}.part`;
}

/** @throws Error when the file cannot be written; then the old content remains. */
export async function replaceFile(path: string, text: string): Promise<void> {
  if (await isSpecial(path)) return writeFile(systemPath(path), text);
  const file = linkedFile(path);
  const part = systemPath(replacementPath(path));
  try {
    const oldFile = await replacedFile(file);
    const handle = await open(part, 'w', oldFile && PRIVATE_MODE);
    try {
      await handle.writeFile(text);
      if (oldFile) await giveAccess(handle, oldFile).catch(() => undefined);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, systemPath(file));
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}
