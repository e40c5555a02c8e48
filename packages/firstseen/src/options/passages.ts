// The options of passages: what is compared within a text, and what is written.

import { DEFAULT_THREADS } from './detector.js';
import { comparisonRow, margin, passageOutputRow } from './items.js';
import type { OptionRow } from './row.js';

/** The words of `by`: what is compared. */
const PASSAGE_UNITS = ['paragraph', 'line', 'ngram', 'document'] as const;

export const by = /* @__PURE__ */ comparisonRow({
  name: 'by',
  flag: '--by <unit>',
  kind: 'word',
  words: PASSAGE_UNITS,
  default: 'paragraph',
  help: 'what is compared: {words}',
  agrees: 'record',
});

export const separator = /* @__PURE__ */ comparisonRow({
  name: 'separator',
  flag: '--separator <text>',
  kind: 'text',
  default: '\n',
  shownDefault: 'a newline',
  help: 'what is between two paragraphs; \\n is a newline, \\t a tab',
  agrees: 'record',
});

export const ngram = /* @__PURE__ */ comparisonRow({
  name: 'ngram',
  flag: '--ngram <n>',
  kind: 'whole',
  default: 13,
  help: 'with --by ngram: words of an n-gram, 2 to 256',
  agrees: 'record',
});

export const overlap = /* @__PURE__ */ comparisonRow({
  name: 'overlap',
  flag: '--overlap <share>',
  kind: 'number',
  default: 0.8,
  help: 'with --by ngram: share of the n-grams of a paragraph from which on it counts as seen',
});

export const minLength = /* @__PURE__ */ comparisonRow({
  name: 'minLength',
  flag: '--min-length <n>',
  kind: 'number',
  default: 0,
  help: 'do not compare passages of fewer characters',
});

export const minWords = /* @__PURE__ */ comparisonRow({
  name: 'minWords',
  flag: '--min-words <n>',
  kind: 'number',
  default: 0,
  help: 'do not compare passages of fewer words',
});

export const skipEmpty = /* @__PURE__ */ comparisonRow({
  name: 'skipEmpty',
  flag: '--skip-empty',
  kind: 'presence',
  default: false,
  help: 'do not compare passages that have nothing but blanks',
});

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

export const passageEmit = /* @__PURE__ */ passageOutputRow({
  name: 'emit',
  flag: '--emit <what>',
  kind: 'word',
  words: ['spans', 'rewritten', 'documents'],
  default: 'spans',
  help: 'what to write: where each record has seen passages, records without them, or whole records that have few',
});

export const attribute = /* @__PURE__ */ passageOutputRow({
  name: 'attribute',
  flag: '--attribute <name>',
  kind: 'text',
  default: 'duplicates',
  help: 'with --emit spans: name of the attribute',
});

export const minDocument = /* @__PURE__ */ passageOutputRow({
  name: 'minDocument',
  flag: '--min-document <n>',
  kind: 'number',
  default: 1,
  help: 'with --emit rewritten: drop records whose text has fewer characters left',
});

export const documentShare = /* @__PURE__ */ passageOutputRow({
  name: 'documentShare',
  flag: '--document-share <share>',
  kind: 'number',
  default: 0.8,
  help: 'with --emit documents: share of the characters of a text from which on its record is dropped',
});

export const dolmaQuirks = /* @__PURE__ */ passageOutputRow({
  name: 'dolmaQuirks',
  flag: '--dolma-quirks',
  kind: 'presence',
  default: false,
  help: 'with --emit spans: write what Dolma 1.2.1 writes, also where it is wrong',
});

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
