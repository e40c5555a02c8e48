// The bytes of an output that is one JSON array: records of JSON, each without its newline, with commas between them. A later run
// continues before the closing bracket.

import { NEWLINE } from '../../records/formats.js';
import type { BytePosition, ByteSink } from './bytesink.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const OPENING = bytesOf('[\n');
const SEPARATOR = bytesOf(',\n');
const CLOSING = bytesOf('\n]\n');
const EMPTY_ARRAY = bytesOf('[]\n');

/** Puts the parts of an array around and between lines. */
export class ArrayBytes implements ByteSink {
  readonly #bytes: ByteSink;
  #hasElements: boolean;
  #isInElement = false;

  /** @param hasElements true if an earlier run has written some */
  constructor(bytes: ByteSink, hasElements: boolean) {
    this.#bytes = bytes;
    this.#hasElements = hasElements;
  }

  async write(lines: Uint8Array): Promise<void> {
    const parts: Uint8Array[] = [];
    for (let at = 0; at < lines.length; ) {
      if (lines[at] === NEWLINE) {
        this.#isInElement = false;
        at++;
        continue;
      }
      if (!this.#isInElement) parts.push(this.#hasElements ? SEPARATOR : OPENING);
      this.#isInElement = true;
      this.#hasElements = true;
      const newline = lines.indexOf(NEWLINE, at);
      const end = newline < 0 ? lines.length : newline;
      parts.push(lines.subarray(at, end));
      at = end;
    }
    if (parts.length > 0) await this.#bytes.write(Buffer.concat(parts));
  }

  commit(): Promise<BytePosition> {
    return this.#bytes.commit();
  }

  /** Ends the array. An output that received nothing of a run that stopped stays as it was. */
  async close(isWhole: boolean): Promise<BytePosition> {
    if (!isWhole && !this.#hasElements) return this.#bytes.close(isWhole);
    const { fileBytes, pending } = await this.#bytes.commit();
    await this.#bytes.write(this.#hasElements ? CLOSING : EMPTY_ARRAY);
    const { written } = await this.#bytes.close(isWhole);
    return { fileBytes, pending, ...(written && { written }), hasEnd: true };
  }

  abort(): Promise<void> {
    return this.#bytes.abort();
  }
}
