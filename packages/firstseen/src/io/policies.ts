// What a run reads of inputs that still grow, and what its main output receives. A state keeps both.

import type { partial } from '../options/run.js';

/**
 * What the main output receives: some records, the verdicts, or all records. `unique` and `repeated` are one record of each key that
 * occurs once, or several times, which only a run that spills knows. `annotated` is the old spelling of `all` with the
 * annotation `near`, for near-duplicates. `spans`, `rewritten` and `documents` are what is written of records with seen passages.
 */
export type Emission =
  | ('distinct' | 'duplicates' | 'unique' | 'repeated' | 'verdicts' | 'all' | 'annotated')
  | ('spans' | 'rewritten' | 'documents');

/** What to do with a last record that has no end yet. */
export type PartialPolicy = (typeof partial.words)[number];
