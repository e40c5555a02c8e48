// Names of files that are on the disk.

import { open } from 'node:fs/promises';
import { systemPath } from './paths.js';

/** Makes the names in a folder durable. Windows cannot open a folder, and its file system keeps a journal of names. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(systemPath(path));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
