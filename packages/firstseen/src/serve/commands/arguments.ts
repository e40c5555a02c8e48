// The arguments of one command: spans of a buffer that are read when a command asks for them.

import { parseDecimal } from '../../base/number.js';
import type { ParsedCommands } from '../resp/commands.js';

/** The bytes of the lowest number of 64 bits. */
const MAX_WHOLE_BYTES = 20;
const LOWERCASE_BIT = 0x20;
const [UPPERCASE_A, UPPERCASE_Z] = [65, 90];

/** A command and its arguments. The name is the argument 0. */
export class Arguments {
  readonly #commands: ParsedCommands;
  readonly #first: number;
  readonly count: number;

  constructor(commands: ParsedCommands, index: number) {
    this.#commands = commands;
    this.#first = commands.firsts[index] as number;
    this.count = (commands.firsts[index + 1] as number) - this.#first;
  }

  /** Returns the start and the end of an argument in the buffer. */
  span(index: number): [start: number, end: number] {
    const at = this.#first + index;
    return [this.#commands.starts[at] as number, this.#commands.ends[at] as number];
  }

  /** The bytes of an argument, which are those of the buffer. */
  bytes(index: number): Buffer {
    return this.#commands.bytes.subarray(...this.span(index));
  }

  text(index: number): string {
    return this.bytes(index).toString();
  }

  /** Tells if an argument is a word, in upper or lower case. The word is given in upper case. */
  is(index: number, word: string): boolean {
    if (index >= this.count) return false;
    const bytes = this.bytes(index);
    if (bytes.length !== word.length) return false;
    return bytes.every((byte, i) => upper(byte) === word.charCodeAt(i));
  }

  /** An argument in upper case. */
  word(index: number): string {
    return this.text(index).toUpperCase();
  }

  /** A number, also an infinite one; undefined for anything else. */
  number(index: number): number | undefined {
    if (index >= this.count) return undefined;
    const text = this.text(index);
    if (/^\+?inf$/i.test(text)) return Number.POSITIVE_INFINITY;
    return /^-inf$/i.test(text) ? Number.NEGATIVE_INFINITY : parseDecimal(text);
  }

  /** A whole number in the one form that Redis takes; undefined for anything else. */
  whole(index: number): number | undefined {
    if (index >= this.count || this.bytes(index).length > MAX_WHOLE_BYTES) return undefined;
    const text = this.text(index);
    return /^(?:0|-?[1-9][0-9]*)$/.test(text) ? Number(text) : undefined;
  }

  /** The arguments from an index on. */
  texts(from: number): string[] {
    return Array.from({ length: Math.max(0, this.count - from) }, (_, i) => this.text(from + i));
  }

  /** The spans of the arguments from an index on, with room for a verdict on each. */
  spans(from: number): { bytes: Buffer; starts: Uint32Array; ends: Uint32Array; count: number; verdicts: Uint8Array } {
    const { bytes, starts, ends } = this.#commands;
    const [first, end] = [this.#first + from, this.#first + this.count];
    const count = end - first;
    const verdicts = new Uint8Array(count);
    return { bytes, starts: starts.subarray(first, end), ends: ends.subarray(first, end), count, verdicts };
  }
}

function upper(byte: number): number {
  const letter = byte & ~LOWERCASE_BIT;
  return letter >= UPPERCASE_A && letter <= UPPERCASE_Z ? letter : byte;
}
