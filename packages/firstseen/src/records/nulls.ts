// The meanings of a JSON null as a key.

import { NULL_EMPTY, NULL_MISSING, NULL_VALUE } from '../kernel/abi.js';

/** The meanings, with their numbers in the kernel. */
export const nullMeanings = { empty: NULL_EMPTY, missing: NULL_MISSING, value: NULL_VALUE } as const;
export type NullMeaning = keyof typeof nullMeanings;
