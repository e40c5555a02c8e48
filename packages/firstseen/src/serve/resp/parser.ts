// The parser of a connection: RESP arrays of bulk strings, and inline commands, cut into chunks anywhere.
// A chunk that has only whole commands is not copied. Otherwise chunks are gathered in a buffer that doubles, so that the time is
// linear in the bytes of a command, however it is cut. Errors are those of Redis 7.

import { longFlag } from '../../options/longflag.js';
import { requestBytes } from '../../options/serve.js';
import type { ParsedCommands, RequestLimits } from './commands.js';
import { binaryProtocol, isBinary, lineProtocol } from './foreign.js';
import { splitWords } from './inline.js';
import { areEqual, INVALID, shortNumber, wholeNumber } from './lengths.js';

const [LF, CR, ASTERISK, DOLLAR] = [10, 13, 42, 36];

/** Arguments for which room is kept between commands. */
const KEPT_ARGUMENTS = 2 ** 14;
/** Arguments that a new parser has room for. */
const FIRST_ARGUMENTS = 2 ** 5;
/** Bytes of the places of an argument, and of the command that it may begin. */
const ARGUMENT_BYTES = 13;
/** The most bytes of an inline command, as in Redis. */
const MAX_LINE_BYTES = 2 ** 16;
/** The most bytes of a length with what surrounds it. */
const MAX_LENGTH_BYTES = 24;
/** Bytes of a length of two digits with its mark and its line end. */
const SHORT_LENGTH_BYTES = 5;
/** A buffer that is not larger is kept for the next chunk. */
const KEPT_BYTES = 2 ** 16;

/** Before the bytes that were parsed together. */
const NOWHERE = -1;

const NOTHING = Buffer.alloc(0);

/** A length is not whole yet. */
const INCOMPLETE = -2;

/** Parses the chunks of one connection. */
export class CommandParser implements ParsedCommands {
  limits: RequestLimits;
  /** Why nothing after the commands that were parsed so far can be understood. */
  problem: string | undefined;
  /** The protocol that the client speaks if it is another one. */
  foreignProtocol: string | undefined;
  /** True if the batch is one inline command. */
  isInline = false;
  bytes: Buffer = NOTHING;
  starts = new Uint32Array(FIRST_ARGUMENTS);
  ends = new Uint32Array(FIRST_ARGUMENTS);
  firsts = new Uint32Array(FIRST_ARGUMENTS + 1);
  repeats = new Uint8Array(FIRST_ARGUMENTS);
  count = 0;
  /** True if the buffer is the parser's own, and not a chunk. */
  #isOwn = false;
  #position = 0;
  #end = 0;
  /** Arguments of the batch and of the command that is not whole. */
  #arguments = 0;
  /** Arguments that the command lacks; 0 between two commands. */
  #missing = 0;
  /** Bytes of the arguments of the command. */
  #commandBytes = 0;
  /** The length of the argument that follows; -1 if it was not read. */
  #length = -1;
  /** The latest command of this batch that the next one may repeat: where it begins, and the bytes up to its last argument. */
  #headStart = NOWHERE;
  #headBytes = 0;
  /** The position up to which an inline command was searched for its end. */
  #searched = 0;

  constructor(limits: RequestLimits) {
    this.limits = limits;
  }

  /** True if a command has begun that is not whole, once those that are whole were parsed. */
  get isPartial(): boolean {
    return this.#missing > 0 || this.#position < this.#end;
  }

  /** Bytes of what has come and is in memory, and of the places of its arguments. */
  get takenBytes(): number {
    const room = this.starts.length;
    return this.#end + (room > FIRST_ARGUMENTS ? room * ARGUMENT_BYTES : 0);
  }

  /** Takes the next chunk. The commands returned before are gone. */
  push(chunk: Buffer): void {
    this.#forget();
    const from = this.#keptFrom();
    const restBytes = this.#end - from;
    if (restBytes === 0) {
      [this.bytes, this.#isOwn, this.#position, this.#end] = [chunk, false, 0, chunk.length];
      this.#searched = 0;
      return;
    }
    if (!this.#isOwn || this.#end + chunk.length > this.bytes.length) this.#makeRoom(from, restBytes + chunk.length);
    chunk.copy(this.bytes, this.#end);
    this.#end += chunk.length;
  }

  /** Keeps a copy of what is needed of the chunk, whose buffer may be used again. The commands that were returned stay as they are. */
  keepRest(): void {
    if (this.#isOwn || this.#end === 0) return;
    const from = this.count > 0 ? 0 : this.#keptFrom();
    this.#moveTo(Buffer.allocUnsafe(this.#end - from), from);
  }

  /** Parses the complete commands, up to a batch of them. Their number is `count`. */
  next(): ParsedCommands {
    this.#forget();
    this.isInline = false;
    [this.#headStart, this.#headBytes] = [NOWHERE, 0];
    const { batchArguments } = this.limits;
    // Only whole commands count: one that is not may have any number of arguments.
    while (this.problem === undefined && !this.isInline && this.#done < batchArguments) {
      if (!this.#readCommand()) break;
      this.repeats[this.count] = 0;
      this.firsts[++this.count] = this.#arguments;
      this.#readRepeats(batchArguments);
    }
    if (this.count === 0 && !this.isPartial) this.#drop();
    return this;
  }

  /** Forgets bytes of which nothing is needed: a client that sends nothing more would keep them in memory. */
  #drop(): void {
    [this.bytes, this.#isOwn, this.#position, this.#end] = [NOTHING, false, 0, 0];
  }

  /**
   * Reads commands that have the bytes of the latest one up to its last argument, which is as long. Pipelines are made of such commands, and
   * to compare bytes takes less time than to read lengths.
   */
  #readRepeats(batchArguments: number): void {
    const [head, start] = [this.#headBytes, this.#headStart];
    if (head === 0) return;
    const { bytes } = this;
    const first = this.firsts[this.count - 1] as number;
    const width = this.#arguments - first;
    const length = (this.ends[this.#arguments - 1] as number) - start;
    const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = this.#position; this.#done < batchArguments; at = this.#position) {
      const end = at + length;
      if (end + 2 > this.#end || bytes[end] !== CR || bytes[end + 1] !== LF || !areEqual(words, start, at, head))
        return;
      if (this.#arguments + width > this.starts.length) this.#resize(this.starts.length * 2);
      const { starts, ends } = this;
      for (let i = 0; i < width; i++) {
        starts[this.#arguments] = (starts[first + i] as number) + at - start;
        ends[this.#arguments++] = (ends[first + i] as number) + at - start;
      }
      this.repeats[this.count] = 1;
      this.firsts[++this.count] = this.#arguments;
      this.#position = end + 2;
    }
  }

  /** Arguments of the commands that are whole. */
  get #done(): number {
    return this.firsts[this.count] as number;
  }

  /** Leaves the commands out that were returned. */
  #forget(): void {
    const done = this.#done;
    // Otherwise each chunk of a command of many arguments would move all that came before it.
    if (done > 0) {
      this.starts.copyWithin(0, done, this.#arguments);
      this.ends.copyWithin(0, done, this.#arguments);
      this.#arguments -= done;
    }
    this.count = 0;
    if (this.starts.length > KEPT_ARGUMENTS && this.#arguments === 0) this.#resize(FIRST_ARGUMENTS);
  }

  /** Returns the position of the first byte that the command needs. */
  #keptFrom(): number {
    const done = this.#done;
    return done < this.#arguments ? (this.starts[done] as number) : this.#position;
  }

  /** Moves what is kept to the front of a buffer that has room for it and the chunk. */
  #makeRoom(from: number, neededBytes: number): void {
    const isFit = this.#isOwn && neededBytes * 2 <= this.bytes.length;
    this.#moveTo(isFit ? this.bytes : Buffer.allocUnsafe(Math.max(KEPT_BYTES, neededBytes * 2)), from);
  }

  /** Moves what is kept to the front of a buffer. */
  #moveTo(buffer: Buffer, from: number): void {
    this.bytes.copy(buffer, 0, from, this.#end);
    for (let i = 0; i < this.#arguments; i++) {
      this.starts[i] = (this.starts[i] as number) - from;
      this.ends[i] = (this.ends[i] as number) - from;
    }
    [this.bytes, this.#isOwn] = [buffer, true];
    this.#position -= from;
    this.#end -= from;
    this.#searched = Math.max(0, this.#searched - from);
  }

  /** Makes room for a number of arguments, and as many commands. */
  #resize(length: number): void {
    const resized = (array: Uint32Array, count: number, room = length) => {
      const longer = new Uint32Array(room);
      longer.set(array.subarray(0, count));
      return longer;
    };
    this.starts = resized(this.starts, this.#arguments);
    this.ends = resized(this.ends, this.#arguments);
    this.firsts = resized(this.firsts, this.count + 1, length + 1);
    const repeats = new Uint8Array(length);
    repeats.set(this.repeats.subarray(0, this.count));
    this.repeats = repeats;
  }

  #addArgument(start: number, end: number): void {
    if (this.#arguments === this.starts.length) this.#resize(this.starts.length * 2);
    this.starts[this.#arguments] = start;
    this.ends[this.#arguments] = end;
    this.#arguments++;
  }

  /** Reads up to the end of a command. @returns false if it is not whole, or cannot be understood */
  #readCommand(): boolean {
    this.#headBytes = 0;
    if (this.#missing > 0) return this.#readArguments();
    while (this.#position < this.#end) {
      this.#headStart = this.#position;
      const isArray = this.bytes[this.#position] === ASTERISK;
      if (!isArray) {
        if (this.count > 0) return false;
        const before = this.#arguments;
        if (!this.#readLine()) return false;
        this.isInline = this.#arguments > before;
        if (this.isInline) return true;
        continue;
      }
      const count = this.#readLength('mbulk count', 'multibulk length', this.limits.commandArguments);
      if (count < 0 && count !== -1) return false;
      if (count <= 0) continue;
      this.#missing = count;
      this.#commandBytes = 0;
      return this.#readArguments();
    }
    return false;
  }

  #readArguments(): boolean {
    while (this.#missing > 0) {
      if (this.#length === -1) {
        this.#readShortArguments();
        if (this.#missing === 0) break;
        if (!this.#readArgumentLength()) return false;
      }
      const end = this.#position + this.#length;
      if (end + 2 > this.#end) return false;
      if (this.bytes[end] !== CR || this.bytes[end + 1] !== LF) return this.#fail('expected CRLF after a bulk string');
      this.#addArgument(this.#position, end);
      this.#position = end + 2;
      this.#length = -1;
      this.#missing--;
    }
    if (this.#headStart !== NOWHERE) this.#headBytes = (this.starts[this.#arguments - 1] as number) - this.#headStart;
    return true;
  }

  /** Reads whole arguments whose lengths have one or two digits, as those of most do, in less time than others. There must be room for them. */
  #readShortArguments(): void {
    const { bytes, starts, ends } = this;
    const { argumentBytes, requestBytes } = this.limits;
    let [position, added, count, missing] = [this.#position, this.#commandBytes, this.#arguments, this.#missing];
    while (missing > 0 && count < starts.length && position + SHORT_LENGTH_BYTES <= this.#end) {
      const length = bytes[position] === DOLLAR ? shortNumber(bytes, position + 1) : -1;
      const start = position + (length < 10 ? SHORT_LENGTH_BYTES - 1 : SHORT_LENGTH_BYTES);
      const end = start + length;
      if (length === -1 || length > argumentBytes || added + length > requestBytes || end + 2 > this.#end) break;
      if (bytes[end] !== CR || bytes[end + 1] !== LF) break;
      starts[count] = start;
      ends[count] = end;
      count++;
      missing--;
      added += length;
      position = end + 2;
    }
    [this.#position, this.#commandBytes, this.#arguments, this.#missing] = [position, added, count, missing];
  }

  #readArgumentLength(): boolean {
    if (this.#position === this.#end) return false;
    const mark = this.bytes[this.#position] as number;
    if (mark !== DOLLAR) return this.#fail(`expected '$', got '${printable(mark)}'`);
    const length = this.#readLength('bulk count', 'bulk length', this.limits.argumentBytes);
    if (length === -1) return this.#fail('invalid bulk length');
    if (length < 0) return false;
    this.#commandBytes += length;
    if (this.#commandBytes > this.limits.requestBytes) return this.#fail(this.#tooLarge());
    this.#length = length;
    return true;
  }

  /** The problem of a command that is too large as a whole. */
  #tooLarge(): string {
    const { refusal, requestBytes: most } = this.limits;
    if (refusal === 'unauthenticated') return `${refusal} bulk length`;
    return `invalid bulk length: the command has more than ${most} bytes; send its keys in several commands, or start the server with a larger ${longFlag(requestBytes)}`;
  }

  /** Reads a length after its mark, up to the end of its line: -1 for -1 and other negative numbers. */
  #readLength(kind: string, name: string, most: number): number {
    const isInside = this.#position + SHORT_LENGTH_BYTES <= this.#end;
    const short = isInside ? shortNumber(this.bytes, this.#position + 1) : -1;
    if (short !== -1 && short <= most) {
      this.#position += short < 10 ? SHORT_LENGTH_BYTES - 1 : SHORT_LENGTH_BYTES;
      return short;
    }
    const lineEnd = this.#position + 1;
    const limit = Math.min(this.#end, this.#position + MAX_LENGTH_BYTES);
    let at = lineEnd;
    while (at < limit && this.bytes[at] !== CR) at++;
    if (at === limit && limit < this.#end) {
      this.#fail(`too big ${kind} string`);
      return INVALID;
    }
    if (at + 1 >= this.#end) return INCOMPLETE;
    const value = this.bytes[at + 1] === LF ? wholeNumber(this.bytes, lineEnd, at) : INVALID;
    if (value === INVALID || value > most) {
      this.#fail(`${value === INVALID ? 'invalid' : this.limits.refusal} ${name}`);
      return INVALID;
    }
    this.#position = at + 2;
    return value;
  }

  /** Reads an inline command. */
  #readLine(): boolean {
    const { bytes } = this;
    const most = Math.min(this.#end, this.#position + MAX_LINE_BYTES + 1);
    let lineEnd = Math.max(this.#position, this.#searched);
    while (lineEnd < most && bytes[lineEnd] !== LF) {
      if (isBinary(bytes[lineEnd++] as number)) return this.#refuse(binaryProtocol(bytes[this.#position] as number));
    }
    if (lineEnd === most) {
      if (this.#end - this.#position > MAX_LINE_BYTES) return this.#fail('too big inline request');
      this.#searched = this.#end;
      return false;
    }
    const before = this.#arguments;
    const end = lineEnd > this.#position && bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd;
    const protocol = lineProtocol(bytes, this.#position, end);
    if (protocol !== undefined) return this.#refuse(protocol);
    if (!splitWords(this.bytes, this.#position, end, (start, wordEnd) => this.#addArgument(start, wordEnd))) {
      this.#arguments = before;
      return this.#fail('unbalanced quotes in request');
    }
    this.#position = lineEnd + 1;
    return true;
  }

  /** Nothing is read from a client that speaks another protocol. */
  #refuse(protocol: string): false {
    this.foreignProtocol = protocol;
    return this.#fail(`this port speaks the protocol of Redis, not ${protocol}`);
  }

  #fail(problem: string): false {
    this.problem = `Protocol error: ${problem}`;
    return false;
  }
}

function printable(byte: number): string {
  return byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
}
