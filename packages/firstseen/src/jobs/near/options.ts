// What a run over documents is asked to do, and what it tells of itself.

import type { NearOptions } from '../../near/settings.js';
import { type FormatName, formatNames } from '../../records/formats.js';
import type { SharedOptions } from '../../run/options.js';
import type { RunStats } from '../../run/stats.js';

/** Formats of records, of which each holds a document, and `files`: each file is one. */
export type DocumentFormat = FormatName | 'files';

export const documentFormats: readonly DocumentFormat[] = [...formatNames, 'files'];

export interface DocumentOptions extends SharedOptions {
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
  /** Patterns for the files of folders, by their path inside: those wanted, and of these those that are not. None when absent. */
  include?: readonly string[];
  exclude?: readonly string[];
  /** Only what is asked for: with a state file, what is absent is taken from it. */
  near?: NearOptions;
  /** As of a run over records. */
  onFailure?: (stats: DocumentStats) => void;
}

/** The default of every option of its own that has one. */
export const documentDefaults = {
  /** The field of a record that is its text. */
  textKey: 'text',
  include: [] as readonly string[],
  exclude: [] as readonly string[],
  near: {} as NearOptions,
} as const;

/** What `--stats=json` prints under `near`. */
export interface NearRunStats {
  lsh: string;
  variant: string;
  similarity: number;
  shingle: string | null;
  hashes: number;
  bands: number;
  rowsPerBand: number;
  agreeing: number;
  /** Which documents are duplicates: `any`, `count` or `sets`. */
  decision: string;
  /** At most so many sets, and how many were opened over all runs. */
  sets: number;
  setsOpened: number;
  add: string;
  /** Share of new documents that the table was asked to report at most for the chance alone. */
  tableFpr: number;
  /** Documents observed, and of these duplicates, over all runs. */
  documents: number;
  duplicates: number;
  /** Bytes of the documents of this run. */
  textBytes: number;
}

export interface DocumentStats extends RunStats {
  near: NearRunStats;
}
