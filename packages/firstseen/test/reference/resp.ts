// The slow twin of the parser of commands: it has all bytes at once, as a text of one character a byte.

import type { RequestLimits } from '../../src/serve/resp/commands.js';

const MAX_LINE_BYTES = 65_536;
const MAX_LENGTH_BYTES = 24;
const MAX_NEGATIVE = 2 ** 63;

/** What bytes mean: the arguments of each whole command, and why nothing after them can be understood. */
export interface ReferenceCommands {
  commands: string[][];
  problem?: string;
}

class Problem extends Error {}

function foreign(protocol: string): Problem {
  return new Problem(`this port speaks the protocol of Redis, not ${protocol}`);
}

/** What is there is not whole. */
class Incomplete extends Error {}

/** The words of an inline command. */
export function referenceWords(line: string): string[] {
  const words: string[] = [];
  let at = 0;
  const isBlank = (character: string | undefined) => character !== undefined && ' \t\n\v\f\r'.includes(character);
  while (at < line.length) {
    if (isBlank(line[at])) {
      at++;
      continue;
    }
    let word = '';
    while (at < line.length && !isBlank(line[at])) {
      const mark = line[at] as string;
      if (mark !== '"' && mark !== "'") {
        word += mark;
        at++;
        continue;
      }
      const [text, next] = mark === '"' ? doubleQuoted(line, at + 1) : singleQuoted(line, at + 1);
      word += text;
      at = next;
      if (at < line.length && !isBlank(line[at])) throw new Problem('unbalanced quotes in request');
    }
    words.push(word);
  }
  return words;
}

function doubleQuoted(line: string, from: number): [text: string, next: number] {
  const found = /^((?:[^"\\]|\\[\s\S])*)"/.exec(line.slice(from));
  if (found === null) throw new Problem('unbalanced quotes in request');
  const [whole, inside = ''] = found;
  const meanings: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' };
  const text = inside.replace(/\\(?:x([0-9a-fA-F]{2})|([\s\S]))/g, (_, digits?: string, letter = '') =>
    digits === undefined ? (meanings[letter] ?? letter) : String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return [text, from + whole.length];
}

function singleQuoted(line: string, from: number): [text: string, next: number] {
  let text = '';
  for (let at = from; at < line.length; at++) {
    if (line[at] === "'") return [text, at + 1];
    if (line[at] === '\\' && line[at + 1] === "'") at++;
    text += line[at];
  }
  throw new Problem('unbalanced quotes in request');
}

/** A number as Redis reads it: without leading zeros. -1 for every negative one. */
function referenceNumber(text: string): number | undefined {
  if (!/^(?:0|-?[1-9][0-9]*)$/.test(text)) return undefined;
  const value = Number(text);
  if (value < -MAX_NEGATIVE) return undefined;
  return Math.max(-1, value);
}

/** Reads bytes from the first to the last. */
class Reader {
  readonly #text: string;
  readonly #limits: RequestLimits;
  #at = 0;

  constructor(text: string, limits: RequestLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** The arguments of the next command: none for one that is passed over. */
  command(): string[] {
    return this.#text[this.#at] === '*' ? this.#array() : this.#line();
  }

  #line(): string[] {
    const found = this.#text.indexOf('\n', this.#at);
    const end = found === -1 ? this.#text.length : found;
    const readable = this.#text.slice(this.#at, Math.min(end, this.#at + MAX_LINE_BYTES + 1));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    if (/[\0-\x08\x0e-\x1f\x7f]/.test(readable)) throw foreign(readable[0] === '\x16' ? 'TLS' : 'a binary protocol');
    if (end - this.#at > MAX_LINE_BYTES) throw new Problem('too big inline request');
    if (found === -1) throw new Incomplete();
    const line = this.#text.slice(this.#at, end).replace(/\r$/, '');
    const protocol = /\s(HTTP|RTSP|SIP|ICAP)\/[0-9]+(\.[0-9]+)?\s*$/.exec(line.slice(-24))?.[1];
    if (protocol !== undefined) throw foreign(protocol);
    const words = referenceWords(line);
    this.#at = end + 1;
    return words;
  }

  #length(what: string, name: string, most: number): number {
    const head = this.#text.slice(this.#at, this.#at + MAX_LENGTH_BYTES);
    const end = head.indexOf('\r');
    if (end === -1) {
      if (this.#text.length - this.#at > MAX_LENGTH_BYTES) throw new Problem(`too big ${what} string`);
      throw new Incomplete();
    }
    const after = this.#text[this.#at + end + 1];
    if (after === undefined) throw new Incomplete();
    const value = after === '\n' ? referenceNumber(head.slice(1, end)) : undefined;
    if (value === undefined) throw new Problem(`invalid ${name}`);
    if (value > most) throw new Problem(`${this.#limits.refusal} ${name}`);
    this.#at += end + 2;
    return value;
  }

  #array(): string[] {
    const count = this.#length('mbulk count', 'multibulk length', this.#limits.commandArguments);
    const words: string[] = [];
    let bytes = 0;
    while (words.length < count) {
      if (this.isAtEnd) throw new Incomplete();
      const mark = this.#text[this.#at] as string;
      const shown = /[ -~]/.test(mark) ? mark : `\\x${mark.charCodeAt(0).toString(16).padStart(2, '0')}`;
      if (mark !== '$') throw new Problem(`expected '$', got '${shown}'`);
      const length = this.#length('bulk count', 'bulk length', this.#limits.argumentBytes);
      if (length < 0) throw new Problem('invalid bulk length');
      bytes += length;
      if (bytes > this.#limits.requestBytes) throw new Problem(`${this.#limits.refusal} bulk length`);
      const end = this.#at + length;
      if (end + 2 > this.#text.length) throw new Incomplete();
      if (this.#text.slice(end, end + 2) !== '\r\n') throw new Problem('expected CRLF after a bulk string');
      words.push(this.#text.slice(this.#at, end));
      this.#at = end + 2;
    }
    return words;
  }
}

/** All commands in bytes. */
export function referenceCommands(bytes: Uint8Array, limits: RequestLimits): ReferenceCommands {
  const reader = new Reader(Buffer.from(bytes).toString('latin1'), limits);
  const commands: string[][] = [];
  try {
    while (!reader.isAtEnd) {
      const words = reader.command();
      if (words.length > 0) commands.push(words);
    }
  } catch (error) {
    if (error instanceof Problem) return { commands, problem: `Protocol error: ${error.message}` };
    if (!(error instanceof Incomplete)) throw error;
  }
  return { commands };
}
