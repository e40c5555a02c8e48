// The blocks of the log: what was written with one call, with a number and a checksum. Everything is little-endian.
//
//   0  u32  mark                      16  u64  number of the last block that was certainly on the disk before this one was written
//   4  u32  bytes of the records      24  records, whole words
//   8  u64  number of the block           u64  checksum of all before
//
// A block that is not intact was being written when the machine stopped, unless a later block says that it was on the disk.

import { type FileHandle, open } from 'node:fs/promises';
import { systemPath } from '../../io/system/paths.js';
import type { Checksum } from '../../snapshot/frame.js';

const MARK = 0x4b425346;
export const HEAD_BYTES = 24;
const TRAILER_BYTES = 8;
/** Bytes that are read at a time while a damaged part is searched. */
const SEARCH_BYTES = 2 ** 20;
/** Bytes that are read ahead, so that many short blocks take few reads of the file. */
const AHEAD_BYTES = 2 ** 16;
/** Blocks with more records are not written. */
export const MAX_RECORD_BYTES = 2 ** 30;

export interface BlockHead {
  number: number;
  /** The number of the last block that was certainly on the disk; 0 if there was none. */
  synced: number;
}

export interface Block extends BlockHead {
  records: Buffer;
  /** The position at which the next block begins. */
  next: number;
}

export function encodeBlock({ number, synced }: BlockHead, records: Uint8Array, checksum: Checksum): Buffer {
  const block = Buffer.allocUnsafe(HEAD_BYTES + records.length + TRAILER_BYTES);
  block.writeUInt32LE(MARK, 0);
  block.writeUInt32LE(records.length, 4);
  block.writeBigUInt64LE(BigInt(number), 8);
  block.writeBigUInt64LE(BigInt(synced), 16);
  block.set(records, HEAD_BYTES);
  const end = HEAD_BYTES + records.length;
  block.writeBigUInt64LE(checksum(block.subarray(0, end)), end);
  return block;
}

/** Reads into an array as many bytes as the file has. @returns their number */
async function readInto(file: FileHandle, target: Uint8Array, position: number): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    const { bytesRead } = await file.read(target, filled, target.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

/** Bytes of a file that were read. */
interface Ahead {
  from: number;
  bytes: Uint8Array;
}

/** A file of blocks, after a head that the caller knows. It does not change while it is read. */
export class BlockReader {
  readonly #file: FileHandle;
  #ahead: Ahead = { from: 0, bytes: new Uint8Array(0) };
  readonly #checksum: Checksum;
  readonly bytes: number;

  private constructor(file: FileHandle, bytes: number, checksum: Checksum) {
    this.#file = file;
    this.bytes = bytes;
    this.#checksum = checksum;
  }

  static async open(path: string, checksum: Checksum): Promise<BlockReader> {
    const file = await open(systemPath(path));
    return new BlockReader(file, (await file.stat()).size, checksum);
  }

  async read(length: number, position: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, await this.readInto(bytes, position));
  }

  /** The same into an array. @returns the number of bytes */
  async readInto(target: Uint8Array, position: number): Promise<number> {
    if (target.length >= AHEAD_BYTES) return readInto(this.#file, target, position);
    let ahead = this.#ahead;
    if (position < ahead.from || position + target.length > ahead.from + ahead.bytes.length) {
      const bytes = new Uint8Array(AHEAD_BYTES);
      ahead = { from: position, bytes: bytes.subarray(0, await readInto(this.#file, bytes, position)) };
      this.#ahead = ahead;
    }
    const from = position - ahead.from;
    const bytes = ahead.bytes.subarray(from, from + target.length);
    target.set(bytes);
    return bytes.length;
  }

  /** The block at an offset; undefined if there is none that is intact. */
  async block(position: number): Promise<Block | undefined> {
    const head = await this.read(HEAD_BYTES, position);
    if (head.length < HEAD_BYTES || head.readUInt32LE(0) !== MARK) return undefined;
    const recordBytes = head.readUInt32LE(4);
    const next = position + HEAD_BYTES + recordBytes + TRAILER_BYTES;
    if (recordBytes > MAX_RECORD_BYTES || next > this.bytes) return undefined;
    const block = await this.read(next - position, position);
    const end = block.length - TRAILER_BYTES;
    if (block.readBigUInt64LE(end) !== this.#checksum(block.subarray(0, end))) return undefined;
    const [number, synced] = [8, 16].map((offset) => Number(block.readBigUInt64LE(offset))) as [number, number];
    return { number, synced, records: block.subarray(HEAD_BYTES, end), next };
  }

  /** Tells whether only zeros follow an offset: the space that a log takes ahead. */
  async isEmptyFrom(position: number): Promise<boolean> {
    for (let at = position; at < this.bytes; at += SEARCH_BYTES) {
      const part = await this.read(SEARCH_BYTES, at);
      if (!part.every((byte) => byte === 0)) return false;
    }
    return true;
  }

  /** The intact blocks from an offset on, wherever they begin after what is not intact. */
  async *search(from: number): AsyncGenerator<Block> {
    const mark = Buffer.alloc(4);
    mark.writeUInt32LE(MARK);
    for (let at = from; at < this.bytes; ) {
      const part = await this.read(SEARCH_BYTES + mark.length - 1, at);
      const markAt = part.indexOf(mark);
      if (markAt === -1) {
        at += SEARCH_BYTES;
        continue;
      }
      const block = await this.block(at + markAt);
      if (block) yield block;
      at = block?.next ?? at + markAt + 1;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
