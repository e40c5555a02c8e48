// What a data folder is: a file that every start compares, so that a server does not begin with nothing where its volume is missing. It names
// the newest files, so that a start finds out if they were removed.

import { randomUUID } from 'node:crypto';
import { readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { FirstseenError } from '../../base/errors.js';
import { replaceBeside } from '../../checkpoint/part.js';
import { shownPath, systemPath } from '../../io/system/paths.js';
import { systemDetails, systemProblem } from '../../io/system/systemproblem.js';
import { MARKER } from './files.js';

const VERSION = 1;

/** The newest files of a folder, by their sequences. Newer ones may be there too: they are noted after they are written. */
export interface NotedFiles {
  log?: number | undefined;
  snapshot?: number | undefined;
}

interface Marker extends NotedFiles {
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

async function writeMarker(folder: string, marker: Marker): Promise<void> {
  const path = join(folder, MARKER);
  await replaceBeside(path, path, `${JSON.stringify(marker)}\n`);
}

/** What a folder is, and which files it had. */
export class FolderMarker {
  readonly #folder: string;
  #marker: Marker;

  private constructor(folder: string, marker: Marker) {
    this.#folder = folder;
    this.#marker = marker;
  }

  /**
   * Checks a data folder, and marks one that is new.
   * @throws FirstseenError E_STATE_FILE when it cannot be written, is not the one of the last start, or is of another version.
   */
  static async open(folder: string): Promise<FolderMarker> {
    try {
      if (!(await stat(systemPath(folder))).isDirectory()) {
        throw new FirstseenError('E_STATE_FILE', `${shownPath(folder)} is not a folder`, { remedy: 'name a folder' });
      }
      const { type } = await statfs(systemPath(folder));
      const found = await readMarker(join(folder, MARKER));
      if (found) check(folder, found, type);
      const marker = found ?? { version: VERSION, id: randomUUID(), fileSystem: type };
      if (!found) await writeMarker(folder, marker);
      return new FolderMarker(folder, marker);
    } catch (error) {
      throw error instanceof FirstseenError ? error : folderError(folder, error);
    }
  }

  /** The newest files, as far as they were noted. */
  get noted(): NotedFiles {
    return this.#marker;
  }

  /**
   * Notes that files are on the disk, or by undefined that they no longer count. Only the process that has the lock may.
   * @throws FirstseenError E_STATE_FILE when that cannot be written
   */
  async note(files: NotedFiles): Promise<void> {
    const marker = { ...this.#marker, ...files };
    await writeMarker(this.#folder, marker).catch((error) => {
      throw folderError(this.#folder, error);
    });
    this.#marker = marker;
  }
}
