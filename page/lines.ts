// The lines of a file as elements. As for the command, a carriage return is part of its line, and an empty line is a line.

const CHUNK_BYTES = 2 ** 20;
const NEWLINE = 10;

export class FileLines {
  readonly #file: Blob;
  readonly #fingerprint: (line: Uint8Array) => bigint;
  #offset = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  #position = 0;

  constructor(file: Blob, fingerprint: (line: Uint8Array) => bigint) {
    this.#file = file;
    this.#fingerprint = fingerprint;
  }

  /** Writes the fingerprints of the next lines, at most as many as there is room for. Resolves to their number: 0 at the end. */
  async place(fingerprints: BigUint64Array, most: number): Promise<number> {
    let count = 0;
    while (count < most) {
      const end = this.#bytes.indexOf(NEWLINE, this.#position);
      if (end === -1 && this.#offset < this.#file.size) {
        await this.#read();
        continue;
      }
      if (end === -1 && this.#position === this.#bytes.length) break;
      const line = this.#bytes.subarray(this.#position, end === -1 ? undefined : end);
      fingerprints[count++] = this.#fingerprint(line);
      this.#position = end === -1 ? this.#bytes.length : end + 1;
    }
    return count;
  }

  /** Reads the next part of the file behind the beginning of the line that goes on in it. */
  async #read(): Promise<void> {
    const rest = this.#bytes.subarray(this.#position);
    const part = new Uint8Array(await this.#file.slice(this.#offset, this.#offset + CHUNK_BYTES).arrayBuffer());
    const bytes = new Uint8Array(rest.length + part.length);
    bytes.set(rest);
    bytes.set(part, rest.length);
    this.#bytes = bytes;
    this.#position = 0;
    this.#offset += part.length;
  }
}
