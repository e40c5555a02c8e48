// Inputs in memory, for tests of runs over a kind of input that is not a file.

import type { RunNote } from '../../../src/checkpoint/note.js';
import { noCounts } from '../../../src/framing/counts.js';
import type { FileNote, InputPosition, InputReader, ReadNote, Source } from '../../../src/io/source.js';

/** A reader that returns the given pieces. */
export function readerOf(pieces: readonly Uint8Array[]): InputReader {
  const rest = pieces.filter(({ length }) => length > 0);
  return {
    read: async (target) => {
      const piece = rest.shift() ?? new Uint8Array(0);
      target.set(piece);
      return piece.length;
    },
    storedBytes: () => 0,
    markAt: () => Promise.reject(new Error('not asked for')),
    close: async () => undefined,
  };
}

/** A source of messages in memory. */
export interface MessageSource extends Source {
  positionAt(offset: number): InputPosition;
}

/** The source as one that cannot be read again. */
export function asPipe(source: MessageSource): MessageSource {
  return { ...source, note: { ...(source.note as FileNote), isFile: false } };
}

/** A source whose positions are numbers of messages, one per line. Adds each position at which it is opened to `opened`. */
export function messagesOf(name: string, text: string, opened: (InputPosition | undefined)[] = []): MessageSource {
  const messages = text.split(/(?<=\n)/);
  const note = { path: name, isFile: true, isCompressed: false, storedBytes: text.length, digest: name };
  const positionAt = (offset: number) => ({ message: text.slice(0, offset).split('\n').length - 1 });
  const markAt = async (offset: number) => ({ input: note, position: positionAt(offset) });
  return {
    name,
    note,
    mayGrow: false,
    open: async (position) => {
      opened.push(position);
      const from = (position?.message as number | undefined) ?? 0;
      return { ...readerOf(messages.slice(from).map((message) => new TextEncoder().encode(message))), markAt };
    },
    positionAt,
    markAtStart: () => markAt(0),
    compare: async ({ path }) => (path === name ? 'same' : 'other'),
    bytesAround: async () => new Uint8Array(0),
  };
}

/** How far a source was read. */
export function readTo(source: Source, offset: number, isWhole = false): ReadNote {
  const position = (source as MessageSource).positionAt(offset);
  return { input: source.note, offset, lines: offset / 2, position, isWhole };
}

/** The note of an unfinished run over sources, one line into the first of them. */
export function runNoteOf(sources: readonly Source[], changes: Partial<RunNote>): RunNote {
  return {
    inputs: sources.map(({ note }) => note),
    outputs: [{ path: 'out', isCompressed: false }],
    ...{ emit: 'distinct', partial: 'wait', input: 0, offset: 2, lines: 1 },
    ...{ reads: [], position: undefined, header: null, positions: [], counts: noCounts, isFinished: false },
    ...changes,
  };
}
