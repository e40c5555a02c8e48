// The maps of a server. Of those that match a key, one is taken.

import { FirstseenError, optionName, phrase, shownValue } from '../../base/errors.js';
import { type KeyMap, parseKeyMap } from './keymap.js';

/** Tells if the bytes from an offset on are these. */
function hasAt(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return false;
  return true;
}

function matches({ prefix, suffix }: KeyMap, bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (suffix === undefined) return length === prefix.length && hasAt(bytes, start, prefix);
  if (length < prefix.length + suffix.length) return false;
  return hasAt(bytes, start, prefix) && hasAt(bytes, end - suffix.length, suffix);
}

/** The map that is tried first: the one with more text before the star, then a single key, then the one with more text after the star. */
function byPrecedence(one: KeyMap, other: KeyMap): number {
  const suffixLength = ({ suffix }: KeyMap) => suffix?.length ?? Number.MAX_SAFE_INTEGER;
  return other.prefix.length - one.prefix.length || suffixLength(other) - suffixLength(one);
}

function isSamePattern(one: KeyMap, other: KeyMap): boolean {
  const [a, b] = [one.suffix, other.suffix];
  return one.prefix.equals(other.prefix) && (a === undefined || b === undefined ? a === b : a.equals(b));
}

/** The maps of a server, in the order in which they are tried. */
export class KeyMaps {
  readonly all: readonly KeyMap[];

  /** @throws FirstseenError E_USAGE for what is not a map, and for two maps of the same keys. */
  constructor(texts: readonly string[] = []) {
    this.all = texts.map(parseKeyMap).sort(byPrecedence);
    for (const [i, map] of this.all.entries()) {
      const same = this.all.slice(0, i).find((other) => isSamePattern(map, other));
      if (same === undefined) continue;
      const [name, texts] = [optionName('maps'), [same, map].map(({ text }) => shownValue(text)).join(' and ')];
      throw new FirstseenError('E_USAGE', phrase`${name} is given twice for the same keys: ${texts}`, {
        remedy: 'leave one of them out',
      });
    }
  }

  /** The map of the key that is in a buffer; undefined if it has none. */
  find(bytes: Uint8Array, start: number, end: number): KeyMap | undefined {
    for (const map of this.all) if (matches(map, bytes, start, end)) return map;
    return undefined;
  }
}
