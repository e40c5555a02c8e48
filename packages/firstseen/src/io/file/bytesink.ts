// Where the bytes of an output go, plain or compressed: to a file descriptor, in which they know their position.

import { isBase64, isCount, isFlag, isObjectOf, isText } from '../../base/jsonchecks.js';
import type { Compress } from '../compression/compression.js';
import { outputCompression } from '../compression/compressions.js';
import { type OutputNote, type SinkPosition, STANDARD_OUTPUT } from '../sink.js';
import type { WrittenFile } from './descriptor.js';
import { EqualMembers, MEMBER_BYTES, type Members, RecordMembers } from './members.js';

/** Bytes that are written in order. */
export interface ByteSink {
  /**
   * Appends bytes, which must not change until it resolves.
   * @param recordEnds the offset after each record that ends in them, for an output with a member for each record
   */
  write(bytes: Uint8Array, recordEnds?: readonly number[]): Promise<void>;
  /** Syncs as many bytes to disk as possible. The position says which bytes have to be written again. */
  commit(): Promise<BytePosition>;
  /** As `Sink.close`, after which a later run continues at the position. */
  close(isWhole: boolean): Promise<BytePosition>;
  /** As `Sink.abort`. */
  abort(): Promise<void>;
}

/** The place where the bytes of an output are written, in order: a descriptor, or an upload. */
export interface ByteTarget {
  /** The bytes before the next that is written. */
  readonly position: number;
  /** As in `Descriptor`. */
  readonly isCut: boolean;
  readonly isStream: boolean;
  readonly isBehind: boolean;
  cut(): Promise<void>;
  write(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  describe(): Promise<WrittenFile | undefined>;
  /** @param isWhole whether everything was written, as in `Sink.close` */
  close(isWhole: boolean): Promise<void>;
}

/** The position of bytes in their descriptor. */
export type BytePosition = {
  /** Bytes of the file that are final. */
  fileBytes: number;
  /** Bytes after these that do not fill a block of a compressed output yet, in base64. */
  pending: string;
  /** The file as it was then, if it is a regular one. */
  written?: WrittenFile & {
    /** True if the run closed the file. After a checkpoint, more bytes of the run may follow. */
    isClosed: boolean;
  };
  /** True if the end of an array follows, which a later run replaces. */
  hasEnd?: boolean;
};

export const firstByte: BytePosition = { fileBytes: 0, pending: '' };

/** Members, or groups of short ones, that are compressed side by side in threads of Node's pool. */
const MEMBERS_AT_ONCE = 4;

/** The time for which bytes for a stream may wait for their member to fill. */
const MAX_WAIT_MILLISECONDS = 500;

export function isCompressed(note: OutputNote): boolean {
  return outputCompression(note).compressor !== undefined;
}

const isWritten = isObjectOf({ bytes: isCount, digest: isText, isClosed: isFlag });

/** Tells if an output of bytes can have written this position to a state. */
export function isBytePosition(note: OutputNote, { fileBytes, pending, written, owesNewline }: SinkPosition): boolean {
  if (!isCount(fileBytes) || (written !== undefined && !isWritten(written)) || !isFlag(owesNewline)) return false;
  if (!isBase64(pending)) return false;
  return isCompressed(note) ? Buffer.byteLength(pending as string, 'base64') < MEMBER_BYTES : pending === '';
}

/** The position after a file that is complete. */
export function closedPosition(file: WrittenFile): BytePosition {
  return { fileBytes: file.bytes, pending: '', ...writtenTo(file, true) };
}

/** Tells if the run closed the file after this position was taken. */
export function isClosedPosition(position: SinkPosition): boolean {
  return (position as BytePosition).written?.isClosed ?? false;
}

/** The part of a position that describes the file. */
function writtenTo(file: WrittenFile | undefined, isClosed: boolean): Pick<BytePosition, 'written'> {
  return file === undefined ? {} : { written: { ...file, isClosed } };
}

class PlainSink implements ByteSink {
  readonly #descriptor: ByteTarget;

  constructor(descriptor: ByteTarget) {
    this.#descriptor = descriptor;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#descriptor.write(bytes);
  }

  async commit(): Promise<BytePosition> {
    await this.#descriptor.sync();
    const file = await this.#descriptor.describe();
    return { fileBytes: this.#descriptor.position, pending: '', ...writtenTo(file, false) };
  }

  async close(isWhole: boolean): Promise<BytePosition> {
    if (isWhole) await this.#descriptor.cut();
    const { position: fileBytes, isBehind } = this.#descriptor;
    const file = await this.#descriptor.describe();
    await this.#descriptor.close(isWhole);
    return { fileBytes, pending: '', ...writtenTo(file, !isBehind) };
  }

  abort(): Promise<void> {
    return this.#descriptor.close(false);
  }
}

class CompressedSink implements ByteSink {
  readonly #descriptor: ByteTarget;
  readonly #compress: Compress;
  readonly #members: Members;
  /** The ends of the writes of members that are compressed, in their order. */
  readonly #underway: Promise<void>[] = [];
  #isAborted = false;
  /** The end of the last operation. Each begins when the one before has ended, because all use the same member. */
  #last: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(descriptor: ByteTarget, compress: Compress, members: Members) {
    this.#descriptor = descriptor;
    this.#compress = compress;
    this.#members = members;
  }

  write(bytes: Uint8Array, recordEnds: readonly number[] = []): Promise<void> {
    return this.#inOrder(async () => {
      let at = 0;
      do {
        at = this.#members.add(bytes, recordEnds, at);
        if (this.#members.isFull) await this.#endMember();
      } while (at < bytes.length);
      if (!this.#members.isEmpty && this.#descriptor.isStream) this.#writeSoon();
    });
  }

  commit(): Promise<BytePosition> {
    return this.#inOrder(async () => {
      if (!this.#mayPend) await this.#endMember();
      await this.#writeAll();
      await this.#descriptor.sync();
      return { ...this.#startOfMember(), ...writtenTo(await this.#descriptor.describe(), false) };
    });
  }

  async close(isWhole: boolean): Promise<BytePosition> {
    clearTimeout(this.#timer);
    return this.#inOrder(async () => {
      if (!this.#mayPend) await this.#endMember();
      await this.#writeAll();
      if (isWhole) await this.#descriptor.cut();
      const start = this.#startOfMember();
      await this.#endMember();
      await this.#writeAll();
      // Even an output without records is a valid compressed file.
      if (this.#descriptor.position === 0 && this.#descriptor.isCut) {
        await this.#descriptor.write(await this.#compress(new Uint8Array(0)));
      }
      const position = { ...start, ...writtenTo(await this.#descriptor.describe(), true) };
      await this.#descriptor.close(isWhole);
      return position;
    });
  }

  async abort(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isAborted = true;
    await Promise.allSettled(this.#underway);
    await this.#descriptor.close(false);
  }

  /** True if a later run fills the last member. What was written to a stream cannot be written again. */
  get #mayPend(): boolean {
    return this.#members.mayPend && !this.#descriptor.isStream;
  }

  /** Runs an operation after the last one, and fails if that failed. */
  #inOrder<Result>(operation: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(operation);
    // The next operation reports it.
    done.catch(() => undefined);
    this.#last = done;
    return done;
  }

  /** Writes a member before it is full, for a reader who is waiting. In a file, members do not depend on time. */
  #writeSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#inOrder(() => this.#endMember());
    }, MAX_WAIT_MILLISECONDS).unref();
  }

  /** A later run continues before the last member, which it fills. */
  #startOfMember(): Pick<BytePosition, 'fileBytes' | 'pending'> {
    const pending = this.#mayPend ? Buffer.from(this.#members.pending).toString('base64') : '';
    return { fileBytes: this.#descriptor.position, pending };
  }

  /** Lets what was added be compressed, and written after what is before it. Waits only if too many are underway. */
  async #endMember(): Promise<void> {
    if (this.#members.isEmpty) return;
    const compressed = this.#members.take(this.#compress);
    const previousWrite = this.#underway.at(-1);
    const write = async () => {
      const [bytes] = await Promise.all([compressed, previousWrite]);
      if (!this.#isAborted) await this.#descriptor.write(bytes);
    };
    const pendingWrite = write();
    // The next operation that waits for it reports it.
    pendingWrite.catch(() => undefined);
    this.#underway.push(pendingWrite);
    if (this.#underway.length < MEMBERS_AT_ONCE) return;
    await this.#underway[0];
    void this.#underway.shift();
  }

  /** Waits until all members that were ended are written. */
  async #writeAll(): Promise<void> {
    await Promise.all(this.#underway);
    this.#underway.length = 0;
  }
}

/** The form in which bytes are written. */
export interface ByteForm {
  note: OutputNote;
  position: BytePosition;
  /** As `RecordWriter.gzipLevel`. */
  gzipLevel?: number | undefined;
  /** As `SinkRequest.hasRecordMembers`. */
  hasRecordMembers?: boolean | undefined;
}

/**
 * The bytes of an output over its descriptor, which is opened only if they can be compressed.
 * @throws FirstseenError E_PACKAGE when they cannot without a package, and as `open` does.
 */
export async function bytesTo(
  open: () => ByteTarget | Promise<ByteTarget>,
  { note, position, gzipLevel, hasRecordMembers = false }: ByteForm,
): Promise<ByteSink> {
  const { compressor } = outputCompression(note);
  if (!compressor) return new PlainSink(await open());
  const compress = await compressor({ path: note.path ?? STANDARD_OUTPUT, gzipLevel });
  const pendingBytes = Buffer.from(position.pending, 'base64');
  const members = hasRecordMembers ? new RecordMembers(pendingBytes) : new EqualMembers(pendingBytes);
  return new CompressedSink(await open(), compress, members);
}
