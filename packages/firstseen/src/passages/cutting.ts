// What decides how texts are cut into passages, and which of them count as seen.

import { checkNumber, checkWhole } from '../base/check.js';
import { type ErrorCode, FirstseenError, invalidOption, optionName, type Phrase, phrase } from '../base/errors.js';
import { PASSAGE_MAX_WORDS } from '../kernel/abi.js';
import type { by } from '../options/passages.js';

/** The unit that is compared within a text. */
export type PassageUnit = (typeof by.words)[number];

export interface CuttingSettings {
  /** The unit that is compared. */
  by: PassageUnit;
  /** The text between two paragraphs. */
  separator: string;
  /** Words of an n-gram. */
  ngram: number;
  /** The share of the n-grams of a paragraph from which on it counts as seen. */
  overlap: number;
  /** Passages of fewer characters are not compared. */
  minLength: number;
  /** Passages of fewer words are not compared. */
  minWords: number;
  /** Passages of blanks are not compared. */
  skipEmpty: boolean;
  /** Count and compare as Dolma 1.2.1 does, also where it is wrong. */
  dolmaQuirks: boolean;
}

const MAX_CHARACTERS = 2 ** 31 - 1;

/** The options that change nothing about this unit. */
export function withoutEffect(unit: PassageUnit): ('separator' | 'ngram' | 'overlap')[] {
  if (unit === 'ngram') return [];
  return unit === 'paragraph' ? ['ngram', 'overlap'] : ['separator', 'ngram', 'overlap'];
}

/** The error for an option that changes nothing beside another one. */
export function noEffect({
  code,
  option,
  given,
  beside,
}: {
  code: ErrorCode;
  option: string;
  given: unknown;
  beside: Phrase;
}): FirstseenError {
  const problem = phrase`${optionName(option)} has no effect with ${beside}`;
  return new FirstseenError(code, problem, { option, given, remedy: 'leave one of them out' });
}

/** @throws FirstseenError E_PARAMETER unless the value is a number of characters or words. */
export function checkLeast(option: string, value: number): void {
  checkWhole(option, value, { least: 0, most: MAX_CHARACTERS });
}

/** @throws FirstseenError E_PARAMETER unless the value is a share. */
export function checkShare(option: string, value: number): void {
  checkNumber(option, value, { above: 0, most: 1 });
}

/** @throws FirstseenError E_PARAMETER for a number out of range; E_USAGE for an empty separator. */
export function checkCutting({ separator, ngram, overlap, minLength, minWords }: CuttingSettings): void {
  if (typeof separator !== 'string' || separator === '') {
    const expected = 'a text that is not empty';
    throw invalidOption({ code: 'E_USAGE', option: 'separator', given: separator, expected });
  }
  checkWhole('ngram', ngram, { least: 2, most: PASSAGE_MAX_WORDS });
  checkLeast('minLength', minLength);
  checkLeast('minWords', minWords);
  checkShare('overlap', overlap);
}
