// A file of a run that spills. It has no name, or loses it as soon as it is open, so that its space is freed when the run ends, however it
// ends: a killed run leaves nothing behind. Reads and writes are synchronous: they go through the page cache, and the memory of the
// kernel could not be used in the meantime anyway.

import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { FirstseenError, optionName, type Phrase, phrase } from '../../base/errors.js';
import { readFully } from '../system/readfully.js';

const SPILL = optionName('spill');
const MODE = 0o600;
/** `O_TMPFILE` of Linux, for which Node has no constant: it makes a file without a name in a folder (open(2)). */
const WITHOUT_NAME = 0o20000000 | constants.O_DIRECTORY | constants.O_RDWR;

/** The problem of the folder and its remedy, by the code of the system's error. */
const folderProblems: Readonly<Record<string, readonly [(folder: string) => string, Phrase]>> = {
  ENOENT: [
    (folder) => `the folder ${folder} does not exist`,
    phrase`create it, or name another ${SPILL} folder on a disk with room for 16 bytes for each record`,
  ],
  ENOTDIR: [(folder) => `${folder} is not a folder`, phrase`name a folder as ${SPILL}`],
  EACCES: [(folder) => `this user may not create a file in ${folder}`, phrase`name another ${SPILL} folder`],
  EROFS: [(folder) => `the folder ${folder} is read-only`, phrase`name another ${SPILL} folder`],
};

const DISK_FULL = phrase`free 16 bytes for each record, and the size of inputs that are not files, or name another ${SPILL} folder`;

function spillError(folder: string, action: string, cause: unknown): FirstseenError {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const details = { option: 'spill', given: folder, cause };
  const row = folderProblems[code];
  if (row) return new FirstseenError('E_SPILL', row[0](folder), { ...details, remedy: row[1] });
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  // The system's message ends with the path, which is that of a file without a name.
  const problem = isFull ? 'its disk is full' : message.replace(/, \w+( '.*')?$/, '');
  const remedy = isFull ? DISK_FULL : phrase`name another ${SPILL} folder`;
  return new FirstseenError('E_SPILL', `cannot ${action} a file in ${folder}: ${problem}`, { ...details, remedy });
}

/** Opens a file without a name, where the system and the file system have such files. */
function openWithoutName(folder: string): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return openSync(folder, WITHOUT_NAME, MODE);
  } catch {
    // What else is wrong with the folder is told when a file with a name is opened.
    return undefined;
  }
}

export class SpillFile {
  readonly #folder: string;
  /** The path of a file that has a name, or had one. */
  readonly #path: string | undefined;
  readonly #descriptor: number;
  /** The number of bytes from the start to the end of the last write. */
  bytes = 0;
  /** The number of bytes written, also those that replace others. */
  writtenBytes = 0;

  /** @throws FirstseenError E_SPILL when the file cannot be created. */
  constructor(folder: string) {
    this.#folder = folder;
    const descriptor = openWithoutName(folder);
    if (descriptor !== undefined) {
      this.#descriptor = descriptor;
      return;
    }
    this.#path = join(folder, `firstseen-${process.pid}-${crypto.randomUUID()}.spill`);
    try {
      this.#descriptor = openSync(this.#path, 'wx+', MODE);
    } catch (cause) {
      throw spillError(folder, 'create', cause);
    }
    this.#removeName();
  }

  /** Windows keeps the name of an open file; there it is removed when the file is closed. */
  #removeName(): void {
    if (this.#path === undefined) return;
    try {
      rmSync(this.#path, { force: true });
    } catch {
      // The name remains until `close`.
    }
  }

  /** @throws FirstseenError E_SPILL, for example when the disk is full. */
  write(bytes: Uint8Array, position: number): void {
    try {
      for (let at = 0; at < bytes.length; ) {
        at += writeSync(this.#descriptor, bytes, at, bytes.length - at, position + at);
      }
    } catch (cause) {
      throw spillError(this.#folder, 'write', cause);
    }
    this.bytes = Math.max(this.bytes, position + bytes.length);
    this.writtenBytes += bytes.length;
  }

  /** Appends bytes; returns their position. */
  append(bytes: Uint8Array): number {
    const position = this.bytes;
    this.write(bytes, position);
    return position;
  }

  /** Fills `target`, as far as the file goes; returns the number of bytes read. */
  read(target: Uint8Array, position: number): number {
    try {
      return readFully(this.#descriptor, target, position);
    } catch (cause) {
      throw spillError(this.#folder, 'read', cause);
    }
  }

  close(): void {
    closeSync(this.#descriptor);
    this.#removeName();
  }
}
