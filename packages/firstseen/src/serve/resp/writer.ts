// Writes replies one after the other, so that a connection sends those of a batch with one call.

import { Double, ErrorReply, type Reply, Status, Verbatim } from './replies.js';

/** The versions of the protocol. */
export type ProtocolVersion = 2 | 3;

const FIRST_BYTES = 2 ** 16;
const [CR, LF] = [13, 10];

/** Four characters as a number, whose first byte is that of the first one. */
function wordOf(text: string): number {
  return Buffer.from(text).readInt32BE();
}

/** The bytes of answers that come often, by version: whether it is true. */
const booleans: Readonly<Record<ProtocolVersion, readonly [number, number]>> = {
  2: [wordOf(':0\r\n'), wordOf(':1\r\n')],
  3: [wordOf('#f\r\n'), wordOf('#t\r\n')],
};

/** Bytes of each of them. */
const BOOLEAN_BYTES = 4;

function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? 'inf' : '-inf';
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** Line ends in an error would be the end of the reply. */
function inOneLine(text: string): string {
  return text.replace(/[\r\n]/g, ' ');
}

/** Writes the replies of connections into one buffer. */
export class ReplyWriter {
  version: ProtocolVersion = 2;
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  /** The same bytes. */
  #view = viewOf(this.#buffer);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /**
   * Returns the text that was written since the last call, a character for each byte: a socket sends a short text
   * sooner than a copy of the bytes.
   */
  take(): string {
    const text = this.#buffer.toString('latin1', 0, this.#length);
    this.#length = 0;
    if (this.#buffer.length > FIRST_BYTES) this.#use(Buffer.allocUnsafe(FIRST_BYTES));
    return text;
  }

  /** Leaves out what was written since it had this length. */
  cutTo(length: number): void {
    this.#length = length;
  }

  write(reply: Reply): void {
    if (typeof reply === 'string') this.#text('$', reply);
    else if (typeof reply === 'number' || typeof reply === 'bigint') this.#latin1Line(`:${reply}`);
    else if (typeof reply === 'boolean') this.verdicts(Uint8Array.of(reply ? 1 : 0), 0, 1, 1);
    else if (reply === null) this.#latin1Line(this.version === 3 ? '_' : '$-1');
    else if (reply instanceof Status) this.#line(`+${reply.text}`);
    else if (reply instanceof ErrorReply) this.#line(`-${inOneLine(reply.text)}`);
    else if (reply instanceof Double) this.#double(reply.value);
    else if (reply instanceof Verbatim) this.#verbatim(reply.text);
    else if (reply instanceof Uint8Array) this.#bulk(reply);
    else if (reply instanceof Map) this.#map(reply);
    else this.#list(reply as readonly Reply[]);
  }

  /** The head of a list, whose replies follow. */
  listOf(count: number): void {
    this.#latin1Line(`*${count}`);
  }

  /** Bytes that are a reply, or a part of one. */
  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** A bulk string of a byte for each character. */
  latin1(text: string): void {
    this.#latin1Line(`$${text.length}`);
    this.#latin1Line(text);
  }

  /** For each verdict from an index on, whether it is this one. */
  verdicts(verdicts: Uint8Array, from: number, count: number, trueVerdict: number): void {
    const [no, yes] = booleans[this.version];
    this.#reserve(BOOLEAN_BYTES * count);
    // Its bytes in one step: a call that copies four bytes takes longer than to write them one by one, and this takes a third of that.
    const view = this.#view;
    let at = this.#length;
    for (let i = from; i < from + count; i++, at += BOOLEAN_BYTES)
      view.setInt32(at, verdicts[i] === trueVerdict ? yes : no);
    this.#length = at;
  }

  /** For each verdict from an index on, its bytes. */
  words(verdicts: Uint8Array, from: number, count: number, words: readonly Uint8Array[]): void {
    for (let i = from; i < from + count; i++) this.bytes(words[verdicts[i] as number] as Uint8Array);
  }

  #double(value: number): void {
    if (this.version === 3) this.#line(`,${doubleText(value)}`);
    else this.#text('$', doubleText(value));
  }

  #verbatim(text: string): void {
    if (this.version === 3) this.#text('=', `txt:${text}`);
    else this.#text('$', text);
  }

  #map(map: ReadonlyMap<string | Status, Reply>): void {
    this.#line(this.version === 3 ? `%${map.size}` : `*${map.size * 2}`);
    for (const [key, value] of map) {
      this.write(key);
      this.write(value);
    }
  }

  #list(list: readonly Reply[]): void {
    this.listOf(list.length);
    for (const one of list) this.write(one);
  }

  #bulk(bytes: Uint8Array): void {
    this.#latin1Line(`$${bytes.length}`);
    this.bytes(bytes);
    this.#latin1Line('');
  }

  #text(mark: string, text: string): void {
    const bytes = Buffer.byteLength(text);
    this.#latin1Line(`${mark}${bytes}`);
    this.#reserve(bytes + 2);
    this.#length += this.#buffer.write(text, this.#length);
    this.#latin1Line('');
  }

  /** A line of characters of a byte each. They are few, and a call that writes them takes longer than to write them one by one. */
  #latin1Line(text: string): void {
    this.#reserve(text.length + 2);
    const buffer = this.#buffer;
    let at = this.#length;
    for (let i = 0; i < text.length; i++) buffer[at++] = text.charCodeAt(i);
    buffer[at++] = CR;
    buffer[at++] = LF;
    this.#length = at;
  }

  #line(text: string): void {
    // A character has at most 3 bytes.
    this.#reserve(3 * text.length + 2);
    this.#length += this.#buffer.write(text, this.#length);
    this.#buffer[this.#length++] = CR;
    this.#buffer[this.#length++] = LF;
  }

  #use(buffer: Buffer<ArrayBuffer>): void {
    this.#buffer = buffer;
    this.#view = viewOf(buffer);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#use(larger);
  }
}
