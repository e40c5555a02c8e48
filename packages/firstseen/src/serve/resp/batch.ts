// Commands on keys of one detector that follow one another, and the spans of all their keys.

import type { ParsedCommands } from './commands.js';

/** The index of the first key among the arguments of a command on keys, after its name and that of the detector. */
export const FIRST_KEY = 2;
/** Keys that a new batch has room for. */
const FIRST_KEYS = 2 ** 4;
/** Room for more keys is not kept. */
const KEPT_KEYS = 2 ** 14;

/** Commands, from one up to another, that begin alike. */
export interface CommandRange {
  from: number;
  to: number;
}

/** Arguments of a command, with its name. */
function argumentCount({ firsts }: ParsedCommands, command: number): number {
  return (firsts[command + 1] as number) - (firsts[command] as number);
}

/** Keys of a command. */
export function keyCount(commands: ParsedCommands, command: number): number {
  return argumentCount(commands, command) - FIRST_KEY;
}

/**
 * Tells if two commands have the same arguments from one up to another, byte for byte. What is between two arguments is compared too, because
 * one loop is shorter than two: commands that differ there are not asked together, which changes no answer.
 */
export function haveSame(
  { bytes, starts, ends, firsts }: ParsedCommands,
  [one, other]: readonly [number, number],
  from: number,
  to: number,
): boolean {
  if (from === to) return true;
  const [a, b] = [firsts[one] as number, firsts[other] as number];
  const [start, end, shift] = [
    starts[a + from] as number,
    ends[a + to - 1] as number,
    (starts[b + from] as number) - (starts[a + from] as number),
  ];
  for (let i = from; i < to; i++) {
    const isShifted = (starts[b + i] as number) - (starts[a + i] as number) === shift;
    if (!isShifted || (ends[b + i] as number) - (ends[a + i] as number) !== shift) return false;
  }
  for (let i = start; i < end; i++) if (bytes[i] !== bytes[i + shift]) return false;
  return true;
}

/** Tells if two commands have the same arguments but for some of them, which are in ascending order. */
export function areAlikeBut(
  commands: ParsedCommands,
  pair: readonly [number, number],
  differing: readonly number[],
): boolean {
  const [count, otherCount] = [argumentCount(commands, pair[0]), argumentCount(commands, pair[1])];
  if (count !== otherCount) return false;
  let from = 0;
  for (const argument of differing) {
    if (!haveSame(commands, pair, from, argument)) return false;
    from = argument + 1;
  }
  return haveSame(commands, pair, from, count);
}

/** Returns the span of an argument of a command. */
export function spanAt(
  { starts, ends, firsts }: ParsedCommands,
  command: number,
  argument: number,
): [start: number, end: number] {
  const at = (firsts[command] as number) + argument;
  return [starts[at] as number, ends[at] as number];
}

/** Tells if the bytes of a span are the characters of a text, of which each is a byte. */
export function isText(bytes: Uint8Array, [start, end]: readonly [number, number], text: string | undefined): boolean {
  if (text === undefined || end - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** The end of the commands that are like the first one, with at least one key each and not more than `most`. */
export function endOfAlike(commands: ParsedCommands, from: number, most: number): number {
  let to = from + 1;
  for (; to < commands.count; to++) {
    // The first command has a key, so its last argument is one.
    if (commands.repeats[to] === 1) continue;
    const keys = keyCount(commands, to);
    if (keys < 1 || keys > most || !haveSame(commands, [from, to], 0, FIRST_KEY)) break;
  }
  return to;
}

/** The keys of a batch. Its arrays are used again for the next batch, of any connection, and may be longer than the batch. */
export class KeyBatch {
  bytes: Uint8Array = new Uint8Array();
  starts = new Uint32Array(FIRST_KEYS);
  ends = new Uint32Array(FIRST_KEYS);
  verdicts = new Uint8Array(FIRST_KEYS);
  fingerprintRoom = new BigUint64Array(FIRST_KEYS);
  count = 0;

  /** Takes the keys of commands in place of the earlier ones. */
  take(commands: ParsedCommands, { from, to }: CommandRange): void {
    const { bytes, starts, ends, firsts } = commands;
    this.#makeRoom((firsts[to] as number) - (firsts[from] as number) - FIRST_KEY * (to - from));
    const { starts: keyStarts, ends: keyEnds } = this;
    let key = 0;
    for (let command = from; command < to; command++) {
      const next = firsts[command + 1] as number;
      for (let i = (firsts[command] as number) + FIRST_KEY; i < next; i++, key++) {
        keyStarts[key] = starts[i] as number;
        keyEnds[key] = ends[i] as number;
      }
    }
    [this.bytes, this.count] = [bytes, key];
  }

  /** Takes one argument of each command in place of the earlier keys. */
  takeOne(commands: ParsedCommands, { from, to }: CommandRange, argument: number): void {
    const { bytes, starts, ends, firsts } = commands;
    this.#makeRoom(to - from);
    for (let command = from; command < to; command++) {
      const at = (firsts[command] as number) + argument;
      this.starts[command - from] = starts[at] as number;
      this.ends[command - from] = ends[at] as number;
    }
    [this.bytes, this.count] = [bytes, to - from];
  }

  #makeRoom(keys: number): void {
    const room = this.starts.length;
    if (keys <= room && (room <= KEPT_KEYS || keys > KEPT_KEYS)) return;
    const length = Math.max(keys, Math.min(2 * room, KEPT_KEYS));
    [this.starts, this.ends] = [new Uint32Array(length), new Uint32Array(length)];
    this.verdicts = new Uint8Array(length);
    this.fingerprintRoom = new BigUint64Array(length);
  }
}
