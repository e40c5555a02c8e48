// The rules by which a document becomes words, and the conversion of a text before the kernel takes it: forms of Unicode and
// full case folding, which the kernel does not know. This takes about ten times as long as the signature, so it is done only on request.

import type { letterCase, normalize } from '../options/near.js';

export type CaseName = (typeof letterCase.words)[number];

export type NormalizationName = (typeof normalize.words)[number];

/** The name of the rules of words in notes: the properties of a version of Unicode. Other properties need another name. */
export const WORD_RULES = 'unicode-17.0';

export interface TextForm {
  case: CaseName;
  normalize: NormalizationName;
}

/** Tells if a text must be converted. */
export function isHostForm({ case: letters, normalize }: TextForm): boolean {
  return letters === 'unicode' || normalize !== 'none';
}

export function inForm(text: string, { case: letters, normalize }: TextForm): string {
  const form = normalize === 'none' ? text : text.normalize(normalize === 'nfc' ? 'NFC' : 'NFKC');
  // A letter whose uppercase is several letters becomes these: ß becomes ss.
  return letters === 'unicode' ? form.toUpperCase().toLowerCase() : form;
}
