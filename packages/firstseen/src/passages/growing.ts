// Bytes that are appended to, in an array that grows.

const FIRST_BYTES = 2 ** 16;
/** More bytes are copied faster by a view of them, which takes as long to make as to copy these. */
const MAX_SHORT_BYTES = 64;

export class GrowingBytes {
  /** The number of bytes. */
  length = 0;
  #bytes = new Uint8Array(FIRST_BYTES);

  clear(): void {
    this.length = 0;
  }

  /** All bytes, and room for more; valid until the next `append`. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Appends bytes, or those from `start` to `end` of them. */
  append(bytes: Uint8Array, start = 0, end = bytes.length): void {
    const from = this.length;
    this.length += end - start;
    if (this.length > this.#bytes.length) this.#grow(from);
    if (end - start > MAX_SHORT_BYTES) this.#bytes.set(bytes.subarray(start, end), from);
    else for (let i = start; i < end; i++) this.#bytes[from + i - start] = bytes[i] as number;
  }

  /** A view, valid until the next `append` after a `clear`. */
  between(start: number, end: number): Uint8Array {
    return this.#bytes.subarray(start, end);
  }

  /** Makes room for all bytes, and keeps the first ones. */
  #grow(keptBytes: number): void {
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.length));
    grown.set(this.#bytes.subarray(0, keptBytes));
    this.#bytes = grown;
  }
}
