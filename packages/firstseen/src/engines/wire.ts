// The lines that map, combine and reduce exchange: partition, position, fingerprint and record, separated by tabs. If elements have
// times, the time follows the fingerprint and an @. All numbers have a fixed width, so lines that are sorted as text are sorted by
// partition and position.

import { FirstseenError } from '../base/errors.js';
import { locationOf } from '../framing/exceptions.js';
import { standardInput } from '../io/file/request.js';
import type { InputReader } from '../io/source.js';

const PARTITION_DIGITS = 4;
/** A position is the number of its file, and the offset in that. */
const FILE_DIGITS = 6;
const OFFSET_DIGITS = 12;
const FINGERPRINT_DIGITS = 16;
/** The bits of a double: milliseconds since 1970. */
const TIME_DIGITS = 16;

/** Digits of one half of a number of 64 bits. */
const HALF_DIGITS = 8;

const POSITION_START = PARTITION_DIGITS + 1;
const OFFSET_START = POSITION_START + FILE_DIGITS;
const FINGERPRINT_START = OFFSET_START + OFFSET_DIGITS + 1;
/** Bytes of a line before the record, or before the time. */
const PREFIX_BYTES = FINGERPRINT_START + FINGERPRINT_DIGITS + 1;
const TIME_BYTES = TIME_DIGITS + 1;

export const MAX_FILES = 16 ** FILE_DIGITS;
const MAX_OFFSET = 16 ** OFFSET_DIGITS - 1;

const TAB = 0x09;
const AT = 0x40;
export const NEWLINE = 0x0a;
/** The byte in place of each digit of the fingerprint and of the time, in a record without a key. */
const NO_KEY = 0x2d;

const DIGITS = Buffer.from('0123456789abcdef');
const NOT_A_DIGIT = 255;
const valueOfDigit = new Uint8Array(256).fill(NOT_A_DIGIT);
for (const [value, digit] of DIGITS.entries()) valueOfDigit[digit] = value;

/** Writes lines into memory for a known number of elements. */
export class WireWriter {
  readonly #bytes: Buffer;
  readonly #hasTimes: boolean;
  readonly #time = new Float64Array(1);
  readonly #timeHalves = new Uint32Array(this.#time.buffer);
  #at = 0;

  /** @param hasTimes whether elements have times */
  constructor(elements: number, recordBytes: number, hasTimes: boolean) {
    this.#bytes = Buffer.allocUnsafe(elements * (PREFIX_BYTES + TIME_BYTES + 1) + recordBytes);
    this.#hasTimes = hasTimes;
  }

  /** The partition, and the position of the element. @throws FirstseenError E_INPUT for an offset of more than 12 digits. */
  place(partition: number, file: number, offset: number): void {
    if (offset > MAX_OFFSET) {
      throw new FirstseenError('E_INPUT', 'the input has more than 256 TiB', {
        remedy: 'divide it into several files',
      });
    }
    this.#digits(partition, PARTITION_DIGITS, 10);
    this.#bytes[this.#at++] = TAB;
    this.#digits(file, FILE_DIGITS, 16);
    this.#digits(offset, OFFSET_DIGITS, 16);
    this.#bytes[this.#at++] = TAB;
  }

  /** The upper and the lower half of the fingerprint, and the time, which only elements with times have. */
  fingerprint(high: number, low: number, time: number): void {
    this.#halves(high, low);
    if (this.#hasTimes) {
      this.#bytes[this.#at++] = AT;
      this.#time[0] = time;
      this.#halves(this.#timeHalves[1] as number, this.#timeHalves[0] as number);
    }
    this.#bytes[this.#at++] = TAB;
  }

  noFingerprint(): void {
    this.#noDigits(FINGERPRINT_DIGITS);
    if (this.#hasTimes) {
      this.#bytes[this.#at++] = AT;
      this.#noDigits(TIME_DIGITS);
    }
    this.#bytes[this.#at++] = TAB;
  }

  /** The record, with a newline if it has none. */
  record(record: Uint8Array): void {
    this.#bytes.set(record, this.#at);
    this.#at += record.length;
    if (record.at(-1) !== NEWLINE) this.#bytes[this.#at++] = NEWLINE;
  }

  written(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  #noDigits(digits: number): void {
    this.#bytes.fill(NO_KEY, this.#at, this.#at + digits);
    this.#at += digits;
  }

  /** A number of 64 bits. */
  #halves(high: number, low: number): void {
    this.#digits(high, HALF_DIGITS, 16);
    this.#digits(low, HALF_DIGITS, 16);
  }

  #digits(value: number, digits: number, base: number): void {
    let rest = value;
    for (let at = this.#at + digits - 1; at >= this.#at; at--) {
      const above = Math.floor(rest / base);
      this.#bytes[at] = DIGITS[rest - above * base] as number;
      rest = above;
    }
    this.#at += digits;
  }
}

/** Elements of a batch; as many as the kernel takes at once. */
export const BATCH_ELEMENTS = 16_384;

/** Consecutive elements of one partition. The arrays are valid until the next batch is requested. */
export interface WireBatch {
  partition: number;
  count: number;
  /** The lines are in these bytes, each from its start to its end, which is after its newline. */
  bytes: Buffer;
  starts: Uint32Array;
  ends: Uint32Array;
  /** 1 for an element that has a fingerprint, otherwise 0. */
  keyed: Uint8Array;
  /** The fingerprint of each element; 0 without one. */
  fingerprints: BigUint64Array<ArrayBuffer>;
  /** The time of each element in milliseconds since 1970; 0 without one. */
  times: Float64Array<ArrayBuffer>;
  /** Bytes of a line before its record. */
  prefixBytes: number;
}

/** The position of the element at `index` as it is in the line, with the tab that follows. */
export function positionIn({ bytes, starts }: WireBatch, index: number): Buffer {
  const start = starts[index] as number;
  return bytes.subarray(start + POSITION_START, start + FINGERPRINT_START);
}

/** The record of the element at `index`, with its newline. */
export function recordIn({ bytes, starts, ends, prefixBytes }: WireBatch, index: number): Buffer {
  return bytes.subarray((starts[index] as number) + prefixBytes, ends[index] as number);
}

const CHUNK_BYTES = 2 ** 20;

/** Reads lines from an input, and checks that they are elements in order. */
export class WireReader {
  readonly #reader: InputReader;
  #buffer = Buffer.allocUnsafe(2 * CHUNK_BYTES);
  #start = 0;
  #end = 0;
  #isEnd = false;
  /** Lines read. */
  #lines = 0;
  #partition = -1;
  readonly #ended = new Set<number>();
  #file = 0;
  #offset = -1;
  readonly #batch = {
    starts: new Uint32Array(BATCH_ELEMENTS),
    ends: new Uint32Array(BATCH_ELEMENTS),
    keyed: new Uint8Array(BATCH_ELEMENTS),
    fingerprints: new BigUint64Array(BATCH_ELEMENTS),
    times: new Float64Array(BATCH_ELEMENTS),
  };
  readonly #halves = new Uint32Array(this.#batch.fingerprints.buffer);
  readonly #timeHalves = new Uint32Array(this.#batch.times.buffer);
  readonly #hasTimes: boolean;
  readonly #prefixBytes: number;

  /** @param hasTimes whether the elements have times */
  constructor(reader: InputReader, hasTimes: boolean) {
    this.#reader = reader;
    this.#hasTimes = hasTimes;
    this.#prefixBytes = PREFIX_BYTES + (hasTimes ? TIME_BYTES : 0);
  }

  /**
   * The batches to the end of the input.
   * @throws FirstseenError E_RECORD for a line that is not one of an element, E_ORDER for elements that are not in order.
   */
  async *batches(): AsyncGenerator<WireBatch, void, undefined> {
    for (;;) {
      const count = this.#takeLines();
      const [partition, prefixBytes] = [this.#partition, this.#prefixBytes];
      if (count > 0) yield { partition, count, prefixBytes, bytes: this.#buffer, ...this.#batch };
      else if (this.#isEnd) break;
      else await this.#fill();
    }
    if (this.#end > this.#start) throw this.#malformed('the input ends inside a line');
  }

  /** Moves the rest of the buffer to its front, and reads more after it. A longer line gets a larger buffer. */
  async #fill(): Promise<void> {
    const unreadBytes = this.#buffer.subarray(this.#start, this.#end);
    if (unreadBytes.length + CHUNK_BYTES > this.#buffer.length) {
      this.#buffer = Buffer.concat([unreadBytes], 2 * (unreadBytes.length + CHUNK_BYTES));
    } else {
      this.#buffer.copyWithin(0, this.#start, this.#end);
    }
    this.#start = 0;
    this.#end = unreadBytes.length;
    const bytesRead = await this.#reader.read(this.#buffer.subarray(this.#end, this.#end + CHUNK_BYTES));
    this.#end += bytesRead;
    this.#isEnd = bytesRead === 0;
  }

  /** Takes whole lines of one partition; returns their number. */
  #takeLines(): number {
    const filledBytes = this.#buffer.subarray(0, this.#end);
    for (let count = 0; count < BATCH_ELEMENTS; count++) {
      const newline = filledBytes.indexOf(NEWLINE, this.#start);
      if (newline === -1) return count;
      const partition = this.#partitionAt(this.#start, newline);
      if (partition !== this.#partition) {
        if (count > 0) return count;
        this.#enter(partition);
      }
      this.#takePosition(this.#start + POSITION_START);
      this.#takeFingerprint(this.#start + FINGERPRINT_START, count);
      this.#lines++;
      this.#batch.starts[count] = this.#start;
      this.#batch.ends[count] = newline + 1;
      this.#start = newline + 1;
    }
    return BATCH_ELEMENTS;
  }

  #partitionAt(start: number, newline: number): number {
    const bytes = this.#buffer;
    const isElement =
      newline >= start + this.#prefixBytes &&
      bytes[start + POSITION_START - 1] === TAB &&
      bytes[start + FINGERPRINT_START - 1] === TAB &&
      bytes[start + PREFIX_BYTES - 1] === (this.#hasTimes ? AT : TAB) &&
      bytes[start + this.#prefixBytes - 1] === TAB;
    if (!isElement) {
      const fields = this.#hasTimes
        ? 'partition, position, fingerprint and time'
        : 'partition, position and fingerprint';
      throw this.#malformed(`the line does not have ${fields}`);
    }
    return this.#number(start, PARTITION_DIGITS, 10);
  }

  #enter(partition: number): void {
    if (this.#ended.has(partition)) {
      throw this.#outOfOrder(`the elements of partition ${partition} do not follow one another`);
    }
    if (this.#partition >= 0) this.#ended.add(this.#partition);
    this.#partition = partition;
    this.#file = 0;
    this.#offset = -1;
  }

  #takePosition(start: number): void {
    const file = this.#number(start, FILE_DIGITS, 16);
    const offset = this.#number(start + FILE_DIGITS, OFFSET_DIGITS, 16);
    const isLater = file === this.#file ? offset > this.#offset : file > this.#file;
    if (!isLater) {
      throw this.#outOfOrder(`the position of an element is not after that of the element before it`);
    }
    this.#file = file;
    this.#offset = offset;
  }

  #takeFingerprint(start: number, index: number): void {
    const isKeyed = this.#buffer[start] !== NO_KEY;
    this.#batch.keyed[index] = isKeyed ? 1 : 0;
    this.#takeHalves(this.#halves, index, isKeyed ? start : undefined);
    if (this.#hasTimes) this.#takeHalves(this.#timeHalves, index, isKeyed ? start + FINGERPRINT_DIGITS + 1 : undefined);
  }

  /** Takes a number of 64 bits that starts there; 0 without a start. */
  #takeHalves(halves: Uint32Array, index: number, start: number | undefined): void {
    halves[2 * index] = start === undefined ? 0 : this.#number(start + HALF_DIGITS, HALF_DIGITS, 16);
    halves[2 * index + 1] = start === undefined ? 0 : this.#number(start, HALF_DIGITS, 16);
  }

  #number(start: number, digits: number, base: number): number {
    let value = 0;
    for (let at = start; at < start + digits; at++) {
      const digit = valueOfDigit[this.#buffer[at] as number] as number;
      if (digit >= base) throw this.#malformed('the line has a malformed number');
      value = value * base + digit;
    }
    return value;
  }

  get #location(): string {
    return locationOf(standardInput.name, 'line', this.#lines + 1);
  }

  #malformed(problem: string): FirstseenError {
    return new FirstseenError('E_RECORD', `${this.#location}: ${problem}`, {
      remedy: 'give the lines that firstseen map writes',
    });
  }

  #outOfOrder(problem: string): FirstseenError {
    return new FirstseenError('E_ORDER', `${this.#location}: ${problem}`, {
      remedy: 'sort the lines by partition and position, and give each input its own number',
    });
  }
}
