// The options of outputs, of the state, and of what a run reports.

import type { OptionRow } from './row.js';

export const emit = {
  name: 'emit',
  flag: '--emit <what>',
  group: 'output',
  kind: 'name',
  names: 'emissions',
  default: 'distinct',
  help: 'what to write to the output',
  jobs: ['exact', 'near', 'reduce'],
} as const satisfies OptionRow;

export const keep = {
  name: 'keep',
  flag: '--keep <record>',
  group: 'output',
  kind: 'text',
  default: 'first',
  help: 'which record of each key is distinct: first, last, max:FIELD, min:FIELD; all but first read the input twice',
  jobs: ['exact'],
} as const satisfies OptionRow;

export const count = {
  name: 'count',
  flag: '--count',
  group: 'output',
  kind: 'presence',
  default: false,
  help: 'write with each record how often its key occurs, as uniq -c; reads the input twice',
  jobs: ['exact'],
} as const satisfies OptionRow;

export const annotate = {
  name: 'annotate',
  flag: '--annotate <field>',
  group: 'output',
  kind: 'text',
  help: 'with --emit all, add the verdict as this field',
  jobs: ['exact', 'near'],
} as const satisfies OptionRow;

export const output = {
  name: 'output',
  flag: '-o, --output <file>',
  group: 'output',
  kind: 'text',
  help: 'write to a file instead of standard output',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const outputFolder = {
  name: 'outputFolder',
  flag: '--output-folder <folder>',
  group: 'output',
  kind: 'text',
  help: 'write a file for each input, with its name, to this folder instead of one output',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const duplicatesTo = {
  name: 'duplicatesTo',
  flag: '--duplicates-to <file>',
  group: 'output',
  kind: 'text',
  help: 'also write the duplicates, to this file',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const idsTo = {
  name: 'idsTo',
  flag: '--ids-to <file>',
  group: 'output',
  kind: 'text',
  help: 'also write the name of each dropped document and of the kept one that it is near, as --emit ids does, to this file',
  jobs: ['near'],
} as const satisfies OptionRow;

export const isCompressed = {
  name: 'isCompressed',
  flag: '--compress',
  group: 'output',
  kind: 'presence',
  default: false,
  help: 'compress all outputs with gzip, whatever their names are',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const keepsLineEnd = {
  name: 'keepsLineEnd',
  flag: '--keep-last-line-end',
  group: 'output',
  kind: 'presence',
  default: false,
  help: 'leave the last record as it is, although it has no newline; otherwise it gets one',
  jobs: ['exact', 'near'],
} as const satisfies OptionRow;

export const isUnbuffered = {
  name: 'isUnbuffered',
  flag: '--unbuffered',
  group: 'output',
  isOfCommand: true,
  kind: 'presence',
  default: false,
  help: 'require that each record is answered as soon as it is read; what would keep answers back is refused',
  jobs: ['exact', 'near'],
} as const satisfies OptionRow;

export const state = {
  name: 'state',
  flag: '--state <file>',
  group: 'state',
  kind: 'text',
  help: 'save the detector and the position in the input, and continue from them',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const checkpoint = {
  name: 'checkpoint',
  flag: '--checkpoint <duration>',
  group: 'state',
  kind: 'duration',
  default: '30s',
  help: 'how often to save the state',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const isClockReset = {
  name: 'isClockReset',
  flag: '--reset-clock',
  group: 'time',
  shownIn: 'state',
  kind: 'presence',
  default: false,
  help: 'set the time of a saved window that is too far ahead back to the clock',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const isNewRun = {
  name: 'isNewRun',
  flag: '--new-run',
  group: 'state',
  kind: 'presence',
  default: false,
  help: 'start a new run with the detector of the state, and overwrite the outputs',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const isReadOnly = {
  name: 'isReadOnly',
  flag: '--read-only',
  group: 'state',
  kind: 'presence',
  default: false,
  help: 'look records up in the state without adding them',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const partial = {
  name: 'partial',
  flag: '--partial <policy>',
  group: 'input',
  shownIn: 'state',
  kind: 'word',
  words: ['wait', 'record'],
  help: 'what to do with an unfinished last record of a file',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const stats = {
  name: 'stats',
  flag: '--stats [format]',
  group: 'report',
  isOfCommand: true,
  kind: 'word',
  words: ['text', 'json'],
  help: 'print a summary to standard error',
  jobs: ['exact', 'near', 'passages', 'motifs'],
} as const satisfies OptionRow;

export const statsTo = {
  name: 'statsTo',
  flag: '--stats-to <file>',
  group: 'report',
  isOfCommand: true,
  kind: 'text',
  help: 'write the summary to a file as JSON',
  jobs: ['exact', 'near', 'passages', 'motifs'],
} as const satisfies OptionRow;

export const report = {
  name: 'report',
  flag: '--report <file>',
  group: 'report',
  isOfCommand: true,
  kind: 'text',
  help: 'write a page of HTML that shows what was dropped, by input, in samples and in figures',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const logFormat = {
  name: 'logFormat',
  flag: '--log-format <format>',
  group: 'report',
  isOfCommand: true,
  kind: 'word',
  words: ['text', 'json'],
  default: 'text',
  help: 'format of messages (default: {default}): {words}',
  jobs: ['exact', 'near', 'passages', 'motifs'],
} as const satisfies OptionRow;

export const progress = {
  name: 'progress',
  flag: '--no-progress',
  group: 'report',
  isOfCommand: true,
  kind: 'presence',
  gives: false,
  default: true,
  help: 'do not show a progress bar',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const signal = {
  name: 'signal',
  group: 'report',
  kind: 'signal',
  help: 'ends the run in order',
  jobs: ['exact', 'near', 'passages', 'motifs'],
} as const satisfies OptionRow;

export const onReady = {
  name: 'onReady',
  group: 'report',
  kind: 'function',
  help: 'called when everything is ready for the first record',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const onWarning = {
  name: 'onWarning',
  group: 'report',
  kind: 'function',
  help: 'called with each warning',
  jobs: ['exact', 'near', 'passages', 'motifs'],
} as const satisfies OptionRow;

export const onProgress = {
  name: 'onProgress',
  group: 'report',
  kind: 'function',
  help: 'called after every chunk',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const onElements = {
  name: 'onElements',
  group: 'report',
  kind: 'function',
  help: 'called with the fingerprints of every batch before they are observed',
  jobs: ['exact'],
} as const satisfies OptionRow;

export const onFailure = {
  name: 'onFailure',
  group: 'report',
  kind: 'function',
  help: 'called with the summary of a run that fails',
  jobs: ['exact', 'near', 'passages', 'motifs'],
} as const satisfies OptionRow;

export const onReview = {
  name: 'onReview',
  group: 'report',
  kind: 'function',
  help: 'called at the end with counts by input, samples and the largest clusters',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const outputOptions = [
  emit,
  annotate,
  output,
  outputFolder,
  duplicatesTo,
  idsTo,
  isCompressed,
  keepsLineEnd,
] as const;

/** The options for output that only deduplication can write. */
export const keptOptions = [keep, count] as const;

export const stateOptions = [state, checkpoint, isClockReset, isNewRun, isReadOnly, partial] as const;

/** The options for the reports of the command. */
export const summaryOptions = [stats, statsTo, report, logFormat] as const;

/** The options by which a program follows a run. */
export const eventOptions = [signal, onReady, onWarning, onProgress, onElements, onReview, onFailure] as const;
