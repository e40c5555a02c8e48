// A file of a run that spills. It loses its name as soon as it is open, so that its space is freed when the run ends, however it ends:
// a killed run leaves nothing behind. Reads and writes block: they go through the page cache, and what waits is the kernel's memory.

import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { FirstseenError, optionName, phrase } from '../../errors.js';

function spillError(folder: string, doing: string, cause: unknown): FirstseenError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  const problem = isFull ? 'its disk is full' : message;
  const folderName = optionName('spill');
  return new FirstseenError('E_SPILL', `cannot ${doing} a file in ${folder}: ${problem}`, {
    option: 'spill',
    given: folder,
    remedy: isFull
      ? phrase`free 16 bytes for each record, and the size of inputs that are not files, or name another ${folderName} folder`
      : phrase`name another ${folderName} folder`,
    cause,
  });
}

export class SpillFile {
  readonly #folder: string;
  readonly #path: string;
  readonly #descriptor: number;
  /** The number of bytes from the start to the end of the last write. */
  bytes = 0;
  /** All bytes written, again or for the first time. */
  writtenBytes = 0;

  /** @throws FirstseenError E_SPILL when the file cannot be created. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, `firstseen-${process.pid}-${crypto.randomUUID()}.spill`);
    try {
      this.#descriptor = openSync(this.#path, 'wx+', 0o600);
    } catch (cause) {
      throw spillError(folder, 'create', cause);
    }
    this.#removeName();
  }

  /** Windows keeps the name of an open file; there it is removed when the file is closed. */
  #removeName(): void {
    try {
      rmSync(this.#path, { force: true });
    } catch {
      // The name remains until `close`.
    }
  }

  /** @throws FirstseenError E_SPILL, for example when the disk is full. */
  write(bytes: Uint8Array, position: number): void {
    try {
      for (let written = 0; written < bytes.length; ) {
        written += writeSync(this.#descriptor, bytes, written, bytes.length - written, position + written);
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
    let filled = 0;
    try {
      while (filled < target.length) {
        const bytes = readSync(this.#descriptor, target, filled, target.length - filled, position + filled);
        if (bytes === 0) break;
        filled += bytes;
      }
    } catch (cause) {
      throw spillError(this.#folder, 'read', cause);
    }
    return filled;
  }

  close(): void {
    closeSync(this.#descriptor);
    this.#removeName();
  }
}
