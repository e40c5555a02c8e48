// All options of the commands that work on records, in the order of the help.

import { detectorOptions, isUntrusted, secretFile, threads, witness, witnessMemory } from './detector.js';
import { taskOptions } from './engines.js';
import { itemOptions, itemRecordOptions } from './items.js';
import { motifOptions } from './motifs.js';
import { documentOptions, explain, keptDocument, nearOptions } from './near.js';
import { passageFormat, passageIdKey, passageOptions, passageOutputOptions, passageThreads } from './passages.js';
import { filesFrom, keyOptions, recordOptions, shard } from './records.js';
import type { JobName, OptionRow } from './row.js';
import {
  eventOptions,
  isUnbuffered,
  keptOptions,
  onProgress,
  onReady,
  onReview,
  onWarning,
  outputOptions,
  progress,
  signal,
  stateOptions,
  summaryOptions,
} from './run.js';

export const optionRows = [
  ...nearOptions,
  ...passageOptions,
  ...itemOptions,
  ...detectorOptions,
  ...keyOptions,
  passageFormat,
  ...documentOptions,
  passageIdKey,
  ...itemRecordOptions,
  passageThreads,
  ...recordOptions,
  filesFrom,
  ...motifOptions,
  ...outputOptions,
  ...passageOutputOptions,
  ...keptOptions,
  isUnbuffered,
  explain,
  keptDocument,
  ...stateOptions,
  ...taskOptions,
  ...summaryOptions,
  witness,
  witnessMemory,
  progress,
  ...eventOptions,
] as const;

type Row = (typeof optionRows)[number];

/** The name of any option. */
export type OptionName = Row['name'];

/** The rows of the options that a job takes. */
export type RowOf<Job extends JobName> = Row extends infer One
  ? One extends { readonly jobs: readonly (infer Jobs)[] }
    ? Job extends Jobs
      ? One
      : never
    : never
  : never;

export type OptionRows = readonly OptionRow[];

/** The options that a job takes, in the order of its help. */
export function optionsOf(job: JobName): OptionRows {
  const rows: OptionRows = optionRows;
  return rows.filter(({ jobs }) => jobs.includes(job));
}

/** The options that a run takes, whatever its job is. */
export const runRows = [
  secretFile,
  isUntrusted,
  threads,
  shard,
  ...recordOptions,
  ...outputOptions,
  ...stateOptions,
  signal,
  onReady,
  onWarning,
  onProgress,
  onReview,
] as const;
