// The options of near-duplicate detection.

import { DEFAULT_MEMORY_BYTES, DEFAULT_THREADS } from './detector.js';
import type { OptionRow } from './row.js';
import { confidence, sketchBytes, verify } from './verify.js';

export const similarity = {
  name: 'similarity',
  flag: '-s, --similarity <s>',
  group: 'similarity',
  isOwn: true,
  kind: 'number',
  default: 0.8,
  help: 'similarity from which on documents count as near',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const lsh = {
  name: 'lsh',
  flag: '--lsh <family>',
  group: 'similarity',
  isOwn: true,
  kind: 'name',
  names: 'lsh',
  default: 'minhash',
  shownDefault: null,
  help: 'measure of similarity: sets of shingles, their counts, or bits',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const shingle = {
  name: 'shingle',
  flag: '--shingle <size>',
  group: 'similarity',
  isOwn: true,
  kind: 'text',
  default: 'auto',
  help: 'shingles: 5w for words, 24c for characters, 8t for tokens; auto: 5w (simhash: 1w), more letters without blanks',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const hashes = {
  name: 'hashes',
  flag: '--hashes <n>',
  group: 'similarity',
  isOwn: true,
  kind: 'number',
  default: 128,
  help: 'hash functions of a signature',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const variant = {
  name: 'variant',
  flag: '--variant <name>',
  group: 'similarity',
  isOwn: true,
  kind: 'text',
  help: 'one-permutation: faster minhash, less accurate for short documents',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const bands = {
  name: 'bands',
  flag: '--bands <bxr>',
  group: 'similarity',
  isOwn: true,
  kind: 'text',
  shownDefault: 'those with the fewest errors',
  help: 'bands and rows per band, such as 9x13',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const agreeing = {
  name: 'agreeing',
  flag: '--agreeing <n>',
  group: 'similarity',
  isOwn: true,
  kind: 'number',
  default: 1,
  help: 'bands that must be seen',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const sets = {
  name: 'sets',
  flag: '--sets <n>',
  group: 'similarity',
  isOwn: true,
  kind: 'number',
  default: 0,
  help: 'assign documents to at most n numbered sets',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const letterCase = {
  name: 'case',
  flag: '--case <what>',
  group: 'similarity',
  isOwn: true,
  kind: 'word',
  words: ['simple', 'unicode', 'ascii', 'keep'],
  default: 'simple',
  shownDefault: null,
  help: 'letters that are equal in both cases: {words}',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const normalize = {
  name: 'normalize',
  flag: '--normalize <form>',
  group: 'similarity',
  isOwn: true,
  kind: 'word',
  words: ['none', 'nfc', 'nfkc'],
  default: 'none',
  shownDefault: null,
  help: 'Unicode normalization of documents',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const documentBytes = {
  name: 'documentBytes',
  flag: '--document-bytes <n>',
  group: 'similarity',
  isOwn: true,
  kind: 'number',
  help: 'length of every document in bytes, for bits',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const encoding = {
  name: 'encoding',
  flag: '--encoding <name>',
  group: 'similarity',
  isOwn: true,
  kind: 'word',
  words: ['bytes', 'hex'],
  default: 'bytes',
  shownDefault: null,
  help: 'encoding of documents, for bits',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const tableMemory = {
  name: 'memory',
  flag: '-m, --memory <size>',
  group: 'detector',
  isOwn: true,
  kind: 'size',
  default: DEFAULT_MEMORY_BYTES,
  help: 'memory of the table, such as 64MiB or 1G',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const tableAlgorithm = {
  name: 'algorithm',
  flag: '-a, --algorithm <name>',
  group: 'detector',
  isOwn: true,
  kind: 'text',
  names: 'algorithms',
  shownDefault: 'qht, or apbf with a window',
  help: 'algorithm of the table: {words}',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const tableFpr = {
  name: 'fpr',
  flag: '--fpr <rate>',
  group: 'detector',
  isOwn: true,
  kind: 'number',
  default: 0.001,
  help: 'share of new documents reported duplicate by chance',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const tableWindow = {
  name: 'window',
  flag: '--window <size>',
  group: 'detector',
  isOwn: true,
  kind: 'size',
  help: 'how far back documents are always remembered, and perhaps farther: a number of kept documents, or a duration',
  jobs: ['near'],
  agrees: 'following',
} as const satisfies OptionRow;

export const tableWindowSlack = {
  name: 'windowSlack',
  flag: '--window-slack <share>',
  group: 'detector',
  isOwn: true,
  kind: 'number',
  help: 'how much longer than the window a document may be remembered, as a share of it, such as 10%',
  jobs: ['near'],
  agrees: 'following',
} as const satisfies OptionRow;

export const tableRefresh = {
  name: 'refresh',
  flag: '--refresh',
  group: 'detector',
  isOwn: true,
  kind: 'presence',
  help: 'restart the window of a document at every repeat',
  jobs: ['near'],
  agrees: 'following',
} as const satisfies OptionRow;

export const add = {
  name: 'add',
  flag: '--add <which>',
  group: 'detector',
  isOwn: true,
  kind: 'word',
  words: ['kept', 'all'],
  default: 'kept',
  shownDefault: null,
  help: 'which documents to remember',
  jobs: ['near'],
  agrees: 'setting',
} as const satisfies OptionRow;

export const tableParameters = {
  name: 'parameters',
  flag: '--param <name=value>',
  group: 'detector',
  isOwn: true,
  kind: 'parameters',
  help: 'parameter of the table by letter or name; repeatable',
  jobs: ['near'],
  agrees: 'following',
} as const satisfies OptionRow;

export const distinctDocuments = {
  name: 'distinctDocuments',
  flag: '--expect-distinct <n>',
  group: 'detector',
  isOwn: true,
  kind: 'number',
  help: 'expected number of different documents, for auto',
  jobs: ['near'],
  agrees: 'following',
} as const satisfies OptionRow;

export const documentFormat = {
  name: 'format',
  flag: '-f, --format <name>',
  group: 'records',
  kind: 'name',
  names: 'documentFormats',
  help: 'format of the documents, guessed from the names by default',
  jobs: ['near'],
  agrees: 'record',
} as const satisfies OptionRow;

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

export const idKey = {
  name: 'idKey',
  flag: '--id-key <key>',
  group: 'records',
  kind: 'text',
  shownDefault: 'its number, or url in WARC',
  help: 'name of a record for --explain, --report, --ids-to and --emit ids and attributes',
  jobs: ['near'],
  agrees: 'record',
} as const satisfies OptionRow;

export const endsPathsByZero = {
  name: 'isZeroTerminated',
  flag: '-z, --zero-terminated',
  group: 'records',
  kind: 'presence',
  default: false,
  help: 'with documents that are files: write paths that end with a zero byte, not with a newline',
  jobs: ['near'],
  agrees: 'record',
} as const satisfies OptionRow;

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
