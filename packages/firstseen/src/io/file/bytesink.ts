// Outputs of bytes, plain or compressed, that know their position in a file descriptor.

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { OutputNote, Sink, SinkPosition } from '../sink.js';
import type { Descriptor, WrittenFile } from './descriptor.js';

/** The position of an output in its descriptor. */
export type BytePosition = {
  /** Bytes of the file that are final. */
  fileBytes: number;
  /** Bytes after these that do not fill a block of a compressed output yet, in base64. */
  pending: string;
  /** What the file was then, if it is a regular one; states of 0.1.0 do not have it. */
  written?: WrittenFile & {
    /** Whether the run closed the file. After a checkpoint, more bytes of the run may follow. */
    isClosed: boolean;
  };
};

export const startPosition: BytePosition = { fileBytes: 0, pending: '' };

/**
 * Uncompressed bytes of one member of a gzip output. Members have a fixed length, so that the same records give the same file
 * wherever a run was stopped and continued.
 */
export const MEMBER_BYTES = 256 * 1024;

/** How long bytes for a stream may wait for their member to fill. */
const MOST_WAIT_MILLISECONDS = 500;

const compress = promisify(gzip);

/** A file whose name ends in .gz is always compressed. */
export function isGzip({ path, isCompressed }: OutputNote): boolean {
  return isCompressed || (path?.endsWith('.gz') ?? false);
}

function isSize(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isWritten(written: unknown): boolean {
  if (written === undefined) return true;
  if (typeof written !== 'object' || written === null) return false;
  const { bytes, digest, isClosed } = written as Record<string, unknown>;
  return isSize(bytes) && typeof digest === 'string' && typeof isClosed === 'boolean';
}

/** Whether an output of bytes can have written this position to a state. */
export function isBytePosition(note: OutputNote, { fileBytes, pending, written }: SinkPosition): boolean {
  if (!isSize(fileBytes) || !isWritten(written)) return false;
  if (typeof pending !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(pending)) return false;
  return isGzip(note) ? Buffer.byteLength(pending, 'base64') < MEMBER_BYTES : pending === '';
}

/** The position after a file that is complete. */
export function closedPosition(file: WrittenFile): BytePosition {
  return { fileBytes: file.bytes, pending: '', ...writtenTo(file, true) };
}

/** The part of a position that describes the file. */
function writtenTo(file: WrittenFile | undefined, isClosed: boolean): Pick<BytePosition, 'written'> {
  return file === undefined ? {} : { written: { ...file, isClosed } };
}

class PlainSink implements Sink {
  readonly #descriptor: Descriptor;
  #file: WrittenFile | undefined;

  constructor(descriptor: Descriptor) {
    this.#descriptor = descriptor;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#descriptor.write(bytes);
  }

  async commit(): Promise<void> {
    await this.#descriptor.sync();
    this.#file = await this.#descriptor.describe();
  }

  position(): BytePosition {
    return { fileBytes: this.#descriptor.position, pending: '', ...writtenTo(this.#file, false) };
  }

  async close(isWhole: boolean): Promise<BytePosition> {
    if (isWhole) await this.#descriptor.cut();
    const { position: fileBytes, isBehind } = this.#descriptor;
    const file = await this.#descriptor.describe();
    await this.#descriptor.close();
    return { fileBytes, pending: '', ...writtenTo(file, !isBehind) };
  }

  abandon(): Promise<void> {
    return this.#descriptor.close();
  }
}

class GzipSink implements Sink {
  readonly #descriptor: Descriptor;
  readonly #member = new Uint8Array(MEMBER_BYTES);
  #filled = 0;
  /** The end of the last operation. Each begins when the one before has ended, because all use the same member. */
  #last: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #file: WrittenFile | undefined;

  constructor(descriptor: Descriptor, pending: Uint8Array) {
    this.#descriptor = descriptor;
    this.#member.set(pending);
    this.#filled = pending.length;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#inOrder(() => this.#append(bytes));
  }

  /** What was written to a stream cannot be written again from the state, so nothing may stay pending. */
  commit(): Promise<void> {
    return this.#inOrder(async () => {
      if (this.#descriptor.isStream) await this.#writeMember();
      await this.#descriptor.sync();
      this.#file = await this.#descriptor.describe();
    });
  }

  position(): BytePosition {
    return { ...this.#startOfMember(), ...writtenTo(this.#file, false) };
  }

  async close(isWhole: boolean): Promise<BytePosition> {
    clearTimeout(this.#timer);
    let position = this.position();
    await this.#inOrder(async () => {
      if (isWhole) await this.#descriptor.cut();
      const start = this.#startOfMember();
      await this.#writeMember();
      // Even an output without records is a valid gzip file.
      if (this.#descriptor.position === 0 && this.#descriptor.isCut) await this.#descriptor.write(await compress(''));
      position = { ...start, ...writtenTo(await this.#descriptor.describe(), true) };
      await this.#descriptor.close();
    });
    return position;
  }

  abandon(): Promise<void> {
    clearTimeout(this.#timer);
    return this.#descriptor.close();
  }

  /** Runs an operation after the last one, and fails if that failed. */
  #inOrder(operation: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(operation);
    // The next operation reports it.
    this.#last.catch(() => undefined);
    return this.#last;
  }

  async #append(bytes: Uint8Array): Promise<void> {
    for (let rest = bytes; rest.length > 0; ) {
      const taken = rest.subarray(0, MEMBER_BYTES - this.#filled);
      this.#member.set(taken, this.#filled);
      this.#filled += taken.length;
      rest = rest.subarray(taken.length);
      if (this.#filled === MEMBER_BYTES) await this.#writeMember();
    }
    if (this.#filled > 0 && this.#descriptor.isStream) this.#writeSoon();
  }

  /** Writes a member before it is full, for a reader who is waiting. In a file, members have a fixed length. */
  #writeSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#inOrder(() => this.#writeMember());
    }, MOST_WAIT_MILLISECONDS).unref();
  }

  /** A later run continues before the last member, which it fills. */
  #startOfMember(): Pick<BytePosition, 'fileBytes' | 'pending'> {
    const pending = Buffer.from(this.#member.buffer, 0, this.#filled).toString('base64');
    return { fileBytes: this.#descriptor.position, pending };
  }

  async #writeMember(): Promise<void> {
    if (this.#filled === 0) return;
    const member = await compress(this.#member.subarray(0, this.#filled));
    this.#filled = 0;
    await this.#descriptor.write(member);
  }
}

/** The output over its descriptor. */
export function sinkOver(descriptor: Descriptor, note: OutputNote, { pending }: BytePosition): Sink {
  return isGzip(note) ? new GzipSink(descriptor, Buffer.from(pending, 'base64')) : new PlainSink(descriptor);
}
