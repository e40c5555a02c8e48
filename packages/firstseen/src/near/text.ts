// The rules by which a document becomes words, and the conversion of a text before the kernel takes it: forms of Unicode and
// full case folding, which the kernel does not know. This takes about ten times as long as the signature, so it is done only on request.

import { WORD_RULES_ASCII, WORD_RULES_UNICODE } from '../kernel/abi.js';
import type { letterCase, normalize } from '../options/near.js';

export type CaseName = (typeof letterCase.words)[number];

export type NormalizationName = (typeof normalize.words)[number];

/**
 * The rules of words, by the names that notes have: those of version 0.1.0, where characters beyond ASCII are parts of words, and the
 * properties of a version of Unicode. Other properties need another name.
 */
export const wordRuleNumbers = { ascii: WORD_RULES_ASCII, 'unicode-17.0': WORD_RULES_UNICODE } as const;

export type WordRules = keyof typeof wordRuleNumbers;

/** The rules of a note that names none. */
export const FIRST_WORD_RULES: WordRules = 'ascii';
/** The rules of new tables. */
export const WORD_RULES: WordRules = 'unicode-17.0';

export interface TextForm {
  case: CaseName;
  normalize: NormalizationName;
  wordRules: WordRules;
}

/** Tells if a text must be converted. */
export function isHostForm({ case: letters, normalize }: Pick<TextForm, 'case' | 'normalize'>): boolean {
  return letters === 'unicode' || normalize !== 'none';
}

/** With the rules of Unicode, a letter whose uppercase is several letters becomes these: ß becomes ss. */
function withoutCase(text: string, rules: WordRules): string {
  return rules === FIRST_WORD_RULES ? text.toLowerCase() : text.toUpperCase().toLowerCase();
}

export function inForm(text: string, { case: letters, normalize, wordRules }: TextForm): string {
  const form = normalize === 'none' ? text : text.normalize(normalize === 'nfc' ? 'NFC' : 'NFKC');
  return letters === 'unicode' ? withoutCase(form, wordRules) : form;
}
