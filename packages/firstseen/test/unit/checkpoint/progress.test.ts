import { expect, test } from 'vitest';
import type { RunNote } from '../../../src/checkpoint/note.js';
import { Progress } from '../../../src/checkpoint/progress.js';
import { noCounts } from '../../../src/framing/counts.js';
import type { InputPosition, InputReader, Source } from '../../../src/io/source.js';
import { asPipe, messagesOf, readTo, runNoteOf } from '../run/support.js';

const outputs = [{ path: 'out', isCompressed: false }];
const sources = [messagesOf('one', 'a\nb\n'), messagesOf('two', 'c\n')];
const start = { sources, outputs, emit: 'distinct' as const, partial: 'wait' as const, starts: [], resumes: undefined };

function noteAt(changes: Partial<RunNote>): RunNote {
  return runNoteOf(sources, { reads: [readTo(sources[0] as Source, 2)], position: { message: 1 }, ...changes });
}

/** Reads an input to its end. */
async function readAll(reader: InputReader): Promise<void> {
  while ((await reader.read(new Uint8Array(16))) > 0);
}

test('moves from one input to the next, each from its start', async () => {
  const progress = new Progress(start);
  progress.take({ offset: 4, lines: 2 });
  expect(progress.storedBytesBefore).toBe(0);
  expect(await progress.next()).toBe(true);
  expect([progress.source.name, progress.taken]).toEqual(['two', { offset: 0, lines: 0 }]);
  expect([progress.storedBytesBefore, progress.totalBytes]).toEqual([4, 6]);
  expect(await progress.next()).toBe(false);
});

test('a snapshot contains the position of the input and does not change later', async () => {
  const progress = new Progress(start);
  await readAll(await progress.open());
  progress.take({ offset: 2, lines: 1 });
  const note = await progress.snapshot(noCounts);
  expect(note).toEqual(noteAt({}));
  progress.take({ offset: 4, lines: 2 });
  progress.header = 'aWQK';
  expect(note).toEqual(noteAt({}));
});

test('a resumed run starts at the first input of which something is left, where it was', async () => {
  const opened: (InputPosition | undefined)[] = [];
  const [one, two] = [sources[0] as Source, messagesOf('two', 'c\n', opened)];
  const known = [readTo(one, 4, true), readTo(two, 2)] as const;
  const starts = [
    { read: known[0], isRead: true },
    { read: known[1], isRead: false },
  ];
  const resumed = { sources: [one, two], starts, resumes: noteAt({ input: 1, reads: known }) };
  const progress = new Progress({ ...start, ...resumed });
  expect([progress.source.name, progress.taken]).toEqual(['two', { offset: 2, lines: 1 }]);
  await progress.open();
  await progress.openAtStart();
  expect(opened).toEqual([{ message: 1 }, undefined]);
  expect(await progress.next()).toBe(false);
  expect((await progress.snapshot(noCounts)).reads).toEqual(known);
});

test('what was read of other inputs, and of one that was replaced, stays known', async () => {
  const other = readTo(messagesOf('other', 'x\n'), 2, true);
  const progress = new Progress({ ...start, resumes: noteAt({ reads: [other] }) });
  await readAll(await progress.open());
  progress.take({ offset: 4, lines: 2 });
  progress.endInput(true);
  const before = await progress.snapshot(noCounts);
  const opened: (InputPosition | undefined)[] = [];
  progress.replace([messagesOf('one', 'new\n', opened)], [undefined], before.reads);
  expect(progress.taken).toEqual({ offset: 0, lines: 0 });
  expect((await progress.snapshot(noCounts)).reads).toEqual(before.reads);
  await progress.open();
  expect(opened).toEqual([undefined]);
  const { reads } = await progress.snapshot(noCounts);
  expect(reads.map(({ input, offset, isWhole }) => [input.storedBytes, offset, isWhole])).toEqual([
    [2, 2, true],
    [4, 4, true],
    [4, 0, false],
  ]);
});

test('a resumed input that cannot be read again starts with the next data', async () => {
  const opened: (InputPosition | undefined)[] = [];
  const pipe = asPipe(messagesOf('one', 'a\nb\n', opened));
  const starts = [{ read: readTo(pipe, 2), isRead: false }];
  const progress = new Progress({ ...start, sources: [pipe], starts, resumes: noteAt({}) });
  await progress.open();
  expect([opened, progress.taken]).toEqual([[undefined], { offset: 0, lines: 0 }]);
  expect(progress.totalBytes).toBeUndefined();
});

test('a position after what was read, or before the last one, is refused, and the position stays', async () => {
  const progress = new Progress(start);
  const reader = await progress.open();
  await reader.read(new Uint8Array(16));
  progress.take({ offset: 2, lines: 1 });
  for (const offset of [3, 4, 1]) {
    expect(() => progress.take({ offset, lines: 1 })).toThrow(
      expect.objectContaining({
        code: 'E_INVARIANT',
        message: expect.stringContaining(
          `the position in an input rises, and is in what was read, but input is "one", offset is ${offset}, before is 2, readOffset is 2;`,
        ),
      }),
    );
  }
  expect(await progress.snapshot(noCounts)).toEqual(noteAt({}));
  await readAll(reader);
  progress.take({ offset: 4, lines: 2 });
  expect(progress.taken).toEqual({ offset: 4, lines: 2 });
});
