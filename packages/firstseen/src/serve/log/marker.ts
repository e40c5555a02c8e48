// What a data folder is: a file that every start compares, so that a server does not begin with nothing where its volume is missing. It names
// the newest files, so that a start finds out if they were removed.

import { randomUUID } from 'node:crypto';
import { existsSync, type Stats } from 'node:fs';
import { readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../base/defined.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { createBeside, replaceBeside } from '../../checkpoint/part.js';
import { type LockOptions, lockState, type StateLock } from '../../io/lock/lock.js';
import { notFolder } from '../../io/system/makefolder.js';
import { shownPath, systemPath } from '../../io/system/paths.js';
import { type SystemProblem, systemProblem } from '../../io/system/systemproblem.js';
import { MARKER, sequencesOf } from './files.js';

const VERSION = 2;

/** The newest files of a folder, by their sequences. Newer ones may be there too: they are noted after they are written. */
export interface NotedFiles {
  log?: number | undefined;
  snapshot?: number | undefined;
  /** The number of the last block of the log that was on the disk then. */
  lastBlock?: number | undefined;
}

/** The name and the age of a data folder. */
export interface FolderIdentity {
  /** A name that no other folder has. */
  readonly id: string;
  /** The time at which the folder was made, in milliseconds since 1970. */
  readonly createdMilliseconds: number;
}

interface Marker extends NotedFiles, FolderIdentity {
  version: number;
  /** The type of the file system, as the system numbers it. */
  fileSystem: number;
}

/** Problems of the system for which a file elsewhere is no remedy: another folder would be a server without its data. */
const problemsInFolders: Readonly<Record<string, SystemProblem>> = {
  ENOSPC: { problem: 'its disk is full', remedy: 'free space on its disk' },
  EDQUOT: { problem: 'the disk quota is used up', remedy: 'free space, or raise the quota' },
  EISDIR: { problem: 'a directory has the name of one of its files', remedy: 'move the directory away' },
};

/** The error of the system that is the cause of another one, or is it itself. */
function systemErrorOf(error: unknown): NodeJS.ErrnoException | undefined {
  const { syscall, cause } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall !== undefined) return error as NodeJS.ErrnoException;
  return cause === undefined ? undefined : systemErrorOf(cause);
}

function folderError(folder: string, cause: unknown): FirstseenError {
  const { problem, remedy } = {
    ...systemProblem(cause, 'write'),
    ...problemsInFolders[(cause as NodeJS.ErrnoException).code ?? ''],
  };
  const message = `cannot use data folder ${shownPath(folder)}: ${problem}`;
  return new FirstseenError('E_STATE_FILE', message, defined({ remedy, cause }));
}

/** An error in a data folder, with what to do about one of the system. Other errors say it themselves. */
export function errorIn(folder: string, error: unknown): unknown {
  const system = systemErrorOf(error);
  if (system === undefined) return error;
  if (!(error instanceof FirstseenError)) return folderError(folder, system);
  const { remedy } = problemsInFolders[system.code ?? ''] ?? {};
  const { code, problem, details } = error.data;
  return remedy === undefined ? error : new FirstseenError(code, problem, { ...details, remedy, cause: error });
}

async function readMarker(path: string): Promise<Marker | undefined> {
  try {
    return JSON.parse(await readFile(systemPath(path), 'utf8')) as Marker;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new FirstseenError('E_STATE_FILE', `${shownPath(path)} is damaged: ${cause.message}`, {
      remedy:
        'restore it from a copy of the data folder, or remove it: the next start creates it again and reads the log and the snapshots',
      cause,
    });
  }
}

/** The error for a folder without a marker, where data is required. */
async function missingMarker(folder: string): Promise<FirstseenError> {
  const files = await Promise.all([sequencesOf(folder, 'log'), sequencesOf(folder, 'snapshot')]);
  if (files.flat().length > 0) {
    return new FirstseenError(
      'E_STATE_FILE',
      `data folder ${shownPath(folder)} has data of a server, but no ${MARKER}`,
      {
        remedy: phrase`restore ${MARKER} from a copy of the folder, or start once without ${optionName('requireData')}: that creates the file again, and reads the data`,
      },
    );
  }
  return noData(folder);
}

/** The error for a folder that has no data or does not exist, where data is required. */
function noData(folder: string): FirstseenError {
  return new FirstseenError('E_STATE_FILE', `data folder ${shownPath(folder)} has no data of a server`, {
    remedy: phrase`mount the volume that has it; for the first start of all, make an empty data folder with firstseen serve ${optionName('init')}, or leave ${optionName('requireData')} out`,
  });
}

/** The error for a folder that a server had, and that is not in its place any more; undefined if it is there. */
function lostFolder(folder: string): FirstseenError | undefined {
  if (existsSync(systemPath(join(folder, MARKER)))) return undefined;
  return new FirstseenError(
    'E_STATE_FILE',
    `data folder ${shownPath(folder)} is gone: its volume is no longer mounted, or the folder was removed or moved away`,
    {
      remedy: phrase`mount the volume, or bring the folder back, and start again, with ${optionName('requireData')}: without it, a start where the folder is missing begins with nothing`,
    },
  );
}

/** Locks a folder. @throws FirstseenError E_STATE_FILE when that is not possible; the reason of the signal */
export function lockFolder(folder: string, options: Omit<LockOptions, 'locked'>): Promise<StateLock> {
  const remedy = phrase`wait until it ends, or give another ${optionName('folder')}`;
  const locked = { kind: 'data folder', path: shownPath(folder), user: 'server', remedy } as const;
  return lockState(join(folder, MARKER), { ...options, locked }).catch((error) => {
    throw errorIn(folder, error);
  });
}

/** @throws FirstseenError E_STATE_FILE when the folder is gone, or another process has taken it */
export function checkHeld(folder: string, lock: StateLock): void {
  try {
    lock.check();
  } catch (error) {
    // Other errors say nothing of that: the disk may be full.
    if (error instanceof FirstseenError) throw lostFolder(folder) ?? error;
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

function contentOf(marker: Marker): string {
  return `${JSON.stringify(marker)}\n`;
}

async function writeMarker(folder: string, marker: Marker): Promise<void> {
  const path = join(folder, MARKER);
  await replaceBeside(path, path, contentOf(marker));
}

/** Marks a folder that is new. @returns its marker, which another process may have made at the same time */
async function markNew(folder: string, fileSystem: number): Promise<{ marker: Marker; isNew: boolean }> {
  const marker = { version: VERSION, id: randomUUID(), createdMilliseconds: Date.now(), fileSystem };
  const path = join(folder, MARKER);
  const isNew = await createBeside(path, contentOf(marker), marker.id);
  const made = isNew ? marker : await readMarker(path);
  return { marker: made ?? marker, isNew };
}

async function statsOf(folder: string): Promise<Stats | undefined> {
  try {
    return await stat(systemPath(folder));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The identity of a folder, and the files that it had. */
export class FolderMarker implements FolderIdentity {
  readonly #folder: string;
  #marker: Marker;
  /** True if this start made the marker. */
  readonly isNew: boolean;

  private constructor(folder: string, { marker, isNew }: { marker: Marker; isNew: boolean }) {
    this.#folder = folder;
    this.#marker = marker;
    this.isNew = isNew;
  }

  /**
   * Checks a data folder, and marks one that is new.
   * @param isRequired refuses a folder that is new
   * @throws FirstseenError E_STATE_FILE when it cannot be written, is not the one of the last start, or is of another version.
   */
  static async open(folder: string, isRequired = false): Promise<FolderMarker> {
    try {
      const stats = await statsOf(folder);
      if (stats === undefined && isRequired) throw noData(folder);
      if (!stats?.isDirectory()) throw notFolder(folder);
      const { type } = await statfs(systemPath(folder));
      const marker = await readMarker(join(folder, MARKER));
      if (marker) check(folder, marker, type);
      else if (isRequired) throw await missingMarker(folder);
      return new FolderMarker(folder, marker ? { marker, isNew: false } : await markNew(folder, type));
    } catch (error) {
      throw error instanceof FirstseenError ? error : folderError(folder, error);
    }
  }

  get id(): string {
    return this.#marker.id;
  }

  get createdMilliseconds(): number {
    return this.#marker.createdMilliseconds;
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
