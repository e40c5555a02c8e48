// The beginnings of texts, as they are held for a report.

import type { Excerpt, ReviewedRecord } from './facts.js';

/** The text of a record of a cluster, in characters. */
const CLUSTER_TEXT_LENGTH = 200;

/** A mark at the beginning of a text is a part of it. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The first byte of a character of UTF-8 is none of these. */
function isContinued(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The text in [start, end), at most so many bytes of it, up to the end of a character. */
export function excerptOf(bytes: Uint8Array, start: number, end: number, maxBytes: number): Excerpt {
  let last = Math.min(end, start + maxBytes);
  if (last < end) while (last > start && isContinued(bytes[last])) last--;
  // A copy, because a decoder may refuse the memory that threads share.
  const text = decoder.decode(bytes.slice(start, last));
  return { text, bytes: end - start, isCut: last < end };
}

/** A shorter beginning of the same text. */
export function shortened({ text, bytes, isCut }: Excerpt, maxCharacters: number): Excerpt {
  if (text.length <= maxCharacters) return { text, bytes, isCut };
  const beginning = text.slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, '');
  // A copy, because a part of a string keeps all of it in memory.
  return { text: decoder.decode(new TextEncoder().encode(beginning)), bytes, isCut: true };
}

/** A record with the text that is held of each member of a cluster. */
export function shortRecord({ excerpt, ...place }: ReviewedRecord): ReviewedRecord {
  return { ...place, excerpt: excerpt && shortened(excerpt, CLUSTER_TEXT_LENGTH) };
}
