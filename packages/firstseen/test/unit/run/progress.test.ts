import { expect, test } from 'vitest';
import { noCounts } from '../../../src/run/counts.js';
import { Progress } from '../../../src/run/progress.js';
import type { RunNote } from '../../../src/run/state/note.js';
import { messagesOf } from './support.js';

const outputs = [{ path: 'out', isCompressed: false }];
const sources = [messagesOf('one', 'a\nb\n'), messagesOf('two', 'c\n')];
const start = { sources, outputs, emit: 'distinct' as const, resumes: undefined };

function noteAt(changes: Partial<RunNote>): RunNote {
  return {
    ...{ inputs: sources.map(({ note }) => note), outputs, emit: 'distinct', input: 0, offset: 2, lines: 1 },
    ...{ position: { message: 1 }, header: null, positions: [], counts: noCounts, isFinished: false },
    ...changes,
  };
}

test('moves from one input to the next, each from its start', () => {
  const progress = new Progress(start);
  progress.take({ offset: 4, lines: 2 });
  expect(progress.storedBytesBefore).toBe(0);
  expect(progress.next()).toBe(true);
  expect([progress.source.name, progress.taken, progress.start]).toEqual(['two', { offset: 0, lines: 0 }, undefined]);
  expect([progress.storedBytesBefore, progress.totalBytes]).toEqual([4, 6]);
  expect(progress.next()).toBe(false);
});

test('a snapshot contains the position of the input and does not change later', async () => {
  const progress = new Progress(start);
  progress.take({ offset: 2, lines: 1 });
  const note = await progress.snapshot(noCounts);
  expect(note).toEqual(noteAt({}));
  progress.take({ offset: 4, lines: 2 });
  progress.header = 'aWQK';
  expect(note).toEqual(noteAt({}));
});

test('a resumed run starts at the position in the state', () => {
  const { source, start: position, taken } = new Progress({ ...start, resumes: noteAt({ input: 1 }) });
  expect([source.name, position, taken]).toEqual(['two', { message: 1 }, { offset: 2, lines: 1 }]);
});

test('a resumed input that cannot be read again starts with the next data', () => {
  const [first] = sources as [(typeof sources)[0]];
  const pipe = { ...first, note: { ...first.note, isFile: false } };
  const progress = new Progress({ ...start, sources: [pipe], resumes: noteAt({}) });
  expect([progress.start, progress.taken]).toEqual([undefined, { offset: 0, lines: 0 }]);
  expect(progress.totalBytes).toBeUndefined();
});
