// The options and the summary of a run over passages.

import { defaultsOf } from '../../options/defaults.js';
import { type RunNames, sharedRowsOf } from '../../options/names.js';
import { textKey } from '../../options/near.js';
import type { passageEmit } from '../../options/passages.js';
import type { PassageUnit } from '../../passages/cutting.js';
import type { PlannedOptions } from '../../plan/auto.js';
import { type InputFormatName, inputFormatNames, recordFormatOf, recordFormats } from '../../records/formats.js';
import type { TextKeys } from '../../records/texts.js';
import type { SharedOptions } from '../../run/runoptions.js';
import type { RunStats } from '../../run/stats.js';

/**
 * The content of the output. `spans`: a line for each record, with the places of its seen passages. `rewritten`: the
 * records without their seen passages. `documents`: the records of which a small share was seen, unchanged.
 */
export type PassageEmission = (typeof passageEmit.words)[number];

/** Formats whose records have a text in a field that is found by its name. */
export const passageFormats: readonly InputFormatName[] = inputFormatNames.filter((format) =>
  ['paths', 'columns', 'headers'].includes(recordFormats[recordFormatOf(format)].keys),
);

/** The options that jobs share. */
type Shared = Pick<SharedOptions, Extract<Exclude<RunNames<'passages'>, 'emit'>, keyof SharedOptions>>;

export interface PassageOptions extends Shared {
  /** `ndjson`, `csv`, `tsv`, `warc`, `parquet` or `json`; guessed from the names of the inputs by default. */
  format?: InputFormatName | undefined;
  /** `paragraph` by default. */
  by?: PassageUnit | undefined;
  /** The text between two paragraphs; a newline by default. */
  separator?: string | undefined;
  /** Words of an n-gram; 13 by default. */
  ngram?: number | undefined;
  /** The share of the n-grams of a paragraph from which on it counts as seen; 0.8 by default. */
  overlap?: number | undefined;
  /** Passages of fewer characters are not compared; 0 by default. */
  minLength?: number | undefined;
  /** Passages of fewer words are not compared; 0 by default. */
  minWords?: number | undefined;
  /** Do not compare passages of blanks; false by default. */
  skipEmpty?: boolean | undefined;
  /**
   * The key of a record's text, or the keys of several texts, which are compared together: a path in JSON and Parquet, a column in CSV;
   * `text` by default, and `block` in WARC.
   */
  textKey?: TextKeys | undefined;
  /** The key that names a record in `spans`; `id` by default, and `url` in WARC. */
  idKey?: string | undefined;
  /** Files with test items, or folders of them: texts are compared with their n-grams, and not with earlier texts. */
  against?: readonly string[] | undefined;
  /** The share of the n-grams of an item from which on a text contains it; any n-gram by default. */
  itemShare?: number | undefined;
  /** The key of an item's text; `textKey` by default. */
  itemTextKey?: TextKeys | undefined;
  /** The key that names an item; `id` by default, or the number of an item that has none. */
  itemIdKey?: string | undefined;
  /** With `against` and `rewritten`, characters that are removed on either side of n-grams; 200 by default. */
  margin?: number | undefined;
  /** `spans` by default. */
  emit?: PassageEmission | undefined;
  /** The name of the attribute in `spans`; `duplicates` by default. */
  attribute?: string | undefined;
  /** With `rewritten`, records whose text has fewer characters left are dropped; 1 by default. */
  minDocument?: number | undefined;
  /** With `documents`, the share of the characters of a text from which on its record is dropped; 0.8 by default. */
  documentShare?: number | undefined;
  /** Write `spans` as Dolma 1.2.1 does, also where it is wrong; false by default. */
  dolmaQuirks?: boolean | undefined;
  /** With a state, options that are absent are taken from the state. */
  detector?: PlannedOptions | undefined;
  /** As in a run over records. */
  onFailure?: ((stats: PassageStats) => void) | undefined;
}

/** The default of every option of the job's own that has one. */
export const passageDefaults = { ...defaultsOf(sharedRowsOf('passages')), textKey: textKey.default };

export interface ItemCounts {
  items: number;
  found: number;
  leftOut: number;
}

/** The statistics that the summary of the command shows under `passages`. All counts are those of this run. */
export interface PassageRunStats {
  by: PassageUnit;
  /** Words of an n-gram; null unless n-grams are compared. */
  ngram: number | null;
  /** Texts that were compared. */
  documents: number;
  /** Texts with at least one passage that was seen before. */
  documentsWithSeen: number;
  /** Records that were dropped, because of the length that is left or the share that was seen. */
  documentsDropped: number;
  /** Texts of blanks alone, or without characters. */
  documentsBlank: number;
  /** Other texts of which no passage was compared, because all were left out. */
  documentsUncompared: number;
  /** Other texts of which all passages but blank ones were seen. */
  documentsEmptied: number;
  /** Passages that were compared. */
  passages: number;
  /** Passages that were seen before. */
  seen: number;
  /** Characters of the texts. */
  characters: number;
  /** Characters of the passages that were seen, which rewritten records are without. */
  seenCharacters: number;
  /** Test items, those that texts contain, and those that have too few words to be looked for; null without `against`. */
  items: ItemCounts | null;
}

export interface PassageStats extends RunStats {
  passages: PassageRunStats;
}
