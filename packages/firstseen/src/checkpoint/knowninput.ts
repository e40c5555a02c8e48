// An input that was read before, compared with what was read of it.

import type { InputComparison, ReadNote, Source } from '../io/source.js';

/** An input that was read before. */
export interface KnownInput {
  read: ReadNote;
  /** The result of its comparison with the input that was read. */
  comparison: Exclude<InputComparison, 'other'>;
  /** The last byte read, and two bytes after it, if more bytes follow what seemed to be the end; empty otherwise. */
  bytesAround: Uint8Array;
}

/** An input, and what is known of it; nothing if it has not been read yet. */
export interface InputMatch {
  readonly source: Source;
  readonly known: KnownInput | undefined;
}

/** Compares an input with an input that was read before; returns undefined if it is another input. */
export async function knownInput(source: Source, read: ReadNote): Promise<KnownInput | undefined> {
  const comparison = await source.compare(read.input);
  if (comparison === 'other') return undefined;
  const isLonger = comparison === 'grown' && read.isWhole && read.offset > 0;
  const bytesAround = isLonger ? await source.bytesAround(read.offset) : new Uint8Array(0);
  return { read, comparison, bytesAround };
}
