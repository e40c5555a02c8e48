// Records of one length from files, one after the other: as they are, or as lines of hexadecimal digits.

import { STANDARD_STREAM } from '../dedup/options.js';
import { type InputReader, openInput } from '../dedup/reader.js';
import { FirstseenError } from '../errors.js';

export const recordFormats = ['binary', 'hex'] as const;
export type RecordFormat = (typeof recordFormats)[number];

const CHUNK_BYTES = 2 ** 16;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function nameOf(path: string): string {
  return path === STANDARD_STREAM ? 'standard input' : path;
}

interface RecordReader {
  /**
   * Fills the target, which has room for whole records, from its front; resolves to the records, 0 at the end. What is no
   * record is an error of the call that would begin with it, so that those before it are not lost.
   */
  fill(target: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

/** Fills the target as far as the input reaches; resolves to the bytes. */
async function readFully(reader: InputReader, target: Uint8Array): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    const bytes = await reader.read(target.subarray(filled));
    if (bytes === 0) break;
    filled += bytes;
  }
  return filled;
}

class BinaryRecords implements RecordReader {
  readonly #reader: InputReader;
  readonly #path: string;
  readonly #recordBytes: number;
  /** Bytes behind the last whole record. */
  #tornBytes = 0;

  constructor(reader: InputReader, path: string, recordBytes: number) {
    this.#reader = reader;
    this.#path = path;
    this.#recordBytes = recordBytes;
  }

  async fill(target: Uint8Array): Promise<number> {
    if (this.#tornBytes > 0) throw this.#torn();
    const bytes = await readFully(this.#reader, target);
    this.#tornBytes = bytes % this.#recordBytes;
    if (bytes > 0 && bytes === this.#tornBytes) throw this.#torn();
    return Math.floor(bytes / this.#recordBytes);
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  #torn(): FirstseenError {
    return new FirstseenError(
      'E_RECORD',
      `the last record of ${nameOf(this.#path)} has ${this.#tornBytes} bytes, but records have ${this.#recordBytes}; ` +
        'give the length of a record with --record-bytes, or the whole file',
    );
  }
}

class HexRecords implements RecordReader {
  readonly #reader: InputReader;
  readonly #path: string;
  readonly #recordBytes: number;
  readonly #chunk = Buffer.alloc(CHUNK_BYTES);
  /** What is read and not yet taken. */
  #rest: Buffer = Buffer.alloc(0);
  #isEnded = false;
  /** A line that is read and not yet taken. */
  #line: string | undefined;
  #lines = 0;

  constructor(reader: InputReader, path: string, recordBytes: number) {
    this.#reader = reader;
    this.#path = path;
    this.#recordBytes = recordBytes;
  }

  async fill(target: Uint8Array): Promise<number> {
    let filled = 0;
    for (; filled < target.length; filled += this.#recordBytes) {
      this.#line ??= await this.#nextLine();
      if (this.#line === undefined) break;
      const record = this.#decoded(this.#line);
      // The line stays where it is until the records before it are taken, and is refused then.
      if (record === undefined && filled > 0) break;
      if (record === undefined) throw this.#invalid();
      target.set(record, filled);
      this.#line = undefined;
    }
    return filled / this.#recordBytes;
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  async #nextLine(): Promise<string | undefined> {
    let end = this.#rest.indexOf(NEWLINE);
    // A line that is too long is refused as soon as it is, however much may follow.
    while (end === -1 && !this.#isEnded && this.#rest.length <= 2 * this.#recordBytes + 1) {
      const bytes = await this.#reader.read(this.#chunk);
      this.#isEnded = bytes === 0;
      this.#rest = Buffer.concat([this.#rest, this.#chunk.subarray(0, bytes)]);
      end = this.#rest.indexOf(NEWLINE);
    }
    if (end === -1 && this.#rest.length === 0) return undefined;
    this.#lines++;
    const line = this.#rest.subarray(0, end === -1 ? this.#rest.length : end);
    this.#rest = this.#rest.subarray(end === -1 ? this.#rest.length : end + 1);
    return line.toString('latin1', 0, line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length);
  }

  #decoded(line: string): Uint8Array | undefined {
    const record = Buffer.from(line, 'hex');
    // Decoding ends at the first character that is no digit.
    return line.length === 2 * this.#recordBytes && record.length === this.#recordBytes ? record : undefined;
  }

  #invalid(): FirstseenError {
    return new FirstseenError(
      'E_RECORD',
      `line ${this.#lines} of ${nameOf(this.#path)} is not a record of ${2 * this.#recordBytes} hexadecimal digits; ` +
        'give the length of a record with --record-bytes, or mend the line',
    );
  }
}

export interface RecordsOptions {
  inputs: readonly string[];
  format: RecordFormat;
  recordBytes: number;
  /** Ends the records at once. */
  signal?: AbortSignal | undefined;
}

/** The records of several inputs, as one run. Each input holds whole records. */
export class Records {
  readonly #options: RecordsOptions;
  #input = 0;
  #reader: RecordReader | undefined;
  #aborted: Promise<number> | undefined;
  #failure: unknown;

  constructor(options: RecordsOptions) {
    this.#options = options;
  }

  /**
   * Fills the target from its front; resolves to the records, fewer than fit only before an error or the end, where it is 0.
   * @throws FirstseenError E_INPUT when an input cannot be read, E_RECORD where one ends within a record.
   */
  async fill(target: Uint8Array): Promise<number> {
    const { signal } = this.#options;
    if (!signal) return this.#fillWhole(target);
    // A pipe may give nothing for ever; what was read of it since the last batch is left.
    const filling = this.#fillWhole(target);
    filling.catch(() => undefined);
    return Promise.race([filling, this.#whenAborted(signal)]);
  }

  async #fillWhole(target: Uint8Array): Promise<number> {
    const { inputs, recordBytes } = this.#options;
    let filled = 0;
    while (filled * recordBytes < target.length && this.#input < inputs.length) {
      const records = await this.#fillFrom(
        inputs[this.#input] as string,
        target.subarray(filled * recordBytes),
        filled > 0,
      );
      if (records === undefined) break;
      filled += records;
      if (records === 0) await this.#next();
    }
    return filled;
  }

  async close(): Promise<void> {
    await this.#reader?.close();
    this.#reader = undefined;
  }

  /** Undefined for an error that has to wait until the records at hand are taken. */
  async #fillFrom(path: string, target: Uint8Array, mayWait: boolean): Promise<number | undefined> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      this.#reader ??= await this.#open(path);
      return await this.#reader.fill(target);
    } catch (error) {
      if (!mayWait) throw error;
      this.#failure = error;
      return undefined;
    }
  }

  #whenAborted(signal: AbortSignal): Promise<number> {
    this.#aborted ??= new Promise((resolve) => {
      if (signal.aborted) resolve(0);
      signal.addEventListener('abort', () => resolve(0), { once: true });
    });
    return this.#aborted;
  }

  async #next(): Promise<void> {
    await this.close();
    this.#input++;
  }

  async #open(path: string): Promise<RecordReader> {
    const { format, recordBytes } = this.#options;
    const isBinary = format === 'binary';
    const reader = await openInput(path, { isBinary, offset: 0 });
    return isBinary ? new BinaryRecords(reader, path, recordBytes) : new HexRecords(reader, path, recordBytes);
  }
}
