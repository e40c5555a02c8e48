// The file of a snapshot: read while it may be replaced, and replaced as a whole.

import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FirstseenError, invalidOption } from '../base/errors.js';
import { fillFrom } from '../io/system/fill.js';
import { shownPath, systemPath } from '../io/system/paths.js';
import { syncFolder } from '../io/system/syncfolder.js';
import { type FileAccess, systemDetails, systemProblem } from '../io/system/systemproblem.js';
import type { SnapshotSource } from '../snapshot/parts.js';
import { createPart, partPath } from './part.js';

function fileError(path: string, doing: FileAccess, cause: unknown): FirstseenError {
  const { problem } = systemProblem(cause, doing);
  return new FirstseenError(
    'E_STATE_FILE',
    `cannot ${doing} state ${shownPath(path)}: ${problem}`,
    systemDetails(cause, doing),
  );
}

/** @throws FirstseenError E_PARAMETER unless a program gave a text. */
export function checkStatePath(path: unknown): void {
  if (typeof path === 'string') return;
  const remedy = 'give the path of a state file as text';
  throw invalidOption({ option: 'path', given: path, expected: 'text', remedy });
}

/** The error for a state that has to exist. */
export function noState(path: string, remedy = 'give the name of a state file'): FirstseenError {
  return new FirstseenError('E_STATE_FILE', `there is no state ${shownPath(path)}`, { remedy });
}

/** A file as a source. */
export type FileSource = SnapshotSource & { bytes: number };

function sourceOf(file: FileHandle, bytes: number): FileSource {
  return {
    bytes,
    readAt: async (target, position) => {
      const filledBytes = await fillFrom(file, target, position);
      if (filledBytes < target.length) throw new Error('the file became shorter while it was read');
    },
  };
}

async function exists(path: string): Promise<boolean> {
  try {
    const stats = await stat(systemPath(path));
    // Nobody may ever write to a named pipe, so it is not opened. The error for a folder comes from reading it.
    if (!stats.isFile() && !stats.isDirectory()) {
      const problem = `cannot read state ${path}: it is not a regular file`;
      throw new FirstseenError('E_STATE_FILE', problem, { remedy: 'name a file' });
    }
    return true;
  } catch (error) {
    if (error instanceof FirstseenError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw fileError(path, 'read', error);
  }
}

/** An open file of a snapshot. It stays the file that was opened, also if another one takes its name. */
export class SnapshotFile {
  readonly #path: string;
  readonly #file: FileHandle;
  #isOpen = true;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /**
   * The file, which the caller closes; undefined if there is none.
   * @throws FirstseenError E_STATE_FILE when it cannot be opened.
   */
  static async open(path: string): Promise<SnapshotFile | undefined> {
    if (!(await exists(path))) return undefined;
    try {
      return new SnapshotFile(path, await open(systemPath(path)));
    } catch (error) {
      throw fileError(path, 'read', error);
    }
  }

  /** Uses the file, and closes it. @throws FirstseenError as `open` and `read`; the error of `use` */
  static async use<T>(path: string, use: (file: SnapshotFile | undefined) => Promise<T>): Promise<T> {
    const file = await SnapshotFile.open(path);
    try {
      return await use(file);
    } finally {
      await file?.close();
    }
  }

  /**
   * Calls `use` with the snapshot and returns its result. Errors name the path.
   * @throws FirstseenError E_STATE_FILE when the file cannot be read; the error of `use`.
   */
  async read<T>(use: (source: FileSource) => Promise<T>): Promise<T> {
    try {
      return await use(sourceOf(this.#file, (await this.#file.stat()).size));
    } catch (error) {
      if (error instanceof FirstseenError) throw error.at(this.#path);
      throw fileError(this.#path, 'read', error);
    }
  }

  /** Returns the time at which the file was written, in milliseconds since 1970. */
  async writtenMilliseconds(): Promise<number> {
    return (await this.#file.stat()).mtimeMs;
  }

  /** Closes the file, unless that was done. */
  async close(): Promise<void> {
    if (this.#isOpen) await this.#file.close();
    this.#isOpen = false;
  }
}

/** @throws FirstseenError E_STATE_FILE when no file can be written there, so that a program fails at its start and not at its first save. */
export async function checkWritable(path: string): Promise<void> {
  const part = partPath(path);
  try {
    await (await createPart(part)).close();
    await rm(systemPath(part));
  } catch (error) {
    throw fileError(path, 'write', error);
  }
}

export async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0; ) {
    rest = rest.subarray((await file.write(rest)).bytesWritten);
  }
}

/** The bytes of a snapshot, in pieces of any length. */
export type SnapshotPieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface SnapshotReplacement {
  path: string;
  /** The file in which the new snapshot is written. Its folder is on the same file system. */
  part: string;
  snapshot: SnapshotPieces;
  /** Called with the new file before it gets its name. Throws if the file must not have it. */
  verify?(part: string): Promise<void>;
  /** Called when writing fails. Throws the error to report if there is a better one. */
  check(): void;
  /** Called for each part that is on its way. Then the file is synced in parts too, so that no step of a large one takes long. */
  onProgress?: (() => void) | undefined;
}

/** Bytes that are synced at a time where the progress is told. */
const SYNCED_BYTES = 2 ** 26;

async function writePieces(file: FileHandle, { snapshot, onProgress }: SnapshotReplacement): Promise<void> {
  let unsyncedBytes = 0;
  for await (const bytes of snapshot) {
    await writeAll(file, bytes);
    if (onProgress === undefined) continue;
    unsyncedBytes += bytes.length;
    if (unsyncedBytes >= SYNCED_BYTES) {
      await file.datasync();
      unsyncedBytes = 0;
    }
    onProgress();
  }
}

/**
 * Writes a new file, syncs it, and renames it to its name. At every moment there is a complete snapshot.
 * @throws FirstseenError E_STATE_FILE when that fails; the error of the snapshot. Then the old file remains.
 */
export async function replaceSnapshot(replacement: SnapshotReplacement): Promise<void> {
  const { path, part, verify, check } = replacement;
  try {
    const file = await createPart(part);
    try {
      await writePieces(file, replacement);
      await file.sync();
    } finally {
      await file.close();
    }
    await verify?.(part);
    await rename(systemPath(part), systemPath(path));
    await syncFolder(dirname(path));
  } catch (error) {
    // On a full disk, the partial file would occupy the remaining space.
    await rm(systemPath(part), { force: true }).catch(() => undefined);
    check();
    throw error instanceof FirstseenError ? error : fileError(path, 'write', error);
  }
}
