// Folders for what the laboratory writes. They are made before the runs, which may take hours.

import { mkdir } from 'node:fs/promises';
import { FirstseenError } from 'firstseen';

/** Makes a folder and its parents, if they do not exist. @throws FirstseenError E_OUTPUT if it cannot be made. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FirstseenError('E_OUTPUT', `the folder "${path}" cannot be created: ${reason}`, {
      given: path,
      remedy: 'give another folder',
      cause,
    });
  }
}
