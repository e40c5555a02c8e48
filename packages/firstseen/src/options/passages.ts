// The options of passages: what is compared within a text, and what is written.

import { DEFAULT_THREADS } from './detector.js';
import { margin } from './items.js';
import type { OptionRow } from './row.js';

/** The words of `by`: what is compared. */
const PASSAGE_UNITS = ['paragraph', 'line', 'ngram', 'document'] as const;

export const by = {
  name: 'by',
  flag: '--by <unit>',
  group: 'similarity',
  kind: 'word',
  words: PASSAGE_UNITS,
  default: 'paragraph',
  help: 'what is compared: {words}',
  jobs: ['passages'],
  agrees: 'record',
} as const satisfies OptionRow;

export const separator = {
  name: 'separator',
  flag: '--separator <text>',
  group: 'similarity',
  kind: 'text',
  default: '\n',
  shownDefault: 'a newline',
  help: 'what is between two paragraphs; \\n is a newline, \\t a tab',
  jobs: ['passages'],
  agrees: 'record',
} as const satisfies OptionRow;

export const ngram = {
  name: 'ngram',
  flag: '--ngram <n>',
  group: 'similarity',
  kind: 'whole',
  default: 13,
  help: 'with --by ngram: words of an n-gram, 2 to 256',
  jobs: ['passages'],
  agrees: 'record',
} as const satisfies OptionRow;

export const overlap = {
  name: 'overlap',
  flag: '--overlap <share>',
  group: 'similarity',
  kind: 'number',
  default: 0.8,
  help: 'with --by ngram: share of the n-grams of a paragraph from which on it counts as seen',
  jobs: ['passages'],
} as const satisfies OptionRow;

export const minLength = {
  name: 'minLength',
  flag: '--min-length <n>',
  group: 'similarity',
  kind: 'number',
  default: 0,
  help: 'do not compare passages of fewer characters',
  jobs: ['passages'],
} as const satisfies OptionRow;

export const minWords = {
  name: 'minWords',
  flag: '--min-words <n>',
  group: 'similarity',
  kind: 'number',
  default: 0,
  help: 'do not compare passages of fewer words',
  jobs: ['passages'],
} as const satisfies OptionRow;

export const skipEmpty = {
  name: 'skipEmpty',
  flag: '--skip-empty',
  group: 'similarity',
  kind: 'presence',
  default: false,
  help: 'do not compare passages that have nothing but blanks',
  jobs: ['passages'],
} as const satisfies OptionRow;

export const passageIdKey = {
  name: 'idKey',
  flag: '--id-key <key>',
  group: 'records',
  kind: 'text',
  default: 'id',
  shownDefault: 'id, or url in WARC',
  help: 'with --emit spans: name of a record, a path in JSON, a field of WARC',
  jobs: ['passages'],
} as const satisfies OptionRow;

export const passageThreads = {
  name: 'threads',
  flag: '--threads <n>',
  group: 'detector',
  shownIn: 'records',
  kind: 'threads',
  default: DEFAULT_THREADS,
  help: 'threads at most; auto: up to four if the inputs have 128MiB or more, or one of them 16MiB in compressed form, or a quarter of that with --by ngram, otherwise one; no answer depends on it',
  jobs: ['passages'],
} as const satisfies OptionRow;

export const passageEmit = {
  name: 'emit',
  flag: '--emit <what>',
  group: 'output',
  kind: 'word',
  words: ['spans', 'rewritten', 'documents'],
  default: 'spans',
  help: 'what to write: where each record has seen passages, records without them, or whole records that have few',
  jobs: ['passages'],
} as const satisfies OptionRow;

export const attribute = {
  name: 'attribute',
  flag: '--attribute <name>',
  group: 'output',
  kind: 'text',
  default: 'duplicates',
  help: 'with --emit spans: name of the attribute',
  jobs: ['passages'],
} as const satisfies OptionRow;

export const minDocument = {
  name: 'minDocument',
  flag: '--min-document <n>',
  group: 'output',
  kind: 'number',
  default: 1,
  help: 'with --emit rewritten: drop records whose text has fewer characters left',
  jobs: ['passages'],
} as const satisfies OptionRow;

export const documentShare = {
  name: 'documentShare',
  flag: '--document-share <share>',
  group: 'output',
  kind: 'number',
  default: 0.8,
  help: 'with --emit documents: share of the characters of a text from which on its record is dropped',
  jobs: ['passages'],
} as const satisfies OptionRow;

export const dolmaQuirks = {
  name: 'dolmaQuirks',
  flag: '--dolma-quirks',
  group: 'output',
  kind: 'presence',
  default: false,
  help: 'with --emit spans: write what Dolma 1.2.1 writes, also where it is wrong',
  jobs: ['passages'],
} as const satisfies OptionRow;

export const passageFormat = {
  name: 'format',
  flag: '-f, --format <name>',
  group: 'records',
  kind: 'name',
  names: 'passageFormats',
  help: 'format of the records, guessed from the file name by default',
  jobs: ['passages'],
  agrees: 'record',
} as const satisfies OptionRow;

export const passageOptions = [by, separator, ngram, overlap, minLength, minWords, skipEmpty] as const;

export const passageOutputOptions = [passageEmit, attribute, minDocument, documentShare, margin, dolmaQuirks] as const;
