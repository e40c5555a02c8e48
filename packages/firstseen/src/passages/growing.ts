// Bytes that are appended to, in an array that grows.

const FIRST_BYTES = 2 ** 16;

export class GrowingBytes {
  /** The number of bytes. */
  length = 0;
  #bytes = new Uint8Array(FIRST_BYTES);

  clear(): void {
    this.length = 0;
  }

  append(bytes: Uint8Array): void {
    const end = this.length + bytes.length;
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(2 * this.#bytes.length, end));
      grown.set(this.#bytes.subarray(0, this.length));
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.length);
    this.length = end;
  }

  /** A view, valid until the next `append` after a `clear`. */
  between(start: number, end: number): Uint8Array {
    return this.#bytes.subarray(start, end);
  }
}
