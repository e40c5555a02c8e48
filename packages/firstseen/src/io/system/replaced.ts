// What a file keeps when another one takes its name: the owner and the permissions.

import type { Stats } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { systemPath } from './paths.js';

/** The bits of a mode that are permissions. */
const PERMISSIONS = 0o7777;

/** The mode of a new file. Only its owner can read it until it has the permissions of the file that it replaces. */
export const PRIVATE_MODE = 0o600;

/**
 * Gives a file the owner and the permissions of the file that it will replace. It must be complete: a write takes permissions away.
 * @throws Error of the system when the process may not do that
 */
export async function giveAccess(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const found = await file.stat();
  if (found.uid !== uid || found.gid !== gid) await file.chown(uid, gid);
  // A change of the owner takes permissions away too.
  await file.chmod(mode & PERMISSIONS);
}

/** The file that will be replaced; undefined if there is none. */
export function replacedFile(path: string): Promise<Stats | undefined> {
  return stat(systemPath(path)).catch(() => undefined);
}
