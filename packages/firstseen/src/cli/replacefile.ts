// Replaces a file as a whole: a reader sees the old content or the new, never a part.

import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';

/** The file that a symbolic link names, so that the link stays one. */
function target(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** A pipe or a device, which cannot be replaced. */
async function isSpecial(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/** @throws Error when the file cannot be written; then the old content remains. */
export async function replaceFile(path: string, text: string): Promise<void> {
  if (await isSpecial(path)) return writeFile(path, text);
  const file = await target(path);
  const part = `${file}.part`;
  try {
    const handle = await open(part, 'w');
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}
