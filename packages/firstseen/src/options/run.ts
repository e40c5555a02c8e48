// The options of outputs, of the state, and of what a run reports.

import { type OptionRow, rowsWith } from './row.js';

/** Makes a row of what all runs report. */
const summaryRow = /* @__PURE__ */ rowsWith({ group: 'report', jobs: ['exact', 'near', 'passages', 'motifs'] });

/** Makes a row of what a run over records reports. */
const eventRow = /* @__PURE__ */ rowsWith({ group: 'report', jobs: ['exact', 'near', 'passages'] });

/** Makes a row of what a run over records writes. */
const outputRow = /* @__PURE__ */ rowsWith({ group: 'output', jobs: ['exact', 'near', 'passages'] });

/** Makes a row of the state. */
const stateRow = /* @__PURE__ */ rowsWith({ group: 'state', jobs: ['exact', 'near', 'passages'] });

/** Makes a row of what is written of kept records. */
const keptRow = /* @__PURE__ */ rowsWith({ group: 'output', jobs: ['exact', 'near'] });

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

export const annotate = /* @__PURE__ */ keptRow({
  name: 'annotate',
  flag: '--annotate <field>',
  kind: 'text',
  help: 'with --emit all, add the verdict as this field',
});

export const output = /* @__PURE__ */ outputRow({
  name: 'output',
  flag: '-o, --output <file>',
  kind: 'text',
  help: 'write to a file instead of standard output',
});

export const outputFolder = /* @__PURE__ */ outputRow({
  name: 'outputFolder',
  flag: '--output-folder <folder>',
  kind: 'text',
  help: 'write a file for each input, with its name, to this folder instead of one output',
});

export const duplicatesTo = /* @__PURE__ */ outputRow({
  name: 'duplicatesTo',
  flag: '--duplicates-to <file>',
  kind: 'text',
  help: 'also write the duplicates, to this file',
});

export const idsTo = {
  name: 'idsTo',
  flag: '--ids-to <file>',
  group: 'output',
  kind: 'text',
  help: 'also write the name of each dropped document and of the kept one that it is near, as --emit ids does, to this file',
  jobs: ['near'],
} as const satisfies OptionRow;

export const isCompressed = /* @__PURE__ */ outputRow({
  name: 'isCompressed',
  flag: '--compress',
  kind: 'presence',
  default: false,
  help: 'compress all outputs with gzip, whatever their names are',
});

export const keepsLineEnd = /* @__PURE__ */ keptRow({
  name: 'keepsLineEnd',
  flag: '--keep-last-line-end',
  kind: 'presence',
  default: false,
  help: 'leave the last record as it is, although it has no newline; otherwise it gets one',
});

export const isUnbuffered = /* @__PURE__ */ keptRow({
  name: 'isUnbuffered',
  flag: '--unbuffered',
  isOfCommand: true,
  kind: 'presence',
  default: false,
  help: 'require that each record is answered as soon as it is read; what would keep answers back is refused',
});

export const state = /* @__PURE__ */ stateRow({
  name: 'state',
  flag: '--state <file>',
  kind: 'text',
  help: 'save the detector and the position in the input, and continue from them',
});

export const checkpoint = /* @__PURE__ */ stateRow({
  name: 'checkpoint',
  flag: '--checkpoint <duration>',
  kind: 'duration',
  default: '30s',
  help: 'how often to save the state',
});

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

export const isNewRun = /* @__PURE__ */ stateRow({
  name: 'isNewRun',
  flag: '--new-run',
  kind: 'presence',
  default: false,
  help: 'start a new run with the detector of the state, and overwrite the outputs',
});

export const isReadOnly = /* @__PURE__ */ stateRow({
  name: 'isReadOnly',
  flag: '--read-only',
  kind: 'presence',
  default: false,
  help: 'look records up in the state without adding them',
});

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

export const stats = /* @__PURE__ */ summaryRow({
  name: 'stats',
  flag: '--stats [format]',
  isOfCommand: true,
  kind: 'word',
  words: ['text', 'json'],
  help: 'print a summary to standard error',
});

export const statsTo = /* @__PURE__ */ summaryRow({
  name: 'statsTo',
  flag: '--stats-to <file>',
  isOfCommand: true,
  kind: 'text',
  help: 'write the summary to a file as JSON',
});

export const report = /* @__PURE__ */ eventRow({
  name: 'report',
  flag: '--report <file>',
  isOfCommand: true,
  kind: 'text',
  help: 'write a page of HTML that shows what was dropped, by input, in samples and in figures',
});

export const logFormat = /* @__PURE__ */ summaryRow({
  name: 'logFormat',
  flag: '--log-format <format>',
  isOfCommand: true,
  kind: 'word',
  words: ['text', 'json'],
  default: 'text',
  help: 'format of messages (default: {default}): {words}',
});

export const progress = /* @__PURE__ */ eventRow({
  name: 'progress',
  flag: '--no-progress',
  isOfCommand: true,
  kind: 'presence',
  gives: false,
  default: true,
  help: 'do not show a progress bar',
});

export const signal = /* @__PURE__ */ summaryRow({
  name: 'signal',
  kind: 'signal',
  help: 'ends the run in order',
});

export const onReady = /* @__PURE__ */ eventRow({
  name: 'onReady',
  kind: 'function',
  help: 'called when everything is ready for the first record',
});

export const onWarning = /* @__PURE__ */ summaryRow({
  name: 'onWarning',
  kind: 'function',
  help: 'called with each warning',
});

export const onProgress = /* @__PURE__ */ eventRow({
  name: 'onProgress',
  kind: 'function',
  help: 'called after every chunk',
});

export const onElements = {
  name: 'onElements',
  group: 'report',
  kind: 'function',
  help: 'called with the fingerprints of every batch before they are observed',
  jobs: ['exact'],
} as const satisfies OptionRow;

export const onFailure = /* @__PURE__ */ summaryRow({
  name: 'onFailure',
  kind: 'function',
  help: 'called with the summary of a run that fails',
});

export const onReview = /* @__PURE__ */ eventRow({
  name: 'onReview',
  kind: 'function',
  help: 'called at the end with counts by input, samples and the largest clusters',
});

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
