// Reads records of one length from files, in order: as binary data, or as lines of hexadecimal digits.

import { formatCounted } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import type { InputReader, InputRequest } from '../../io/source.js';
import { lookAtInput } from '../../io/sources.js';
import type { motifFormat } from '../../options/motifs.js';

export type MotifFormat = (typeof motifFormat.words)[number];

const RECORD_BYTES = optionName('recordBytes');
const CHUNK_BYTES = 2 ** 16;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

interface Filled {
  /** 0 at the end of the input. */
  records: number;
  /** The error that ended the reading. */
  failure?: unknown;
}

interface RecordReader {
  /** Fills the target, whose length is a multiple of the record length, from its start, until the input ends or fails. */
  fill(target: Uint8Array): Promise<Filled>;
  close(): Promise<void>;
}

/** Fills the target until the input ends or fails. */
async function readFully(reader: InputReader, target: Uint8Array): Promise<{ bytes: number; failure?: unknown }> {
  let bytes = 0;
  try {
    while (bytes < target.length) {
      const readBytes = await reader.read(target.subarray(bytes));
      if (readBytes === 0) break;
      bytes += readBytes;
    }
    return { bytes };
  } catch (failure) {
    return { bytes, failure };
  }
}

/** An input that is read as records. */
abstract class InputRecords implements RecordReader {
  protected readonly reader: InputReader;
  protected readonly name: string;
  protected readonly recordBytes: number;

  constructor(reader: InputReader, name: string, recordBytes: number) {
    this.reader = reader;
    this.name = name;
    this.recordBytes = recordBytes;
  }

  abstract fill(target: Uint8Array): Promise<Filled>;

  close(): Promise<void> {
    return this.reader.close();
  }
}

class BinaryRecords extends InputRecords {
  async fill(target: Uint8Array): Promise<Filled> {
    const { bytes, ...failed } = await readFully(this.reader, target);
    const tornBytes = bytes % this.recordBytes;
    const torn = tornBytes > 0 ? { failure: this.#torn(tornBytes) } : {};
    return { records: Math.floor(bytes / this.recordBytes), ...torn, ...failed };
  }

  #torn(bytes: number): FirstseenError {
    return new FirstseenError(
      'E_RECORD',
      `the last record of ${this.name} has ${formatCounted(bytes, 'byte')}, but records have ${this.recordBytes}`,
      {
        option: 'recordBytes',
        given: this.recordBytes,
        remedy: phrase`correct ${RECORD_BYTES}, or complete the file`,
      },
    );
  }
}

class HexRecords extends InputRecords {
  readonly #chunk = Buffer.alloc(CHUNK_BYTES);
  /** Bytes that are read but not yet processed. */
  #rest: Buffer = Buffer.alloc(0);
  #isEnded = false;
  #lines = 0;

  async fill(target: Uint8Array): Promise<Filled> {
    let records = 0;
    try {
      for (; records * this.recordBytes < target.length; records++) {
        const line = await this.#nextLine();
        if (line === undefined) break;
        target.set(this.#decoded(line), records * this.recordBytes);
      }
      return { records };
    } catch (failure) {
      return { records, failure };
    }
  }

  async #nextLine(): Promise<string | undefined> {
    let end = this.#rest.indexOf(NEWLINE);
    // A line is refused as soon as it is too long, however much may follow.
    while (end === -1 && !this.#isEnded && this.#rest.length <= 2 * this.recordBytes + 1) {
      const bytes = await this.reader.read(this.#chunk);
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

  #decoded(line: string): Uint8Array {
    const record = Buffer.from(line, 'hex');
    // Decoding stops at the first character that is not a digit.
    if (line.length === 2 * this.recordBytes && record.length === this.recordBytes) return record;
    throw new FirstseenError(
      'E_RECORD',
      `${this.name}, line ${this.#lines}: the line is not a record of ${2 * this.recordBytes} hexadecimal digits`,
      { option: 'recordBytes', given: this.recordBytes, remedy: phrase`correct ${RECORD_BYTES}, or the line` },
    );
  }
}

export interface RecordsOptions {
  inputs: readonly InputRequest[];
  format: MotifFormat;
  recordBytes: number;
  /** Ends the records immediately. */
  signal?: AbortSignal | undefined;
}

/** The records of several inputs in order. Each input holds whole records. */
export class Records {
  readonly #options: RecordsOptions;
  #input = 0;
  #reader: RecordReader | undefined;
  #aborted: Promise<number> | undefined;
  /** An error that follows records that are still to be returned. */
  #failure: unknown;

  constructor(options: RecordsOptions) {
    this.#options = options;
  }

  /**
   * Fills the target from its start; resolves to the number of records, which is less than fits only before an error or the end,
   * and 0 at the end.
   * @throws FirstseenError E_INPUT when an input cannot be read, E_RECORD where one ends within a record.
   */
  async fill(target: Uint8Array): Promise<number> {
    const { signal } = this.#options;
    if (!signal) return this.#fillWhole(target);
    // A pipe may never deliver anything. Bytes read from it since the last batch are lost.
    const filling = this.#fillWhole(target);
    filling.catch(() => undefined);
    return Promise.race([filling, this.#whenAborted(signal)]);
  }

  async #fillWhole(target: Uint8Array): Promise<number> {
    const { inputs, recordBytes } = this.#options;
    let filledRecords = 0;
    while (this.#failure === undefined && filledRecords * recordBytes < target.length && this.#input < inputs.length) {
      const room = target.subarray(filledRecords * recordBytes);
      const { records, failure } = await this.#fillFrom(inputs[this.#input] as InputRequest, room);
      filledRecords += records;
      this.#failure = failure;
      if (records === 0 && failure === undefined) await this.#next();
    }
    if (filledRecords === 0 && this.#failure !== undefined) throw this.#failure;
    return filledRecords;
  }

  async close(): Promise<void> {
    await this.#reader?.close();
    this.#reader = undefined;
  }

  async #fillFrom(input: InputRequest, target: Uint8Array): Promise<Filled> {
    try {
      this.#reader ??= await this.#open(input);
      return await this.#reader.fill(target);
    } catch (failure) {
      return { records: 0, failure };
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

  async #open(input: InputRequest): Promise<RecordReader> {
    const { format, recordBytes } = this.#options;
    const isBinary = format === 'binary';
    const source = await lookAtInput(input, isBinary ? 'u64' : 'lines');
    const reader = await source.open();
    return new (isBinary ? BinaryRecords : HexRecords)(reader, input.name, recordBytes);
  }
}
