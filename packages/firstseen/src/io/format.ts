// The contract of a format of files: which source reads it, which sink writes it, and what a run can do with it. The formats are
// rows of formats.ts.

import type { FormatName, InputFormatName } from '../records/formats.js';
import type { KeyPath } from '../records/keypath.js';
import type { Emission } from './policies.js';
import type { FolderNames, OutputNote, SinkKind } from './sink.js';
import type { PathKind, Source } from './source.js';

/** The keys of a run, and where its records have their times. */
export interface AskedColumns {
  keys: readonly KeyPath[];
  /** The fields of a time; none if records have no times. */
  timeKeys: readonly KeyPath[];
}

/** An output as the options of a run describe it. */
export interface AskedOutput extends FolderNames {
  isCompressed: boolean;
  emit: Emission;
  annotate?: string | undefined;
  sources: readonly Source[];
  /** True if the output is the main one, and not that of the duplicates. */
  isMain: boolean;
}

/** A format of files: a row of the registry. */
export interface FileFormat {
  readonly name: InputFormatName;
  /** The format as which its records are scanned. */
  readonly records: FormatName;
  /** The endings of names of such files, without that of a compression. */
  readonly endings: readonly string[];
  /** True if its files hold binary numbers, so that their first bytes do not show a compression. */
  readonly isBinary: boolean;
  /** The kinds of source that read a path, in the order in which they are asked. */
  readonly sources: readonly PathKind[];
  /** The kinds of sink that write it. */
  readonly sinks: readonly SinkKind[];
  /** The reason why its files cannot be followed: `a Parquet file, which never grows`. Absent if they can. */
  readonly whyNotFollowed?: string;
  /** True if its files hold an array, as an output of records from such files alone does; false by default. */
  readonly isArray?: boolean;
  /** The properties of a format whose files do not hold their records as they are. Other formats have none. */
  readonly container?: Container;
}

/**
 * The properties that a run has to know of a format whose files do not hold their records as they are. A file is valid
 * only when it is complete.
 */
export interface Container {
  /** The name of an output until it is complete. */
  temporaryPath(path: string): string;
  /** The reason why a run cannot add to an earlier output: `nothing can be added to a Parquet file`. */
  readonly whyNotContinued: string;
  /** The reason why nothing is written with a record: `Parquet, whose rows are copied as they are`. */
  readonly whyNotExtended: string;
  /**
   * Checks the keys of a run against what a file says about itself.
   * @returns whether the times of its records have no zone, so that they are written as the time format `iso`
   * @throws FirstseenError E_USAGE for a key that the file does not have.
   */
  checkColumns(source: Source, columns: AskedColumns): boolean;
  /** @throws FirstseenError when an output cannot have this format with these inputs and options. */
  checkOutput(path: string, asked: AskedOutput): void;
}

/** Tells if an output gets this format by its name. */
export function isNamedSo({ endings }: Pick<FileFormat, 'endings'>, { path }: Pick<OutputNote, 'path'>): boolean {
  const name = path?.toLowerCase();
  return name !== undefined && endings.some((ending) => name.endsWith(ending));
}
