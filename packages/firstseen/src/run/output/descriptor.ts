// A file descriptor that is written in order and completely: a file, standard output, a pipe.

import { constants, fstatSync, write } from 'node:fs';
import { open } from 'node:fs/promises';
import { formatCounted } from '../../count.js';
import { FirstseenError } from '../../errors.js';
import { digestEdges } from '../edges.js';
import { systemPath } from '../paths.js';
import { outputError, STANDARD_OUTPUT } from './contract.js';

const RETRY_MILLISECONDS = 1;
const STANDARD_OUTPUT_DESCRIPTOR = 1;

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** A file up to a position: enough to find out later whether something else has written to it. */
export interface WrittenFile {
  bytes: number;
  /** Of its first and last bytes; empty if the file cannot be read. */
  digest: string;
}

/** The file up to a position, as it is now. */
export async function describeFile(path: string, bytes: number): Promise<WrittenFile> {
  const file = await open(systemPath(path)).catch(() => undefined);
  if (file === undefined) return { bytes, digest: '' };
  try {
    return { bytes, digest: await digestEdges(file, bytes) };
  } finally {
    await file.close();
  }
}

interface DescriptorParts {
  path: string;
  write(bytes: Uint8Array, position: number | null): Promise<{ bytesWritten: number }>;
  sync(): Promise<void>;
  close(): Promise<void>;
  /** Whether writes have explicit positions, as in regular files. All other outputs only append. */
  isSeekable: boolean;
  /** Whether somebody may be waiting for the bytes, as at the other end of a pipe. */
  isStream: boolean;
  /** Cuts a file off at this position. */
  cut(position: number): Promise<void>;
  /** The size of the file; undefined unless it is a regular one. */
  size(): Promise<number | undefined>;
}

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

/** A descriptor. The former content of a file remains until the first write. */
export class Descriptor {
  readonly #parts: DescriptorParts;
  #isCut = false;
  position: number;

  private constructor(parts: DescriptorParts, position: number) {
    this.#parts = parts;
    this.position = position;
  }

  /** Whether the former content of the file after its position has been cut off. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Whether somebody may be waiting for the bytes. */
  get isStream(): boolean {
    return this.#parts.isStream;
  }

  static async openFile(path: string, position: number): Promise<Descriptor> {
    try {
      const handle = await open(systemPath(path), constants.O_WRONLY | constants.O_CREAT);
      const isSeekable = (await handle.stat()).isFile();
      const parts: DescriptorParts = {
        path,
        write: (bytes, at) => handle.write(bytes, 0, bytes.length, at),
        sync: async () => (isSeekable ? handle.sync() : undefined),
        close: () => handle.close(),
        isSeekable,
        isStream: !isSeekable,
        cut: async (at) => (isSeekable ? handle.truncate(at) : undefined),
        size: async () => (isSeekable ? (await handle.stat()).size : undefined),
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
      isStream: !isFile(STANDARD_OUTPUT_DESCRIPTOR),
      cut: async () => undefined,
      size: async () => undefined,
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
      // Another process made this pipe non-blocking: wait for its reader.
      if ((cause as NodeJS.ErrnoException).code !== 'EAGAIN') throw outputError(this.#parts.path, cause);
      await sleep(RETRY_MILLISECONDS);
      return 0;
    }
  }

  /**
   * Syncs everything that was written to disk.
   * @throws FirstseenError E_OUTPUT when something else has written to the file meanwhile.
   */
  async sync(): Promise<void> {
    await this.cut();
    try {
      await this.#parts.sync();
    } catch (cause) {
      throw outputError(this.#parts.path, cause);
    }
    const bytes = await this.#parts.size();
    if (bytes === undefined || bytes === this.position) return;
    const problem = `${this.#parts.path} has ${formatCounted(bytes, 'byte')}, but this run has written ${this.position}`;
    throw new FirstseenError('E_OUTPUT', `${problem}: something else writes to it`, {
      remedy: 'give every run an output of its own',
    });
  }

  /** The file up to the position; undefined unless it is a regular one. */
  async describe(): Promise<WrittenFile | undefined> {
    if ((await this.#parts.size()) === undefined) return undefined;
    return describeFile(this.#parts.path, this.position);
  }

  async close(): Promise<void> {
    try {
      await this.#parts.close();
    } catch (cause) {
      throw outputError(this.#parts.path, cause);
    }
  }
}
