// The options and the summary of a run over documents.

import type { WindowBand } from '../../detectors/contract.js';
import type { NearOptions } from '../../near/settings.js';
import { endsPathsByZero, textKey } from '../../options/near.js';
import { type InputFormatName, inputFormatNames } from '../../records/formats.js';
import type { TextKeys } from '../../records/texts.js';
import type { SharedOptions } from '../../run/runoptions.js';
import type { RunStats } from '../../run/stats.js';

/** Formats of records, each of which holds a document, and `files`, where each file is a document. */
export type DocumentFormat = InputFormatName | 'files';

export const documentFormats: readonly DocumentFormat[] = [...inputFormatNames, 'files'];

export interface DocumentOptions extends Omit<SharedOptions, 'onReady'> {
  /**
   * Paths, in order. A folder is read as its files, ordered by name. Without a format, it is guessed from the names: if there
   * is a folder, or a name that suggests no format of records, each file is a document.
   */
  inputs: readonly string[];
  format?: DocumentFormat;
  /**
   * The key of a record's text, or the keys of several texts, which are compared together; `text` by default in formats with fields, and
   * `block` in WARC.
   */
  textKey?: TextKeys;
  /** The key that names a record as the nearest of another; by default its number among the documents, and in WARC its `url` where names are written. */
  idKey?: string;
  /** True if a zero byte ends the paths of documents that are files, in the output; a newline by default. */
  isZeroTerminated?: boolean;
  /**
   * The rule that decides which document of those that are near to the same one is distinct, and so written: the
   * `first`, by default, the `last`, the `longest` in characters, or with `max:FIELD` or `min:FIELD` the first that has
   * the greatest or least value of a field, which is written like a key. Documents are written in the order of the
   * inputs. With all but `first`, the inputs are read twice.
   */
  keep?: string;
  /** With a state, options that are absent are taken from the state. */
  near?: NearOptions;
  /** As in a run over records. */
  onReady?: ((statsSoFar: () => DocumentStats) => void) | undefined;
  /** As in a run over records. */
  onFailure?: (stats: DocumentStats) => void;
}

/** The default of every option that has one, apart from the options of all runs. */
export const documentDefaults = {
  /** The field with the text of a record. */
  textKey: textKey.default,
  isZeroTerminated: endsPathsByZero.default as boolean,
  near: {} as NearOptions,
} as const;

/** The statistics that the summary of the command shows under `near`. */
export interface NearRunStats {
  lsh: string;
  variant: string;
  similarity: number;
  shingle: string | null;
  hashes: number;
  bands: number;
  rowsPerBand: number;
  agreeing: number;
  /** The rule that decides duplicates: `any`, `count`, `sets` or `sketches`. */
  decision: string;
  /** Bytes of a slot for sketches, by which documents that share a band are verified; null without `verify`. */
  sketchBytes: number | null;
  /** Documents that the table remembers; null without `verify`. */
  remembered: number | null;
  /** The maximum number of sets, and the number opened over all runs. */
  sets: number;
  setsOpened: number;
  add: string;
  /** The highest share of new documents that the table may report as duplicates by chance. */
  tableFpr: number;
  /** Documents observed, and duplicates among them, over all runs. */
  documents: number;
  duplicates: number;
  /** Bytes of the documents in this run, and those of them that have nothing but blanks, which are equal to each other. */
  textBytes: number;
  blank: number;
}

/** A window as `WindowBand`, in documents that are added to the table, or in time. */
export type DocumentWindow =
  | { fromDocuments: number; toDocuments: number }
  | Extract<WindowBand, { fromMilliseconds: number }>;

/** As the summary of records, except that `observed` and `window` count documents, not their bands. */
export interface DocumentStats extends Omit<RunStats, 'window'> {
  window: DocumentWindow | null;
  near: NearRunStats;
}
