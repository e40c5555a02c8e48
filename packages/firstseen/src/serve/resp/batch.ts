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

/** Keys of a command. */
export function keyCount({ firsts }: ParsedCommands, command: number): number {
  return (firsts[command + 1] as number) - (firsts[command] as number) - FIRST_KEY;
}

/**
 * Whether two commands have the same name and the same detector, byte for byte. What is between the two words is compared too, because one
 * loop is shorter than two: commands that differ there are not asked together, which changes no answer.
 */
function beginAlike({ bytes, starts, ends, firsts }: ParsedCommands, one: number, other: number): boolean {
  const [a, b] = [firsts[one] as number, firsts[other] as number];
  const [start, end, shift] = [
    starts[a] as number,
    ends[a + 1] as number,
    (starts[b] as number) - (starts[a] as number),
  ];
  const isShifted = (ends[b] as number) - (ends[a] as number) === shift && (ends[b + 1] as number) - end === shift;
  if (!isShifted || (starts[b + 1] as number) - (starts[a + 1] as number) !== shift) return false;
  for (let i = start; i < end; i++) if (bytes[i] !== bytes[i + shift]) return false;
  return true;
}

/** The end of the commands that are like the first one, with at least one key each and not more than `most`. */
export function endOfAlike(commands: ParsedCommands, from: number, most: number): number {
  let to = from + 1;
  for (; to < commands.count; to++) {
    // The first command has a key, so its last argument is one.
    if (commands.repeats[to] === 1) continue;
    const keys = keyCount(commands, to);
    if (keys < 1 || keys > most || !beginAlike(commands, from, to)) break;
  }
  return to;
}

/** The keys of a batch. Its arrays are used again for the next batch, and may be longer than the batch. */
export class KeyBatch {
  bytes: Uint8Array = new Uint8Array();
  starts = new Uint32Array(FIRST_KEYS);
  ends = new Uint32Array(FIRST_KEYS);
  verdicts = new Uint8Array(FIRST_KEYS);
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

  #makeRoom(keys: number): void {
    const room = this.starts.length;
    if (keys <= room && (room <= KEPT_KEYS || keys > KEPT_KEYS)) return;
    const length = Math.max(keys, Math.min(2 * room, KEPT_KEYS));
    [this.starts, this.ends] = [new Uint32Array(length), new Uint32Array(length)];
    this.verdicts = new Uint8Array(length);
  }
}
