// The options of verified near-duplicates.

import type { OptionRow } from './row.js';

/** Different shingles of a document, where a plan is not told another number. */
export const DEFAULT_SHINGLES = 300;

export const verify = {
  name: 'verify',
  flag: '--no-verify',
  group: 'similarity',
  isOwn: true,
  kind: 'presence',
  gives: false,
  help: 'drop a document if a band was seen, without comparing it with the earlier one; the default for simhash, for bits, and with an option that only tables of bands have',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const sketchBytes = {
  name: 'sketchBytes',
  flag: '--sketch-bytes <n>',
  group: 'similarity',
  isOwn: true,
  kind: 'number',
  default: 512,
  help: 'bytes of the sketch of a document, a multiple of 8',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const confidence = {
  name: 'confidence',
  flag: '--confidence <n>',
  group: 'similarity',
  isOwn: true,
  kind: 'number',
  default: 0,
  help: 'standard errors by which an estimate must exceed the similarity',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;
