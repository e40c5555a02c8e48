// The options of verified near-duplicates.

import { rowsWith } from './row.js';

/** Different shingles of a document, where a plan is not told another number. */
export const DEFAULT_SHINGLES = 300;

/** Makes a row of what is compared, and how. */
export const similarityRow = /* @__PURE__ */ rowsWith({
  group: 'similarity',
  isOwn: true,
  jobs: ['near'],
  agrees: 'setting',
});

export const verify = /* @__PURE__ */ similarityRow({
  name: 'verify',
  flag: '--no-verify',
  kind: 'presence',
  gives: false,
  help: 'drop a document if a band was seen, without comparing it with the earlier one; the default for simhash, for bits, and with an option that only tables of bands have',
});

export const sketchBytes = /* @__PURE__ */ similarityRow({
  name: 'sketchBytes',
  flag: '--sketch-bytes <n>',
  kind: 'number',
  default: 512,
  help: 'bytes of a slot for sketches, a multiple of 8; a long document takes up to three slots',
});

export const confidence = /* @__PURE__ */ similarityRow({
  name: 'confidence',
  flag: '--confidence <n>',
  kind: 'number',
  default: 0,
  help: 'standard errors by which an estimate must exceed the similarity',
});
