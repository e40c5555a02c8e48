// What a run over documents is asked to do, and what it tells of itself.

import type { NearOptions } from '../../near/settings.js';
import { type FormatName, formatNames } from '../../records/formats.js';
import type { RunOptions, RunStats } from '../../run/options.js';

/** Formats of records, of which each holds a document, and `files`: each file is one. */
export type DocumentFormat = FormatName | 'files';

export const documentFormats: readonly DocumentFormat[] = [...formatNames, 'files'];

export interface DocumentOptions extends Omit<RunOptions, 'format' | 'keys' | 'detector' | 'onElements' | 'onFailure'> {
  /**
   * Paths, in order. A folder stands for the files in it, in the order of their names. Guessed from the names when no format is
   * given: where there is a folder, or a name that no format of records has, each file is a document.
   */
  inputs: readonly string[];
  format?: DocumentFormat;
  /** Where a record has its text, `text` by default in formats that have fields. */
  textKey?: string;
  /** What names a record where it is found the nearest of another; its number among the documents when absent. */
  idKey?: string;
  /** Patterns for the files of folders, by their path inside: those wanted, and of these those that are not. */
  include: readonly string[];
  exclude: readonly string[];
  near: NearOptions;
  /** As of a run over records. */
  onFailure?: (stats: DocumentStats) => void;
}

/** What `--stats=json` prints under `near`. */
export interface NearRunStats {
  lsh: string;
  variant: string;
  similarity: number;
  shingle: string | null;
  hashes: number;
  bands: number;
  rows_per_band: number;
  agreeing: number;
  /** Which documents are duplicates: `any`, `count` or `sets`. */
  decision: string;
  /** At most so many sets, and how many were opened over all runs. */
  sets: number;
  sets_opened: number;
  add: string;
  /** Share of new documents that the table was asked to report at most for the chance alone. */
  table_fpr: number;
  /** Documents observed, and of these duplicates, over all runs. */
  documents: number;
  duplicates: number;
  /** Bytes of the documents of this run. */
  text_bytes: number;
}

export interface DocumentStats extends RunStats {
  near: NearRunStats;
}
