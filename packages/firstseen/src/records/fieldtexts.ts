// The fields of rows of csv in dialects with an escape or without quotes, which the parser does not read as the scanner does. Loaded
// only for rows that are not ordinary.

import { NO_BYTE } from '../kernel/abi.js';
import type { Dialect } from './dialect.js';
import { decodedField, inPattern } from './ordinary.js';

/** The characters of a row. An escape and the character after it are one. */
function charactersOf(row: string, dialect: Dialect): readonly string[] {
  if (dialect.escape === NO_BYTE) return row.split('');
  return row.match(new RegExp(`${inPattern(dialect.escape)}[^]|[^]`, 'g')) ?? [];
}

/** The character of a byte; empty for `NO_BYTE`. */
function characterOf(byte: number): string {
  return byte === NO_BYTE ? '' : String.fromCharCode(byte);
}

type State = 'start' | 'plain' | 'quoted' | 'closed';

/**
 * The fields of a row without their quotes and escapes.
 * @throws Error for a quoted field without an end, or with text after it.
 */
export function fieldTexts(row: string, dialect: Dialect): string[] {
  const [delimiter, quote] = [dialect.delimiter, dialect.quote].map(characterOf);
  const fields: string[] = [];
  let [text, state, isQuoted]: [string, State, boolean] = ['', 'start', false];
  const endField = () => {
    fields.push(decodedField(text, dialect, isQuoted));
    [text, state, isQuoted] = ['', 'start', false];
  };
  for (const character of charactersOf(row, dialect)) {
    if (state === 'quoted' && character !== quote) {
      text += character;
    } else if (character === quote && state !== 'plain') {
      if (state === 'closed') text += quote + quote;
      state = state === 'quoted' ? 'closed' : 'quoted';
      isQuoted = true;
    } else if (character === delimiter) {
      endField();
    } else {
      if (state === 'closed') throw new Error('text follows the closing quote of a field');
      text += character;
      state = 'plain';
    }
  }
  if ((state as State) === 'quoted') throw new Error('a quoted field has no closing quote');
  endField();
  return fields;
}
