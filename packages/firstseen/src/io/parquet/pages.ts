// The pages of a column in a row group, read one after the other.

import type { FileHandle } from 'node:fs/promises';
import { fillFrom } from '../system/fill.js';
import { EndOfThrift, readStruct, type ThriftFields } from './thrift.js';

/** Bytes that are read at once, unless a page is longer. */
const WINDOW_BYTES = 2 ** 18;

/** The types of pages, by their numbers in the format. */
const pageTypes = { DATA: 0, INDEX: 1, DICTIONARY: 2, DATA_V2: 3 } as const;

/** The content of a page, and what its head says about it. */
export interface Page {
  readonly isDictionary: boolean;
  /** The number of its levels, or of the entries of a dictionary. */
  readonly count: number;
  readonly encoding: number;
  /** The bytes of its levels, which are not compressed; -1 if each kind has its length before it. */
  readonly repetitionBytes: number;
  readonly definitionBytes: number;
  readonly isCompressed: boolean;
  /** Bytes without compression. */
  readonly plainBytes: number;
  /** As stored. They are valid until the next page is read. */
  readonly bytes: Uint8Array;
}

/** The stored bytes of a column in a row group. */
export interface ChunkPlace {
  readonly start: number;
  readonly end: number;
}

function numberOf(fields: ThriftFields | undefined, id: number): number {
  const number = fields?.get(id)?.number;
  if (number === undefined || Number.isNaN(number)) throw new Error('the head of a page is damaged');
  return number;
}

/** The page of a head; undefined for one that holds no values. */
function pageOf(head: ThriftFields, bytes: Uint8Array): Page | undefined {
  const plainBytes = numberOf(head, 2);
  const whole = {
    isDictionary: false,
    repetitionBytes: -1,
    definitionBytes: -1,
    isCompressed: true,
    plainBytes,
    bytes,
  };
  switch (numberOf(head, 1)) {
    case pageTypes.DATA: {
      const { fields } = head.get(5) ?? {};
      return { ...whole, count: numberOf(fields, 1), encoding: numberOf(fields, 2) };
    }
    case pageTypes.DICTIONARY: {
      const { fields } = head.get(7) ?? {};
      return { ...whole, isDictionary: true, count: numberOf(fields, 1), encoding: numberOf(fields, 2) };
    }
    case pageTypes.DATA_V2: {
      const { fields } = head.get(8) ?? {};
      return {
        ...whole,
        count: numberOf(fields, 1),
        encoding: numberOf(fields, 4),
        definitionBytes: numberOf(fields, 5),
        repetitionBytes: numberOf(fields, 6),
        isCompressed: fields?.get(7)?.number !== 0,
      };
    }
    case pageTypes.INDEX:
      return undefined;
    default:
      throw new Error('a page has an unknown type');
  }
}

/** Reads the pages of a column in a row group. */
export class PageReader {
  readonly #file: FileHandle;
  readonly #end: number;
  /** The position in the file of the next page. */
  #at: number;
  #window: Uint8Array = new Uint8Array(0);
  /** The bytes of the file that are in the window. */
  #from = 0;
  #through = 0;

  constructor(file: FileHandle, { start, end }: ChunkPlace) {
    this.#file = file;
    this.#at = start;
    this.#end = end;
  }

  /** The next page; undefined at the end. @throws Error for what is damaged or cannot be read */
  async next(): Promise<Page | undefined> {
    while (this.#at < this.#end) {
      const { fields, end } = await this.#head();
      const storedBytes = numberOf(fields, 3);
      if (storedBytes < 0 || numberOf(fields, 2) < 0) throw new Error('the head of a page is damaged');
      const bytes = await this.#bytes(this.#at + end, storedBytes);
      this.#at += end + storedBytes;
      const page = pageOf(fields, bytes);
      if (page && page.count < 0) throw new Error('the head of a page is damaged');
      if (page) return page;
    }
    return undefined;
  }

  async #head(): Promise<{ fields: ThriftFields; end: number }> {
    for (let room = 1024; ; room *= 4) {
      const bytes = Math.min(room, this.#end - this.#at);
      const window = await this.#bytes(this.#at, bytes);
      try {
        return readStruct(window);
      } catch (cause) {
        if (!(cause instanceof EndOfThrift) || bytes < room) throw cause;
      }
    }
  }

  /** Bytes of the file. */
  async #bytes(at: number, length: number): Promise<Uint8Array> {
    if (at + length > this.#end) throw new Error('a page ends after its column');
    if (at < this.#from || at + length > this.#through) await this.#fill(at, length);
    return this.#window.subarray(at - this.#from, at - this.#from + length);
  }

  async #fill(at: number, length: number): Promise<void> {
    const bytes = Math.min(Math.max(length, WINDOW_BYTES), this.#end - at);
    if (this.#window.length < bytes) this.#window = new Uint8Array(bytes);
    const read = await fillFrom(this.#file, this.#window.subarray(0, bytes), at);
    if (read < length) throw new Error(`bytes ${at} to ${at + length} are beyond the end of the file`);
    this.#from = at;
    this.#through = at + read;
  }
}
