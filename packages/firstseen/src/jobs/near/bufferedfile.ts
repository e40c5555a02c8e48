// A file of a run that is written at its end and changed where it was written, with its end in memory until enough is there.

import { SpillFile } from '../../io/file/spillfile.js';

const BUFFER_BYTES = 2 ** 16;

export class BufferedFile {
  readonly #file: SpillFile;
  /** The bytes after those in the file. */
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #buffered = 0;

  /** @throws FirstseenError E_SPILL when the file cannot be created. */
  constructor(folder: string) {
    this.#file = new SpillFile(folder);
  }

  /** Appends bytes; returns their position. */
  append(bytes: Uint8Array): number {
    if (this.#buffered + bytes.length > BUFFER_BYTES) this.#flush();
    if (bytes.length > BUFFER_BYTES) return this.#file.append(bytes);
    const position = this.#file.bytes + this.#buffered;
    this.#buffer.set(bytes, this.#buffered);
    this.#buffered += bytes.length;
    return position;
  }

  /** Writes over bytes that were appended at once. */
  replace(bytes: Uint8Array, position: number): void {
    if (position < this.#file.bytes) this.#file.write(bytes, position);
    else this.#buffer.set(bytes, position - this.#file.bytes);
  }

  /** Returns the bytes at a position. */
  read(count: number, position: number): Uint8Array<ArrayBuffer> {
    this.#flush();
    const bytes = new Uint8Array(count);
    this.#file.read(bytes, position);
    return bytes;
  }

  close(): void {
    this.#file.close();
  }

  #flush(): void {
    if (this.#buffered > 0) this.#file.append(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }
}
