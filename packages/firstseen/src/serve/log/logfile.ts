// A file of the log that is being written. Its head is 32 bytes, little-endian:
//
//   0  8  magic             16  u64  number of its first block
//   8  u64  sequence        24  u64  checksum of all before

import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { FirstseenError } from '../../base/errors.js';
import { assertInvariant } from '../../base/invariant.js';
import { shownPath, systemPath } from '../../io/system/paths.js';
import { readFully } from '../../io/system/readfully.js';
import { PRIVATE_MODE } from '../../io/system/replaced.js';
import { syncFolder } from '../../io/system/syncfolder.js';
import type { Checksum } from '../../snapshot/frame.js';
import type { BlockHead } from './blocks.js';
import { pathOf } from './files.js';

const MAGIC = Buffer.from('FSLOG\0\0\x01', 'latin1');
export const LOG_HEAD_BYTES = 32;

/** Written to the end of a log to take space on the disk: a hole would take none. */
const ZEROS = Buffer.alloc(2 ** 18);

const syncData = promisify(fdatasync);

/** The contents of the head of a log. */
export interface LogHead {
  sequence: number;
  /** The number of its first block. */
  firstBlock: number;
}

function encodeHead({ sequence, firstBlock }: LogHead, checksum: Checksum): Buffer {
  const head = Buffer.alloc(LOG_HEAD_BYTES);
  head.set(MAGIC);
  head.writeBigUInt64LE(BigInt(sequence), 8);
  head.writeBigUInt64LE(BigInt(firstBlock), 16);
  head.writeBigUInt64LE(checksum(head.subarray(0, 24)), 24);
  return head;
}

/** The head of a log; undefined if it is not intact. */
export function decodeHead(head: Buffer, checksum: Checksum): LogHead | undefined {
  if (head.length < LOG_HEAD_BYTES || !head.subarray(0, 8).equals(MAGIC)) return undefined;
  if (head.readBigUInt64LE(24) !== checksum(head.subarray(0, 24))) return undefined;
  return { sequence: Number(head.readBigUInt64LE(8)), firstBlock: Number(head.readBigUInt64LE(16)) };
}

/** Bytes of a file, compared to see that nothing else has written to it. */
const COMPARED_BYTES = 64;

/** A copy of the last bytes of a file, and where they ended then. */
interface Ending {
  bytes: Uint8Array;
  end: number;
}

/** A log that takes the place of the current one, and who waits for that. */
export interface Rotation {
  log: LogFile;
  rotated: (sequence: number) => void;
  failed: (error: unknown) => void;
}

/** A log that grows. What was appended before is never changed. Zeros after the blocks hold space for the next ones. */
export class LogFile {
  readonly sequence: number;
  readonly #descriptor: number;
  #bytes = 0;
  /** The head of the last block; before the first one, that of the block before it. */
  #last: BlockHead = { number: 0, synced: 0 };
  /** The end of the zeros. */
  #reservedEnd = 0;
  /** The end of the blocks. */
  #ending: Ending = { bytes: new Uint8Array(0), end: 0 };
  /** The end of the blocks at the last check. A check of newer bytes finds nothing, because they are appended to an overwritten file too. */
  #checkedEnding: Ending = this.#ending;

  private constructor(sequence: number, descriptor: number) {
    this.sequence = sequence;
    this.#descriptor = descriptor;
  }

  /**
   * A new file whose name is on the disk, with space for its first bytes. It has no head yet.
   * @throws Error of the system when the disk has no space, or the folder cannot be synced; no file is left behind
   */
  static async create(folder: string, sequence: number, reservedBytes: number): Promise<LogFile> {
    const path = systemPath(pathOf(folder, 'log', sequence));
    const log = new LogFile(sequence, openSync(path, 'wx+', PRIVATE_MODE));
    try {
      await syncFolder(folder);
      log.reserve(reservedBytes);
    } catch (error) {
      log.remove(folder);
      throw error;
    }
    return log;
  }

  /** Writes the head, which says what the number of the first block is. @throws Error of the system */
  begin(firstBlock: number, checksum: Checksum): void {
    this.#last = { number: firstBlock - 1, synced: 0 };
    this.#write(encodeHead({ sequence: this.sequence, firstBlock }, checksum));
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes that can be appended whatever else fills the disk. */
  get reservedBytes(): number {
    return this.#reservedEnd - this.#bytes;
  }

  /** Takes space for the next bytes. @throws Error of the system when there is not so much */
  reserve(bytes: number): void {
    const end = this.#bytes + bytes;
    while (this.#reservedEnd < end) {
      const length = Math.min(ZEROS.length, end - this.#reservedEnd);
      this.#reservedEnd += writeSync(this.#descriptor, ZEROS, 0, length, this.#reservedEnd);
    }
  }

  /** Gives back the space after the blocks, or what is more than some of it. */
  trim(keptBytes = 0): void {
    const end = this.#bytes + keptBytes;
    if (keptBytes > 0 && this.#reservedEnd <= end) return;
    ftruncateSync(this.#descriptor, end);
    this.#reservedEnd = end;
  }

  /**
   * Appends a block. If it cannot be written as a whole, nothing of it is left.
   * @throws Error of the system; FirstseenError E_INVARIANT, and nothing is written, if the block does not follow the last one: a start
   * would take it, and all after it, for the end of a log that was being written
   */
  append(block: Uint8Array, head: BlockHead): void {
    const { number, synced } = head;
    const { number: lastNumber, synced: lastSynced } = this.#last;
    const values = { number, lastNumber };
    assertInvariant(number === lastNumber + 1, 'the numbers of the blocks of a log rise by one', values);
    const syncs = { synced, lastSynced, number };
    assertInvariant(synced >= lastSynced && synced < number, 'the blocks on the disk are before the next one', syncs);
    this.#write(block);
    this.#last = head;
  }

  #write(block: Uint8Array): void {
    let written = 0;
    try {
      while (written < block.length) {
        written += writeSync(this.#descriptor, block, written, block.length - written, this.#bytes + written);
      }
    } catch (error) {
      this.trim();
      throw error;
    }
    this.#bytes += block.length;
    this.#ending = { bytes: block.slice(-COMPARED_BYTES), end: this.#bytes };
    this.#reservedEnd = Math.max(this.#reservedEnd, this.#bytes);
  }

  /** Waits until what was appended is on the disk. @throws Error of the system */
  sync(): Promise<void> {
    return syncData(this.#descriptor);
  }

  /**
   * The error for a file that was removed from its folder, or whose place another has taken, so that what is written to it is in no
   * folder; and for one that was overwritten, for example by an older copy.
   * @throws Error of the system when the file cannot be read
   */
  problemIn(folder: string, remedy: string): FirstseenError | undefined {
    const path = pathOf(folder, 'log', this.sequence);
    const { dev, ino } = fstatSync(this.#descriptor, { bigint: true });
    const there = statSync(systemPath(path), { bigint: true, throwIfNoEntry: false });
    if (there?.ino === ino && there.dev === dev && this.#has(this.#checkedEnding)) {
      this.#checkedEnding = this.#ending;
      return undefined;
    }
    return this.removedFrom(folder, remedy);
  }

  /** The error for a file that was removed or replaced. */
  removedFrom(folder: string, remedy: string): FirstseenError {
    const path = shownPath(pathOf(folder, 'log', this.sequence));
    return new FirstseenError('E_STATE_FILE', `the log ${path} was removed or replaced while the server ran`, {
      remedy,
    });
  }

  /** @throws Error of the system when the file cannot be read */
  #has({ bytes, end }: Ending): boolean {
    const there = new Uint8Array(bytes.length);
    readFully(this.#descriptor, there, end - there.length);
    return Buffer.compare(there, bytes) === 0;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Closes and removes a file that has no blocks. */
  remove(folder: string): void {
    this.close();
    rmSync(systemPath(pathOf(folder, 'log', this.sequence)), { force: true });
  }
}
