// The options of range motifs.

import { DEFAULT_THREADS, seed } from './detector.js';
import { type OptionRow, takenBy } from './row.js';

export const recordBytes = {
  name: 'recordBytes',
  flag: '-b, --record-bytes <n>',
  group: 'detector',
  isOwn: true,
  kind: 'number',
  help: 'length of every record in bytes; required',
  jobs: ['motifs'],
} as const satisfies OptionRow;

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

export const motifSets = {
  name: 'sets',
  flag: '--sets <n>',
  group: 'detector',
  isOwn: true,
  kind: 'number',
  default: 4,
  help: 'maximum number of sets, 1 to 15; with 1, votes show redundant records',
  jobs: ['motifs'],
} as const satisfies OptionRow;

export const flips = {
  name: 'flips',
  flag: '--flips <share>',
  group: 'detector',
  isOwn: true,
  kind: 'number',
  shownDefault: '2%, or the largest that works for short records',
  help: 'bits of a record that are expected to differ from the centre of its set, such as 2%; chooses --hashes and --threshold so that one earlier record of a set is enough to recognize the next',
  jobs: ['motifs'],
} as const satisfies OptionRow;

export const motifHashes = {
  name: 'hashes',
  flag: '--hashes <n>',
  group: 'detector',
  isOwn: true,
  kind: 'number',
  shownDefault: 'from --flips; 32 without it',
  help: 'number of hash functions (k), 1 to 255',
  jobs: ['motifs'],
} as const satisfies OptionRow;

export const addressBits = {
  name: 'addressBits',
  flag: '--address-bits <n>',
  group: 'detector',
  isOwn: true,
  kind: 'number',
  default: 20,
  help: "bits that a hash function reads (l'), 1 to 30",
  jobs: ['motifs'],
} as const satisfies OptionRow;

export const threshold = {
  name: 'threshold',
  flag: '--threshold <n>',
  group: 'detector',
  isOwn: true,
  kind: 'number',
  shownDefault: 'from --flips; half of the hashes without it',
  help: 'votes that a record requires (t)',
  jobs: ['motifs'],
} as const satisfies OptionRow;

export const opening = {
  name: 'opening',
  flag: '--opening <rule>',
  group: 'detector',
  isOwn: true,
  kind: 'word',
  words: ['threshold', 'tied', 'confirmed'],
  shownDefault: 'confirmed; threshold with one set',
  help: 'when a record with too few votes opens a set',
  jobs: ['motifs'],
} as const satisfies OptionRow;

export const motifSeed = /* @__PURE__ */ takenBy(seed, ['motifs']);

export const batchRecords = {
  name: 'batchRecords',
  flag: '--batch-records <n>',
  group: 'detector',
  isOwn: true,
  kind: 'number',
  default: 4096,
  help: 'records of a batch, within which exact repeats are found first',
  jobs: ['motifs'],
} as const satisfies OptionRow;

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

export const motifEmit = {
  name: 'emit',
  flag: '--emit <what>',
  group: 'output',
  kind: 'word',
  words: ['summary', 'assignments', 'distinct'],
  default: 'summary',
  help: 'what to write to the output',
  jobs: ['motifs'],
} as const satisfies OptionRow;

export const motifOutput = {
  name: 'output',
  flag: '-o, --output <file>',
  group: 'output',
  kind: 'text',
  help: 'write assignments or records to a file instead of standard output',
  jobs: ['motifs'],
} as const satisfies OptionRow;

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
