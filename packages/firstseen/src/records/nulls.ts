// The meanings of a JSON null as a key.

import { NULL_EMPTY, NULL_MISSING, NULL_VALUE } from '../kernel/abi.js';
import type { nullKey } from '../options/records.js';

/** The meanings, with their numbers in the kernel. */
export const nullMeanings: Readonly<Record<NullMeaning, number>> = {
  empty: NULL_EMPTY,
  missing: NULL_MISSING,
  value: NULL_VALUE,
};
export type NullMeaning = (typeof nullKey.words)[number];
