// Memory of the Parquet kernel. Buffers grow, and are used again for the next page.

/** Bytes after the content of a buffer that may be read or written, so that loops can move 16 bytes at once. */
export const SLACK: u32 = 64;

/** A region that grows. */
@unmanaged
export class Buffer {
  at: usize;
  /** Bytes that it has room for, without the slack. */
  room: usize;
  /** Bytes that are in use. */
  used: usize;
}

/** Reasons why a page is refused; the host has their texts in the same order. */
export namespace reasons {
  export const VALUES: i32 = 0;
  export const LEVELS: i32 = 1;
  export const RUNS: i32 = 2;
  export const DICTIONARY: i32 = 3;
  export const DELTAS: i32 = 4;
  export const ENCODING: i32 = 5;
  export const ROWS: i32 = 6;
  export const COMPRESSED: i32 = 7;
}

/** Throws the error for damaged data. It does not return. */
export declare function refuse(reason: i32): void;

/** Makes room for `bytes`. What is in use stays. */
export function reserve(buffer: Buffer, bytes: usize): void {
  if (bytes <= buffer.room) return;
  const room = max<usize>(bytes, buffer.room + (buffer.room >> 1));
  const at = heap.alloc(room + SLACK);
  if (buffer.at != 0) {
    memory.copy(at, buffer.at, buffer.used);
    heap.free(buffer.at);
  }
  buffer.at = at;
  buffer.room = room;
}

/** Makes room for `bytes` where nothing is in use. */
export function renew(buffer: Buffer, bytes: usize): void {
  buffer.used = 0;
  reserve(buffer, bytes);
}

export function newBuffer(): Buffer {
  const at = heap.alloc(offsetof<Buffer>());
  memory.fill(at, 0, offsetof<Buffer>());
  return changetype<Buffer>(at);
}

/** Exchanges the regions of two buffers. */
export function exchange(one: Buffer, other: Buffer): void {
  const at = one.at;
  const room = one.room;
  const used = one.used;
  one.at = other.at;
  one.room = other.room;
  one.used = other.used;
  other.at = at;
  other.room = room;
  other.used = used;
}

/** A region of `bytes` that stays. */
export function region(bytes: u32): usize {
  return heap.alloc(bytes + SLACK);
}
