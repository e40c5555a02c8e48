// Where the scanner says that a key stands, as the text of a document and its name.

import type { Kernel } from '../kernel/kernel.js';

/** A document in the kernel's memory. */
export interface PlacedDocument {
  start: number;
  end: number;
  /** Where its name stands, if it has one. */
  id?: [start: number, end: number];
}

export type PlaceReader = (start: number, end: number) => PlacedDocument;

const QUOTE = 0x22;
const LENGTH_BYTES = 8;

/** A string of JSON stands between its quotes, with its escapes undone; any other value is taken as it is written. */
function withoutQuotes(kernel: Kernel, start: number, end: number): [number, number] {
  const isString = end - start >= 2 && kernel.bytes[start] === QUOTE;
  return isString ? [start + 1, end - 1] : [start, end];
}

/**
 * How a key is read: the text alone, or the text and the name, each behind its length, as composite keys are laid out.
 * @param hasQuotes whether strings stand between quotes
 */
export function placeReader(kernel: Kernel, hasQuotes: boolean, hasId: boolean): PlaceReader {
  const bare = (start: number, end: number): [number, number] =>
    hasQuotes ? withoutQuotes(kernel, start, end) : [start, end];
  if (!hasId) {
    return (start, end) => {
      const [textStart, textEnd] = bare(start, end);
      return { start: textStart, end: textEnd };
    };
  }
  const view = new DataView(kernel.bytes.buffer);
  return (start, end) => {
    const textStart = start + LENGTH_BYTES;
    const textEnd = textStart + view.getUint32(start, true);
    const [from, to] = bare(textStart, textEnd);
    return { start: from, end: to, id: bare(textEnd + LENGTH_BYTES, end) };
  };
}
