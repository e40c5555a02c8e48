// The options of verified near-duplicates.

import type { OptionRow } from './row.js';

export const verify = {
  name: 'verify',
  flag: '--verify',
  group: 'similarity',
  isOwn: true,
  kind: 'presence',
  default: false,
  help: 'confirm each band that was seen by a sketch of the earlier document, for minhash',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const sketchBytes = {
  name: 'sketchBytes',
  flag: '--sketch-bytes <n>',
  group: 'similarity',
  isOwn: true,
  kind: 'number',
  default: 256,
  help: 'with --verify: bytes of the sketch of a document, a multiple of 8',
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
  help: 'with --verify: standard errors by which an estimate must exceed the similarity',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;
