import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { heldOutputOf, knownRunOf } from '../../../src/checkpoint/matches.js';
import type { RunNote, StateNote } from '../../../src/checkpoint/note.js';
import { noCounts } from '../../../src/framing/counts.js';
import type { InputComparison, Source } from '../../../src/io/source.js';
import { OpenStores } from '../../../src/io/store/openstores.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { asPipe, messagesOf, readTo, runNoteOf } from '../run/support.js';

const one = messagesOf('one', 'a\nb\n');
const two = messagesOf('two', 'c\n');
const outputs = [{ path: 'out', isCompressed: false }];

function runOf(sources: readonly Source[], changes: Partial<RunNote> = {}): RunNote {
  const reads = sources.map((source) => readTo(source, 2, true));
  return runNoteOf(sources, { reads, isFinished: true, ...changes });
}

const stateOf = (run: RunNote, ...finishedRuns: RunNote[]): StateNote => ({
  ...{ key: { format: 'lines', keys: [] }, asked: {}, totals: noCounts, run, finishedRuns },
});

/** The source, with an answer to every comparison; `asked` lists the offsets around which bytes are read. */
function compared(source: Source, comparison: InputComparison, asked: number[] = []): Source {
  const bytesAround = async (offset: number) => {
    asked.push(offset);
    return Uint8Array.of(0x0a, 0x61);
  };
  return { ...source, compare: async () => comparison, bytesAround };
}

const request = (sources: readonly Source[], changes = {}) => ({
  ...{ sources, outputs, emit: 'distinct' as const },
  ...changes,
});

test('each input is matched with what was read of it, in any order; an additional input is new', async () => {
  const known = await knownRunOf(stateOf(runOf([one, two])), request([two, messagesOf('three', ''), one]));
  expect(known?.known.map((input) => input?.read.input.path)).toEqual(['two', undefined, 'one']);
});

test('a finished run is found by its outputs and one of its inputs, the latest first', async () => {
  const other = [{ path: 'other', isCompressed: false }];
  const first = runOf([one]);
  const state = stateOf(runOf([two], { outputs: other }), first, runOf([two]));
  expect((await knownRunOf(state, request([one])))?.run).toBe(first);
  expect((await knownRunOf(state, request([two])))?.run).toBe(state.finishedRuns[1]);
  expect(await knownRunOf(state, request([messagesOf('three', '')]))).toBeUndefined();
  expect(await knownRunOf(state, request([one], { emit: 'verdicts' }))).toBeUndefined();
  expect(await knownRunOf(state, request([one], { outputs: other }))).toBeUndefined();
});

test('a changed input continues a finished run to a file, but not one to standard output', async () => {
  const changed = compared(one, 'other');
  const known = await knownRunOf(stateOf(runOf([one])), request([changed]));
  expect(known).toMatchObject({ known: [undefined], replaced: ['one'] });
  const standard = [{ path: null, isCompressed: false }];
  const state = stateOf(runOf([one], { outputs: standard }));
  expect(await knownRunOf(state, request([changed], { outputs: standard }))).toBeUndefined();
  expect((await knownRunOf(state, request([one], { outputs: standard })))?.run).toBe(state.run);
});

test('a finished run over an input that cannot be reread is not continued', async () => {
  const pipe = asPipe(one);
  expect(await knownRunOf(stateOf(runOf([pipe])), request([pipe]))).toBeUndefined();
  expect(await knownRunOf(stateOf(runOf([pipe], { isFinished: false })), request([pipe]))).toBeDefined();
});

test('a file that log rotation has renamed comes before the file that took its name', async () => {
  const moved = compared(messagesOf('one.1', 'a\nb\nc\n'), 'grown');
  const file = {
    path: 'one.1',
    inode: '1:1',
    storedBytes: 6,
    modifiedMilliseconds: 0,
    look: async () => moved,
    isBeginningOf: async () => false,
    isRecognized: true,
  };
  const fresh = { ...compared(one, 'other'), rotated: async () => [file] };
  const known = await knownRunOf(stateOf(runOf([one])), request([fresh]));
  expect(known?.sources).toEqual([moved, fresh]);
  expect(known?.known.map((input) => input?.comparison)).toEqual(['grown', undefined]);
  expect(known?.replaced).toEqual([]);
});

test('the bytes around the end are read only of an input that was read whole and has grown', async () => {
  const asked: number[] = [];
  const around = async (run: RunNote, source: Source) => {
    const known = await knownRunOf(stateOf(run), request([source]));
    return known?.known[0]?.bytesAround.length;
  };
  expect(await around(runOf([one]), compared(one, 'grown', asked))).toBe(2);
  expect(asked).toEqual([2]);
  expect(await around(runOf([one]), compared(one, 'same', asked))).toBe(0);
  expect(await around(runOf([one], { reads: [readTo(one, 2)] }), compared(one, 'grown', asked))).toBe(0);
  expect(await around(runOf([one], { reads: [readTo(one, 0, true)] }), compared(one, 'grown', asked))).toBe(0);
  expect(asked).toEqual([2]);
});

test('an output that is not empty is found', async () => {
  const folder = temporaryFolder(onTestFinished);
  const [held, empty, none] = ['held', 'empty', 'none'].map((name) => ({
    path: join(folder, name),
    isCompressed: false,
  })) as [(typeof outputs)[0], (typeof outputs)[0], (typeof outputs)[0]];
  writeFileSync(held.path, 'a\n');
  writeFileSync(empty.path, '');
  expect(await heldOutputOf([none, empty, held], new OpenStores())).toBe(held);
  expect(await heldOutputOf([none, empty, { path: null, isCompressed: false }], new OpenStores())).toBeUndefined();
});
