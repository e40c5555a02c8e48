// The end of a text within the texts of a record, which are compared as one document.

import { findByte } from './bytes';

/** The byte between two texts: the unit separator of ASCII. No shingle and no passage goes beyond it. */
export const TEXT_BOUNDARY: u32 = 0x1f;

/** The end of the text that begins at `start`: at the boundary after it, or `end`. Up to 15 bytes after `end` may be read. */
export function textEndFrom(start: u32, end: u32): u32 {
  return findByte(start, end, TEXT_BOUNDARY);
}
