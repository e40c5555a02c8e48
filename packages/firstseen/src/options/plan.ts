// The options of plans: those of a run, with what they are for a plan, and those that only a plan has.

import { formatBytes } from '../base/memory.js';
import {
  DEFAULT_MEMORY_BYTES,
  distinctElements,
  fpr,
  gapsElements,
  layout,
  lengthElements,
  memory,
  partitions,
  window,
  windowSlack,
} from './detector.js';
import { comment, delimiter, escapeCharacter, hasHeader, keyChars, keyPattern, quote, skipLines } from './layout.js';
import { bands, distinctDocuments, hashes, similarity, tableMemory } from './near.js';
import { emptyKey, equalityOptions, format, keys, nullKey } from './records.js';
import { commandRow, type OptionRow } from './row.js';
import { confidence, DEFAULT_SHINGLES, sketchBytes } from './verify.js';

/** An option of a run with its help for a plan. A plan shows no default of a run unless it is its own. */
function forPlans<const Row extends OptionRow>(
  row: Row,
  help: string = row.help,
  shownDefault: string | null = null,
): Row {
  return { ...row, help, shownDefault };
}

export const rate = commandRow({
  name: 'rate',
  flag: '--rate <n>',
  kind: 'number',
  help: 'elements per second, for a window that is a duration',
});

export const sample = commandRow({
  name: 'sample',
  flag: '--sample <file>',
  kind: 'text',
  help: 'measure the distinct elements and the gaps of a file, all of it; - is standard input',
});

export const sampleRecords = commandRow({
  name: 'sampleRecords',
  flag: '--sample-records <n>',
  kind: 'whole',
  help: 'read only the first n records, and extrapolate',
});

export const json = commandRow({
  name: 'json',
  flag: '--json',
  kind: 'presence',
  help: 'print the plan as JSON',
});

export const shingles = commandRow({
  name: 'shingles',
  flag: '--shingles <n>',
  kind: 'number',
  default: DEFAULT_SHINGLES,
  help: 'different shingles of a document',
});

/** The options of a run that say what a sample has as elements. */
export const sampleRows = [
  forPlans(format, 'format of the sample'),
  forPlans(keys, 'key of a record in the sample; repeatable', keys.shownDefault),
  ...[keyPattern, keyChars, ...equalityOptions, emptyKey, nullKey].map((row) => forPlans(row)),
  ...[hasHeader, skipLines, comment, delimiter, quote, escapeCharacter].map((row) => forPlans(row)),
];

export const planRows = [
  forPlans(
    memory,
    'memory of the detector; auto: as little as needed',
    `${formatBytes(DEFAULT_MEMORY_BYTES)}, or more if needed`,
  ),
  forPlans(fpr, 'highest rate of false positives', fpr.default.toExponential()),
  forPlans(window, 'find all duplicates within this number of elements, or within a duration such as 1h'),
  forPlans(windowSlack),
  forPlans(partitions, 'parts of the detector, a power of two up to 4096', String(partitions.default)),
  rate,
  ...[forPlans(distinctElements), forPlans(lengthElements)],
  forPlans(gapsElements, 'gaps between duplicates, in elements'),
  ...[sample, sampleRecords, ...sampleRows],
  forPlans(layout, 'only this layout'),
  json,
];

/** The options of a plan for verified near-duplicates. */
export const nearPlanRows = [
  ...[similarity, tableMemory, hashes, bands, confidence],
  forPlans(sketchBytes, 'only sketches of this number of bytes, a multiple of 8'),
  forPlans(distinctDocuments, 'expected number of different documents: recommends a size of sketches'),
  ...[shingles, json],
];
