// Converts a text before the kernel takes it: forms of Unicode and letters beyond ASCII, which the kernel does not know. This
// takes about ten times as long as the signature, so it is done only on request.

import type { letterCase, normalize } from '../options/near.js';

export type CaseName = (typeof letterCase.words)[number];

export type NormalizationName = (typeof normalize.words)[number];

export interface TextForm {
  case: CaseName;
  normalize: NormalizationName;
}

/** Whether a text must be converted. */
export function isHostForm({ case: letters, normalize }: TextForm): boolean {
  return letters === 'unicode' || normalize !== 'none';
}

export function inForm(text: string, { case: letters, normalize }: TextForm): string {
  const form = normalize === 'none' ? text : text.normalize(normalize === 'nfc' ? 'NFC' : 'NFKC');
  return letters === 'unicode' ? form.toLowerCase() : form;
}
