// The keys of the texts of a record. Several texts, and those of all items of an array, become one, with a boundary between them.

import { type FormatName, recordFormats } from './formats.js';
import { hasEveryItem, parseKeyPath } from './keypath.js';

/** The keys of records that are texts, which become one, with a boundary between them. */
export interface JoinedTexts {
  /** Their number. They are the first keys. */
  count: number;
  /** True if a value that is neither a string nor null is left as it is, in place of all texts. */
  areStrings: boolean;
}

/** One key, or several ones. */
export type TextKeys = string | readonly string[];

export function keysOfTexts(given: TextKeys): readonly string[] {
  return typeof given === 'string' ? [given] : given;
}

/** Joins the texts at these keys; undefined if there is one text as it is. @throws FirstseenError E_USAGE for a key that is not a path. */
export function joinedTexts(
  keys: readonly string[],
  format: FormatName,
  { areStrings }: Pick<JoinedTexts, 'areStrings'>,
): JoinedTexts | undefined {
  const hasLists = recordFormats[format].keys === 'paths' && keys.some((key) => hasEveryItem(parseKeyPath(key)));
  return keys.length > 1 || hasLists ? { count: keys.length, areStrings } : undefined;
}
