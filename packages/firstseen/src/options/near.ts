// The options of near-duplicate detection.

import { DEFAULT_MEMORY_BYTES, DEFAULT_THREADS } from './detector.js';
import { type OptionRow, rowsWith } from './row.js';
import { confidence, similarityRow, sketchBytes, verify } from './verify.js';

/** Makes a row of the table of near-duplicates. */
const tableRow = /* @__PURE__ */ rowsWith({ group: 'detector', isOwn: true, jobs: ['near'] });

/** Makes a row of how documents are found. */
const documentRow = /* @__PURE__ */ rowsWith({ group: 'records', jobs: ['near'], agrees: 'record' });

export const similarity = /* @__PURE__ */ similarityRow({
  name: 'similarity',
  flag: '-s, --similarity <s>',
  kind: 'number',
  default: 0.8,
  help: 'similarity from which on documents count as near',
});

export const lsh = /* @__PURE__ */ similarityRow({
  name: 'lsh',
  flag: '--lsh <family>',
  kind: 'name',
  names: 'lsh',
  default: 'minhash',
  shownDefault: null,
  help: 'measure of similarity: sets of shingles, their counts, or bits',
});

export const shingle = /* @__PURE__ */ similarityRow({
  name: 'shingle',
  flag: '--shingle <size>',
  kind: 'text',
  default: 'auto',
  help: 'shingles: 5w for words, 24c for characters, 8t for tokens; auto: 5w (simhash: 1w), more letters without blanks',
});

export const hashes = /* @__PURE__ */ similarityRow({
  name: 'hashes',
  flag: '--hashes <n>',
  kind: 'number',
  default: 128,
  help: 'hash functions of a signature',
});

export const variant = /* @__PURE__ */ similarityRow({
  name: 'variant',
  flag: '--variant <name>',
  kind: 'text',
  help: 'one-permutation: faster minhash, less accurate for short documents',
});

export const bands = /* @__PURE__ */ similarityRow({
  name: 'bands',
  flag: '--bands <bxr>',
  kind: 'text',
  shownDefault: 'those with the fewest errors',
  help: 'bands and rows per band, such as 9x13',
});

export const agreeing = /* @__PURE__ */ similarityRow({
  name: 'agreeing',
  flag: '--agreeing <n>',
  kind: 'number',
  default: 1,
  help: 'bands that must be seen',
});

export const sets = /* @__PURE__ */ similarityRow({
  name: 'sets',
  flag: '--sets <n>',
  kind: 'number',
  default: 0,
  help: 'assign documents to at most n numbered sets',
});

export const letterCase = /* @__PURE__ */ similarityRow({
  name: 'case',
  flag: '--case <what>',
  kind: 'word',
  words: ['simple', 'unicode', 'ascii', 'keep'],
  default: 'simple',
  shownDefault: null,
  help: 'letters that are equal in both cases: {words}',
});

export const normalize = /* @__PURE__ */ similarityRow({
  name: 'normalize',
  flag: '--normalize <form>',
  kind: 'word',
  words: ['none', 'nfc', 'nfkc'],
  default: 'none',
  shownDefault: null,
  help: 'Unicode normalization of documents',
});

export const documentBytes = /* @__PURE__ */ similarityRow({
  name: 'documentBytes',
  flag: '--document-bytes <n>',
  kind: 'number',
  help: 'length of every document in bytes, for bits',
});

export const encoding = /* @__PURE__ */ similarityRow({
  name: 'encoding',
  flag: '--encoding <name>',
  kind: 'word',
  words: ['bytes', 'hex'],
  default: 'bytes',
  shownDefault: null,
  help: 'encoding of documents, for bits',
});

export const tableMemory = /* @__PURE__ */ tableRow({
  name: 'memory',
  flag: '-m, --memory <size>',
  kind: 'size',
  default: DEFAULT_MEMORY_BYTES,
  help: 'memory of the table, such as 64MiB or 1G',
  agrees: 'setting',
});

export const tableAlgorithm = /* @__PURE__ */ tableRow({
  name: 'algorithm',
  flag: '-a, --algorithm <name>',
  kind: 'text',
  names: 'algorithms',
  shownDefault: 'qht, or apbf with a window',
  help: 'algorithm of the table: {words}',
  agrees: 'setting',
});

export const tableFpr = /* @__PURE__ */ tableRow({
  name: 'fpr',
  flag: '--fpr <rate>',
  kind: 'number',
  default: 0.001,
  help: 'share of new documents reported duplicate by chance',
  agrees: 'setting',
});

export const tableWindow = /* @__PURE__ */ tableRow({
  name: 'window',
  flag: '--window <size>',
  kind: 'size',
  help: 'how far back documents are always remembered, and perhaps farther: a number of kept documents, or a duration',
  agrees: 'following',
});

export const tableWindowSlack = /* @__PURE__ */ tableRow({
  name: 'windowSlack',
  flag: '--window-slack <share>',
  kind: 'number',
  help: 'how much longer than the window a document may be remembered, as a share of it, such as 10%',
  agrees: 'following',
});

export const tableRefresh = /* @__PURE__ */ tableRow({
  name: 'refresh',
  flag: '--refresh',
  kind: 'presence',
  help: 'restart the window of a document at every repeat',
  agrees: 'following',
});

export const add = /* @__PURE__ */ tableRow({
  name: 'add',
  flag: '--add <which>',
  kind: 'word',
  words: ['kept', 'all'],
  default: 'kept',
  shownDefault: null,
  help: 'which documents to remember',
  agrees: 'setting',
});

export const tableParameters = /* @__PURE__ */ tableRow({
  name: 'parameters',
  flag: '--param <name=value>',
  kind: 'parameters',
  help: 'parameter of the table by letter or name; repeatable',
  agrees: 'following',
});

export const distinctDocuments = /* @__PURE__ */ tableRow({
  name: 'distinctDocuments',
  flag: '--expect-distinct <n>',
  kind: 'number',
  help: 'expected number of different documents, for auto',
  agrees: 'following',
});

export const documentFormat = /* @__PURE__ */ documentRow({
  name: 'format',
  flag: '-f, --format <name>',
  kind: 'name',
  names: 'documentFormats',
  help: 'format of the documents, guessed from the names by default',
});

export const textKey = {
  name: 'textKey',
  flag: '--text-key <key>',
  group: 'records',
  kind: 'fields',
  default: 'text',
  shownDefault: 'text, or block in WARC',
  help: 'text of a record: a path in JSON, a column in CSV, a field of WARC; repeatable',
  jobs: ['near', 'passages'],
  agrees: 'record',
} as const satisfies OptionRow;

export const idKey = /* @__PURE__ */ documentRow({
  name: 'idKey',
  flag: '--id-key <key>',
  kind: 'text',
  shownDefault: 'its number, or url in WARC',
  help: 'name of a record for --explain, --report, --ids-to and --emit ids and attributes',
});

export const endsPathsByZero = /* @__PURE__ */ documentRow({
  name: 'isZeroTerminated',
  flag: '-z, --zero-terminated',
  kind: 'presence',
  default: false,
  help: 'with documents that are files: write paths that end with a zero byte, not with a newline',
});

export const documentThreads = {
  name: 'threads',
  flag: '--threads <n>',
  group: 'detector',
  shownIn: 'records',
  kind: 'threads',
  default: DEFAULT_THREADS,
  help: 'threads at most; auto: up to four if the documents are text of 64MiB or more, without --sets and --explain, otherwise one; no answer depends on it',
  jobs: ['near'],
} as const satisfies OptionRow;

export const explain = {
  name: 'explain',
  flag: '--explain <n>',
  group: 'output',
  isOwn: true,
  kind: 'number',
  default: 0,
  shownDefault: null,
  help: 'annotate documents with the nearest of the last n kept documents',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const keptDocument = {
  name: 'keep',
  flag: '--keep <document>',
  group: 'output',
  kind: 'text',
  default: 'first',
  help: 'which of near documents is distinct: first, last, longest, max:FIELD, min:FIELD; all but first read the inputs twice',
  jobs: ['near'],
} as const satisfies OptionRow;

/** The options in the order of the help; those that other jobs have too follow those of the table. */
export const nearOptions = [
  similarity,
  lsh,
  shingle,
  hashes,
  variant,
  bands,
  agreeing,
  sets,
  verify,
  sketchBytes,
  confidence,
  letterCase,
  normalize,
  documentBytes,
  encoding,
  tableMemory,
  tableAlgorithm,
  tableFpr,
  tableWindow,
  tableWindowSlack,
  tableRefresh,
  add,
  tableParameters,
] as const;

export const documentOptions = [
  distinctDocuments,
  documentFormat,
  textKey,
  idKey,
  endsPathsByZero,
  documentThreads,
] as const;
