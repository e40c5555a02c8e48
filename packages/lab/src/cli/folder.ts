// Folders for what the lab writes, made before its runs: hours of them must not end in results that have no place.

import { mkdir } from 'node:fs/promises';
import { FirstseenError } from 'firstseen';

/** Makes a folder, and those that it is in, where there is none. @throws FirstseenError E_OUTPUT where it cannot be made. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FirstseenError('E_OUTPUT', `"${path}" cannot be made a folder: ${reason}; name another place`, { cause });
  }
}
