// What was read from bytes that come again and again.

const MAX_BYTES = 512;

/** Reads the meaning of bytes, unless they are those that were read last. Long ones are always read. */
export class Latest<T> {
  readonly #read: (bytes: Buffer) => T;
  #bytes: Buffer | undefined;
  #value: T | undefined;

  constructor(read: (bytes: Buffer) => T) {
    this.#read = read;
  }

  of(bytes: Buffer, start: number, end: number): T {
    if (this.#isLatest(bytes, start, end)) return this.#value as T;
    const part = bytes.subarray(start, end);
    const value = this.#read(part);
    if (part.length <= MAX_BYTES) [this.#bytes, this.#value] = [Buffer.from(part), value];
    return value;
  }

  #isLatest(bytes: Buffer, start: number, end: number): boolean {
    const latest = this.#bytes;
    if (latest === undefined || latest.length !== end - start) return false;
    for (let i = 0, j = start; j < end; i++, j++) if (latest[i] !== bytes[j]) return false;
    return true;
  }
}
