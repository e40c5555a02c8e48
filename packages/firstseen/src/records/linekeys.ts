// Keys of lines that are not fields: what a pattern finds in a line, or ranges of its characters.

import type { RE2JS } from 're2js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';

/** The places of the parts of a key in a line: the start and the end of each, in bytes. */
export type PartPlaces = Uint32Array;

/** A finder of keys in lines. */
export interface LineKeys {
  /** The keys as a state notes them. */
  readonly names: readonly string[];
  readonly partCount: number;
  /** Finds the key of a line without its end. False if it has none. */
  find(line: Uint8Array, places: PartPlaces): boolean;
}

/** The options that ask for such keys. */
export interface LineKeyOptions {
  keyPattern?: string | undefined;
  keyChars?: readonly string[] | undefined;
}

/** Characters of a line from 1 on. */
interface CharacterRange {
  first: number;
  /** The last one; Infinity for all that follow. */
  last: number;
}

function rangeOf(text: string): CharacterRange {
  const [, single, from = '', to = ''] = /^(?:([1-9]\d{0,8})|([1-9]\d{0,8})?-([1-9]\d{0,8})?)$/.exec(text) ?? [];
  const first = Number(single ?? (from || 1));
  const last = single === undefined ? Number(to || Number.POSITIVE_INFINITY) : first;
  const isGiven = single !== undefined || from !== '' || to !== '';
  if (isGiven && first <= last) return { first, last };
  throw invalidOption({
    ...{ code: 'E_USAGE', option: 'keyChars', given: text },
    expected: 'numbers of characters from 1 on, such as 1-20, 5 or 21-',
  });
}

/** Tells if a byte begins a character of UTF-8. In other encodings of bytes, most begin one. */
function beginsCharacter(byte: number): boolean {
  return (byte & 0xc0) !== 0x80;
}

/** The byte at which the character begins that follows `count` others after `start`, or the end of the line. */
function afterCharacters(line: Uint8Array, start: number, count: number): number {
  let [at, left] = [start, count];
  for (; at < line.length && left > 0; left--) {
    at += 1;
    while (at < line.length && !beginsCharacter(line[at] as number)) at += 1;
  }
  return at;
}

/** Keys that are ranges of characters. A line that ends before a range has an empty part. */
function characterKeys(lists: readonly string[]): LineKeys {
  const texts = lists.flatMap((list) => list.split(','));
  const ranges = texts.map(rangeOf);
  return {
    names: texts.map((text) => `characters ${text}`),
    partCount: ranges.length,
    find(line, places) {
      for (const [i, { first, last }] of ranges.entries()) {
        const start = afterCharacters(line, 0, first - 1);
        places[2 * i] = start;
        places[2 * i + 1] = afterCharacters(line, start, last - first + 1);
      }
      return true;
    },
  };
}

function isAscii(line: Uint8Array): boolean {
  for (const byte of line) if (byte >= 0x80) return false;
  return true;
}

/** The numbers of the groups that are the parts of a key: those with names, or else all, or the whole match. */
function groupsOf(pattern: RE2JS): readonly number[] {
  const named = Object.values(pattern.namedGroups()).sort((left, right) => left - right);
  if (named.length > 0) return named;
  const all = Array.from({ length: pattern.groupCount() }, (_, i) => i + 1);
  return all.length > 0 ? all : [0];
}

function compiled(engine: typeof RE2JS, text: string): RE2JS {
  try {
    return engine.compile(text);
  } catch (cause) {
    const [, reason] = /^error parsing regexp: (.*)$/s.exec((cause as Error).message) ?? [];
    if (reason === undefined) throw cause;
    throw new FirstseenError('E_USAGE', phrase`${optionName('keyPattern')} is no pattern: ${reason}`, {
      ...{ option: 'keyPattern', given: text, cause },
      remedy: 'write it as in RE2, without back-references and without looking ahead or behind',
    });
  }
}

/** Keys that a pattern finds, in time that is proportional to the length of a line, whatever the pattern. A group without a match is empty. */
async function patternKeys(text: string): Promise<LineKeys> {
  const { RE2JS: engine } = await import('./linepattern.js');
  const pattern = compiled(engine, text);
  const groups = groupsOf(pattern);
  const decoder = new TextDecoder('latin1');
  return {
    names: [`pattern ${text}`],
    partCount: groups.length,
    find(line, places) {
      // The engine is faster on strings. Characters of ASCII are bytes of both.
      const match = pattern.matcher(isAscii(line) ? decoder.decode(line) : line);
      if (!match.find()) return false;
      for (const [i, group] of groups.entries()) {
        places[2 * i] = Math.max(0, match.start(group));
        places[2 * i + 1] = Math.max(0, match.end(group));
      }
      return true;
    },
  };
}

/** Makes the finder of the keys that options ask for; undefined if they ask for none. @throws FirstseenError E_USAGE for an invalid pattern or range. */
export async function lineKeysOf({ keyPattern, keyChars = [] }: LineKeyOptions): Promise<LineKeys | undefined> {
  if (keyPattern !== undefined) return patternKeys(keyPattern);
  return keyChars.length > 0 ? characterKeys(keyChars) : undefined;
}
