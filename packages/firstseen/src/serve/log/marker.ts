// What a data folder is: a file that every start compares, so that a server does not begin with nothing where its volume is missing.

import { randomUUID } from 'node:crypto';
import { readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { FirstseenError } from '../../base/errors.js';
import { replaceBeside } from '../../checkpoint/part.js';
import { shownPath, systemPath } from '../../io/system/paths.js';
import { systemDetails, systemProblem } from '../../io/system/systemproblem.js';
import { MARKER } from './files.js';

const VERSION = 1;

interface Marker {
  version: number;
  /** Tells two folders apart. */
  id: string;
  /** The type of the file system, as the system numbers it. */
  fileSystem: number;
}

function folderError(folder: string, cause: unknown): FirstseenError {
  const { problem } = systemProblem(cause, 'write');
  const message = `cannot use data folder ${shownPath(folder)}: ${problem}`;
  return new FirstseenError('E_STATE_FILE', message, systemDetails(cause, 'write'));
}

async function readMarker(path: string): Promise<Marker | undefined> {
  try {
    return JSON.parse(await readFile(systemPath(path), 'utf8')) as Marker;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function check(folder: string, marker: Marker, fileSystem: number): void {
  const path = shownPath(join(folder, MARKER));
  if (marker.version !== VERSION) {
    throw new FirstseenError('E_STATE_FILE', `${path} has the version ${marker.version}, not ${VERSION}`, {
      remedy: 'use the version of firstseen that wrote it',
    });
  }
  if (marker.fileSystem === fileSystem) return;
  throw new FirstseenError(
    'E_STATE_FILE',
    `${shownPath(folder)} is on another file system than at the last start (type ${fileSystem}, not ${marker.fileSystem})`,
    { remedy: `mount its volume; if the folder was moved, write ${fileSystem} as fileSystem in ${path}` },
  );
}

/**
 * Checks a data folder, and marks one that is new.
 * @throws FirstseenError E_STATE_FILE when it cannot be written, is not the one of the last start, or is of another version.
 */
export async function markFolder(folder: string): Promise<void> {
  try {
    if (!(await stat(systemPath(folder))).isDirectory()) {
      throw new FirstseenError('E_STATE_FILE', `${shownPath(folder)} is not a folder`, { remedy: 'name a folder' });
    }
    const { type } = await statfs(systemPath(folder));
    const path = join(folder, MARKER);
    const marker = await readMarker(path);
    if (marker) check(folder, marker, type);
    else
      await replaceBeside(path, path, `${JSON.stringify({ version: VERSION, id: randomUUID(), fileSystem: type })}\n`);
  } catch (error) {
    throw error instanceof FirstseenError ? error : folderError(folder, error);
  }
}
