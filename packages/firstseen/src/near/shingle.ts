// Shingles: the parts of a document that are compared, runs of consecutive words, characters or tokens.

import { matchOf } from '../base/check.js';
import { invalidOption } from '../base/errors.js';
import { SHINGLE_AUTO, SHINGLE_CHARACTERS, SHINGLE_MAX_LENGTH, SHINGLE_TOKENS, SHINGLE_WORDS } from '../kernel/abi.js';

/** `auto` is words, or more letters of scripts that are written without blanks. */
export const shingleUnits = ['words', 'characters', 'tokens', 'auto'] as const;
export type ShingleUnit = (typeof shingleUnits)[number];

/** The numbers by which the kernel knows the units. */
export const shingleUnitNumbers: Readonly<Record<ShingleUnit, number>> = {
  words: SHINGLE_WORDS,
  characters: SHINGLE_CHARACTERS,
  tokens: SHINGLE_TOKENS,
  auto: SHINGLE_AUTO,
};

export interface Shingle {
  unit: ShingleUnit;
  /** Words, characters or tokens of one shingle: 1 to 256. With `auto`, words. */
  length: number;
}

/** The name of the default shingles of a family. */
export const AUTO_SHINGLE = 'auto';

const letters: Readonly<Record<string, ShingleUnit>> = { w: 'words', c: 'characters', t: 'tokens' };

/**
 * Reads `5w` as five words, `24c` as 24 characters, `8t` as eight tokens.
 * @throws FirstseenError E_PARAMETER for any other text.
 */
export function parseShingle(text: string): Shingle {
  const [, digits = '', letter = ''] = matchOf(/^(\d{1,3})([wct])$/, text);
  const length = Number(digits);
  const unit = letters[letter];
  if (unit !== undefined && length >= 1 && length <= SHINGLE_MAX_LENGTH) return { unit, length };
  throw invalidOption({
    option: 'shingle',
    given: text,
    expected: `a number from 1 to ${SHINGLE_MAX_LENGTH} and w for words, c for characters or t for tokens, such as 5w or 24c, or ${AUTO_SHINGLE}`,
  });
}

/** The text of an option that results in these shingles. */
export function formatShingle({ unit, length }: Shingle): string {
  if (unit === 'auto') return AUTO_SHINGLE;
  return `${length}${unit.slice(0, 1)}`;
}
