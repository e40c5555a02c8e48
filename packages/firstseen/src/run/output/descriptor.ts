// A descriptor that is written in order, every byte of it: a file, standard output, a pipe.

import { constants, write } from 'node:fs';
import { open } from 'node:fs/promises';
import { FirstseenError } from '../../errors.js';
import { OutputClosed } from './contract.js';

const RETRY_MILLISECONDS = 1;
const STANDARD_OUTPUT = 'standard output';
const STANDARD_OUTPUT_DESCRIPTOR = 1;

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function outputError(path: string, cause: unknown): Error {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'EPIPE') return new OutputClosed();
  return new FirstseenError('E_OUTPUT', `cannot write ${path}: ${message}`, { cause });
}

interface DescriptorParts {
  path: string;
  write(bytes: Uint8Array, position: number | null): Promise<{ bytesWritten: number }>;
  sync(): Promise<void>;
  close(): Promise<void>;
  /** Written at positions of its own, as regular files are; everything else takes what comes. */
  isSeekable: boolean;
  /** Cuts off what a file holds behind where it is written from. */
  cut(position: number): Promise<void>;
}

/** What a file held before stays until there is something to write. */
export class Descriptor {
  readonly #parts: DescriptorParts;
  #isCut = false;
  position: number;

  private constructor(parts: DescriptorParts, position: number) {
    this.#parts = parts;
    this.position = position;
  }

  /** Whether what the file held behind its position is gone. */
  get isCut(): boolean {
    return this.#isCut;
  }

  static async openFile(path: string, position: number): Promise<Descriptor> {
    try {
      const handle = await open(path, constants.O_WRONLY | constants.O_CREAT);
      const isSeekable = (await handle.stat()).isFile();
      const parts: DescriptorParts = {
        path,
        write: (bytes, at) => handle.write(bytes, 0, bytes.length, at),
        sync: async () => (isSeekable ? handle.sync() : undefined),
        close: () => handle.close(),
        isSeekable,
        cut: async (at) => (isSeekable ? handle.truncate(at) : undefined),
      };
      return new Descriptor(parts, position);
    } catch (cause) {
      throw outputError(path, cause);
    }
  }

  static openStandardOutput(): Descriptor {
    const parts: DescriptorParts = {
      path: STANDARD_OUTPUT,
      write: (bytes) =>
        new Promise((resolve, reject) => {
          write(STANDARD_OUTPUT_DESCRIPTOR, bytes, (error, bytesWritten) =>
            error ? reject(error) : resolve({ bytesWritten }),
          );
        }),
      sync: async () => undefined,
      close: async () => undefined,
      isSeekable: false,
      cut: async () => undefined,
    };
    return new Descriptor(parts, 0);
  }

  async cut(): Promise<void> {
    if (this.#isCut) return;
    this.#isCut = true;
    try {
      await this.#parts.cut(this.position);
    } catch (cause) {
      throw outputError(this.#parts.path, cause);
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length > 0) await this.cut();
    for (let rest = bytes; rest.length > 0; ) {
      const written = await this.#writeSome(rest);
      rest = rest.subarray(written);
      this.position += written;
    }
  }

  async #writeSome(bytes: Uint8Array): Promise<number> {
    try {
      return (await this.#parts.write(bytes, this.#parts.isSeekable ? this.position : null)).bytesWritten;
    } catch (cause) {
      // A pipe that somebody else made non-blocking: wait for its reader.
      if ((cause as NodeJS.ErrnoException).code !== 'EAGAIN') throw outputError(this.#parts.path, cause);
      await sleep(RETRY_MILLISECONDS);
      return 0;
    }
  }

  /** What was written is on the disk when this resolves. */
  async sync(): Promise<void> {
    await this.cut();
    try {
      await this.#parts.sync();
    } catch (cause) {
      throw outputError(this.#parts.path, cause);
    }
  }

  async close(): Promise<void> {
    try {
      await this.#parts.close();
    } catch (cause) {
      throw outputError(this.#parts.path, cause);
    }
  }
}
