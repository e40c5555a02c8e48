// The options of range motifs.

import { DEFAULT_THREADS, seed } from './detector.js';
import { type OptionRow, rowsWith, takenBy } from './row.js';

/** Makes a row of the range motifs themselves. */
const motifRow = /* @__PURE__ */ rowsWith({ group: 'detector', isOwn: true, jobs: ['motifs'] });

/** Makes a row of what a run of range motifs writes. */
const motifOutputRow = /* @__PURE__ */ rowsWith({ group: 'output', jobs: ['motifs'] });

export const recordBytes = /* @__PURE__ */ motifRow({
  name: 'recordBytes',
  flag: '-b, --record-bytes <n>',
  kind: 'number',
  help: 'length of every record in bytes; required',
});

export const motifFormat = {
  name: 'format',
  flag: '-f, --format <name>',
  group: 'records',
  kind: 'word',
  words: ['binary', 'hex'],
  default: 'binary',
  help: 'records as they are, or one line of digits per record',
  jobs: ['motifs'],
} as const satisfies OptionRow;

export const motifSets = /* @__PURE__ */ motifRow({
  name: 'sets',
  flag: '--sets <n>',
  kind: 'number',
  default: 4,
  help: 'maximum number of sets, 1 to 15; with 1, votes show redundant records',
});

export const flips = /* @__PURE__ */ motifRow({
  name: 'flips',
  flag: '--flips <share>',
  kind: 'number',
  shownDefault: '2%, or the largest that works for short records',
  help: 'bits of a record that are expected to differ from the centre of its set, such as 2%; chooses --hashes and --threshold so that one earlier record of a set is enough to recognize the next',
});

export const motifHashes = /* @__PURE__ */ motifRow({
  name: 'hashes',
  flag: '--hashes <n>',
  kind: 'number',
  shownDefault: 'from --flips; 32 without it',
  help: 'number of hash functions (k), 1 to 255',
});

export const addressBits = /* @__PURE__ */ motifRow({
  name: 'addressBits',
  flag: '--address-bits <n>',
  kind: 'number',
  default: 20,
  help: "bits that a hash function reads (l'), 1 to 30",
});

export const threshold = /* @__PURE__ */ motifRow({
  name: 'threshold',
  flag: '--threshold <n>',
  kind: 'number',
  shownDefault: 'from --flips; half of the hashes without it',
  help: 'votes that a record requires (t)',
});

export const opening = /* @__PURE__ */ motifRow({
  name: 'opening',
  flag: '--opening <rule>',
  kind: 'word',
  words: ['threshold', 'tied', 'confirmed'],
  shownDefault: 'confirmed; threshold with one set',
  help: 'when a record with too few votes opens a set',
});

export const motifSeed = /* @__PURE__ */ takenBy(seed, ['motifs']);

export const batchRecords = /* @__PURE__ */ motifRow({
  name: 'batchRecords',
  flag: '--batch-records <n>',
  kind: 'number',
  default: 4096,
  help: 'records of a batch, within which exact repeats are found first',
});

export const motifThreads = {
  name: 'threads',
  flag: '--threads <n>',
  group: 'detector',
  kind: 'threads',
  default: DEFAULT_THREADS,
  help: 'threads at most; auto: up to four if the files have 500,000 records or more with 32 hashes, otherwise one; no answer depends on it',
  jobs: ['motifs'],
} as const satisfies OptionRow;

export const labels = {
  name: 'labels',
  flag: '--labels <file>',
  group: 'input',
  kind: 'text',
  help: 'file of known labels, one line per record, for the error rates',
  jobs: ['motifs'],
} as const satisfies OptionRow;

export const motifEmit = /* @__PURE__ */ motifOutputRow({
  name: 'emit',
  flag: '--emit <what>',
  kind: 'word',
  words: ['summary', 'assignments', 'distinct'],
  default: 'summary',
  help: 'what to write to the output',
});

export const motifOutput = /* @__PURE__ */ motifOutputRow({
  name: 'output',
  flag: '-o, --output <file>',
  kind: 'text',
  help: 'write assignments or records to a file instead of standard output',
});

/** The options in the order of the help. */
export const motifOptions = [
  recordBytes,
  motifFormat,
  motifSets,
  flips,
  motifHashes,
  addressBits,
  threshold,
  opening,
  motifSeed,
  batchRecords,
  motifThreads,
  labels,
  motifEmit,
  motifOutput,
] as const;
