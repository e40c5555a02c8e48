// Outputs that know their position, so that a run can be taken up where a checkpoint left it.

import { constants, write } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { errorCodeOf, FirstseenError } from '../../errors.js';

/** Where an output stands, as a checkpoint keeps it. */
export interface SinkPosition {
  /** Bytes of the file that will not change any more. */
  fileBytes: number;
  /** Bytes behind them that a compressed output has not filled a block with yet, in base64. */
  pending: string;
  /** The last record had no newline; one is due before the next. */
  owesNewline: boolean;
}

export const startPosition: SinkPosition = { fileBytes: 0, pending: '', owesNewline: false };

/** The reader of the output has gone, as `head` does: the run ends without a word. */
export class OutputClosed extends Error {
  readonly code = 'EPIPE';

  constructor() {
    super('the output was closed');
    this.name = 'OutputClosed';
  }
}

/** How a run that threw has ended, as its summary says it: that the reader of an output has gone is no failure. */
export function endedBy(error: unknown): { interrupted: boolean; error: string | null } {
  const isClosed = error instanceof OutputClosed;
  return { interrupted: isClosed, error: isClosed ? null : errorCodeOf(error) };
}

const RETRY_MILLISECONDS = 1;
const STANDARD_OUTPUT = 'standard output';
const STANDARD_OUTPUT_DESCRIPTOR = 1;

/**
 * Uncompressed bytes of one member of a gzip output. Members are cut at fixed lengths, so that the same records give the
 * same file wherever a run was stopped and taken up again.
 */
export const MEMBER_BYTES = 256 * 1024;

const compress = promisify(gzip);

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

/** A descriptor written in order, every byte of it. What a file held before stays until there is something to write. */
class Descriptor {
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

export interface Sink {
  /** Appends; the bytes have to stay as they are until it resolves. */
  write(bytes: Uint8Array): Promise<void>;
  /** Brings what can be brought to the disk there; `position` then says from where the rest has to come again. */
  sync(): Promise<void>;
  position(): Omit<SinkPosition, 'owesNewline'>;
  /** Writes what is still held back and closes. */
  end(): Promise<void>;
}

class PlainSink implements Sink {
  readonly #descriptor: Descriptor;
  readonly #isWhole: () => boolean;

  constructor(descriptor: Descriptor, isWhole: () => boolean) {
    this.#descriptor = descriptor;
    this.#isWhole = isWhole;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#descriptor.write(bytes);
  }

  sync(): Promise<void> {
    return this.#descriptor.sync();
  }

  position() {
    return { fileBytes: this.#descriptor.position, pending: '' };
  }

  async end(): Promise<void> {
    if (this.#isWhole()) await this.#descriptor.cut();
    await this.#descriptor.close();
  }
}

class GzipSink implements Sink {
  readonly #descriptor: Descriptor;
  readonly #isWhole: () => boolean;
  readonly #member = new Uint8Array(MEMBER_BYTES);
  #filled = 0;

  constructor(descriptor: Descriptor, isWhole: () => boolean, pending: Uint8Array) {
    this.#descriptor = descriptor;
    this.#isWhole = isWhole;
    this.#member.set(pending);
    this.#filled = pending.length;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let rest = bytes; rest.length > 0; ) {
      const taken = rest.subarray(0, MEMBER_BYTES - this.#filled);
      this.#member.set(taken, this.#filled);
      this.#filled += taken.length;
      rest = rest.subarray(taken.length);
      if (this.#filled === MEMBER_BYTES) await this.#writeMember();
    }
  }

  sync(): Promise<void> {
    return this.#descriptor.sync();
  }

  position() {
    const pending = Buffer.from(this.#member.buffer, 0, this.#filled).toString('base64');
    return { fileBytes: this.#descriptor.position, pending };
  }

  async end(): Promise<void> {
    if (this.#isWhole()) await this.#descriptor.cut();
    // Even an output without records is a valid gzip file.
    const isEmpty = this.#descriptor.position === 0 && this.#descriptor.isCut;
    if (this.#filled > 0 || isEmpty) await this.#writeMember();
    await this.#descriptor.close();
  }

  async #writeMember(): Promise<void> {
    const member = await compress(this.#member.subarray(0, this.#filled));
    this.#filled = 0;
    await this.#descriptor.write(member);
  }
}

export interface SinkOptions {
  /** Standard output when absent. */
  path?: string | undefined;
  isCompressed: boolean;
  /** Where to go on; whatever the file holds behind it is cut off. */
  position: SinkPosition;
  /** Asked at the end: whether an output nothing was written to is cut back too, or stays as it was before a failed run. */
  isWhole: () => boolean;
}

/** @throws FirstseenError E_OUTPUT when the file cannot be opened for writing. */
export async function openSink({ path, isCompressed, position, isWhole }: SinkOptions): Promise<Sink> {
  const descriptor =
    path === undefined ? Descriptor.openStandardOutput() : await Descriptor.openFile(path, position.fileBytes);
  if (!isCompressed && !path?.endsWith('.gz')) return new PlainSink(descriptor, isWhole);
  return new GzipSink(descriptor, isWhole, Buffer.from(position.pending, 'base64'));
}
