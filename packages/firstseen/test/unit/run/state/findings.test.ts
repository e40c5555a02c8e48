import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { noCounts } from '../../../../src/run/counts.js';
import type { Source } from '../../../../src/run/input/contract.js';
import { findingsOf } from '../../../../src/run/state/findings.js';
import type { RunNote } from '../../../../src/run/state/note.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { messagesOf } from '../support.js';

const sources = [messagesOf('one', 'a\nb\n'), messagesOf('two', 'c\n')];

function noteOf(changes: Partial<RunNote> = {}): RunNote {
  return {
    ...{ inputs: sources.map(({ note }) => note), outputs: [], emit: 'distinct', input: 1, offset: 2, lines: 1 },
    ...{ position: undefined, header: null, positions: [], counts: noCounts, isFinished: true },
    ...changes,
  };
}

function grown(source: Source, asked: number[]): Source {
  const bytesAround = async (offset: number) => {
    asked.push(offset);
    return Uint8Array.of(0x0a, 0x61);
  };
  return { ...source, compare: async () => 'grown', bytesAround };
}

test('every input is compared with the input of the same index; an additional input is another input', async () => {
  const { comparisons } = await findingsOf(noteOf(), [...sources, messagesOf('three', '')], []);
  expect(comparisons).toEqual(['same', 'same', 'other']);
});

test('the bytes around the end of an input are read only if the run is finished and its last input has grown', async () => {
  const asked: number[] = [];
  const [one, two] = sources as [Source, Source];
  const around = async (note: RunNote, now: readonly Source[]) => (await findingsOf(note, now, [])).bytesAround.length;
  expect(await around(noteOf(), [one, grown(two, asked)])).toBe(2);
  expect(asked).toEqual([2]);
  expect(await around(noteOf({ isFinished: false }), [one, grown(two, asked)])).toBe(0);
  expect(await around(noteOf({ offset: 0 }), [one, grown(two, asked)])).toBe(0);
  expect(await around(noteOf(), [grown(one, asked), two])).toBe(0);
  expect(asked).toEqual([2]);
});

test('an output of the last run that is not empty is found', async () => {
  const folder = temporaryFolder(onTestFinished);
  const [held, empty] = ['held', 'empty'].map((name) => ({ path: join(folder, name), isCompressed: false }));
  writeFileSync(held?.path as string, 'a\n');
  writeFileSync(empty?.path as string, '');
  const outputs = [held, empty] as [{ path: string; isCompressed: boolean }, { path: string; isCompressed: boolean }];
  const note = noteOf({ outputs });
  expect((await findingsOf(note, sources, [outputs[0]])).heldOutput).toBe(outputs[0].path);
  expect((await findingsOf(note, sources, [outputs[1]])).heldOutput).toBeUndefined();
  expect((await findingsOf(noteOf(), sources, [outputs[0]])).heldOutput).toBeUndefined();
  expect((await findingsOf(note, sources, [{ path: null, isCompressed: false }])).heldOutput).toBeUndefined();
});
