// What a run reads of inputs that still grow, and what its main output receives. A state keeps both.

import { passageEmit } from '../options/passages.js';
import type { order } from '../options/records.js';
import type { partial } from '../options/run.js';
import type { InputFormatName } from '../records/formats.js';

/** The emissions about near-duplicates that are written in place of records, by the names of the documents. */
export const namingEmissions = ['ids', 'attributes'] as const;

/** The emissions that are written in place of records, which are lost where the output is the input. */
export const emissionsWithoutRecords: readonly string[] = ['verdicts', 'spans', ...namingEmissions];

/** The emissions that a run with a state can write. */
export const emissionsWithState = [
  ...(['distinct', 'duplicates', 'verdicts', 'all', 'annotated'] as const),
  ...namingEmissions,
  ...passageEmit.words,
] as const;

/**
 * The content of the main output: some records, the verdicts, or all records. `unique` and `repeated` are one record of
 * each key that occurs once, or several times, which only a run that spills knows. `annotated` is the old spelling of
 * `all` with the annotation `near`, for near-duplicates. `spans`, `rewritten` and `documents` are what is written of
 * records with seen passages.
 */
export type Emission = (typeof emissionsWithState)[number] | 'unique' | 'repeated';

/** The format of lines that are written in place of records. */
export type WrittenFormat = 'lines' | 'ndjson' | 'tsv';

const writtenFormats: { readonly [Name in Emission]?: WrittenFormat } = {
  verdicts: 'lines',
  ids: 'tsv',
  attributes: 'ndjson',
  spans: 'ndjson',
  rewritten: 'ndjson',
};

/** The format of what is written in place of the records of the inputs; undefined for records in their own format. */
export function writtenFormatOf(emit: Emission, format: InputFormatName): WrittenFormat | undefined {
  return emit === 'rewritten' && format === 'warc' ? undefined : writtenFormats[emit];
}

/** The order in which inputs are read. */
export type InputOrder = (typeof order.words)[number];

/** The policy for a last record that has no end yet. */
export type PartialPolicy = (typeof partial.words)[number];
