import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeState } from '../../../src/checkpoint/describe.js';
import type { RunNote } from '../../../src/checkpoint/note.js';
import { inNotedOrder } from '../../../src/checkpoint/order.js';
import { RunState, readState } from '../../../src/checkpoint/runstate.js';
import { Detector } from '../../../src/detectors/detector.js';
import type { Source } from '../../../src/io/source.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { requiresPosix } from '../../support/platform.js';
import { messagesOf, runNoteOf } from '../run/support.js';
import { note, noteIn, partOf } from './support.js';

let path = '';
let state: RunState;

beforeEach(async () => {
  path = join(temporaryFolder(), 'state');
  state = await RunState.open(path);
});

afterEach(() => state.close());

async function detectorOf(...keys: string[]): Promise<Detector> {
  const detector = await Detector.create({ algorithm: 'exact', memory: 4096 });
  for (const key of keys) detector.observe(key);
  return detector;
}

async function write(...keys: string[]): Promise<void> {
  await state.save(await detectorOf(...keys), note);
}

test('a state that is written and read again is the same', async () => {
  await write('a', 'b');
  const saved = await readState(path);
  expect(saved?.note).toEqual(note);
  const restored = await saved?.restore({});
  expect([restored?.test('a'), restored?.test('c')]).toEqual(['duplicate', 'distinct']);
  expect(readdirSync(join(path, '..'))).toEqual(['state', 'state.lock']);
  expect(existsSync(partOf(path))).toBe(false);
});

test('a state file is readable only by its owner', async () => {
  requiresPosix('file modes');
  await write('a');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a missing state is accepted for a run, but a file that is not a state is refused', async () => {
  expect(await readState(path)).toBeUndefined();
  await expect(describeState(path)).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  writeFileSync(path, 'no state');
  await expect(readState(path)).rejects.toMatchObject({ code: 'E_SNAPSHOT' });
});

test('a failed write does not change the existing state', async () => {
  await write('a');
  const before = readFileSync(path);
  mkdirSync(partOf(path));
  await expect(write('b')).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a run that lost the lock of its state does not replace it', async () => {
  await write('a');
  const before = readFileSync(path);
  renameSync(`${path}.lock`, join(dirname(path), 'taken'));
  await expect(write('b')).rejects.toThrow(`lost the lock of state ${path}: this run did not renew it for 15 seconds`);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a state that is only read has to exist, and stays as it is', async () => {
  const reading = await RunState.open(path, { isReadOnly: true });
  await expect(reading.read()).rejects.toThrow(`there is no state ${path}`);
  await write('a');
  const before = readFileSync(path);
  await reading.save(await detectorOf('b'), note);
  await reading.close();
  expect(readFileSync(path)).toEqual(before);
});

test('a state that is replaced while it is read is the one that was opened', async () => {
  await write('a');
  const saved = await readState(path);
  await write('b', 'c');
  const restored = await saved?.restore({});
  expect([restored?.test('a'), restored?.test('b')]).toEqual(['duplicate', 'distinct']);
});

test('a note of 17 MiB is written and read again', async () => {
  const long = { ...note, run: { ...note.run, header: 'A'.repeat(17 * 2 ** 20) } };
  await state.save(await detectorOf('a'), long);
  expect((await noteIn(path))?.run.header?.length).toBe(17 * 2 ** 20);
});

test('a longer note than states have is refused, and the state before it stays', async () => {
  await write('a');
  const before = readFileSync(path);
  const long = { ...note, run: { ...note.run, header: 'A'.repeat(2 ** 28) } };
  await expect(state.save(await detectorOf('b'), long)).rejects.toThrow(
    expect.objectContaining({
      code: 'E_STATE_FILE',
      message: expect.stringMatching(
        /cannot write state .*: what it notes of 1 input would have more than 268,435,456/,
      ),
    }),
  );
  expect(readFileSync(path)).toEqual(before);
  expect(existsSync(partOf(path))).toBe(false);
});

test('more inputs than a state can note are refused', () => {
  const [input] = note.run.inputs;
  const inputs = (count: number) =>
    Array.from({ length: count }, () => ({ ...input, path: 'x'.repeat(2 ** 20) }) as never);
  expect(() => state.checkInputsFit(inputs(127))).not.toThrow();
  expect(() => state.checkInputsFit(inputs(128))).toThrow(
    expect.objectContaining({
      code: 'E_STATE_FILE',
      message: expect.stringMatching(/128 inputs .*; give fewer inputs/),
    }),
  );
});

test('inputs have the order that the unfinished run has noted, and those that came since are last', async () => {
  const [one, two, three] = [messagesOf('one', 'a\n'), messagesOf('two', 'a\n'), messagesOf('three', 'a\n')];
  const outputs = [{ path: 'out', isCompressed: false }];
  const now = { sources: [one, two, three], outputs, emit: 'distinct', order: 'newest' } as const;
  const namesWith = (run: RunNote | undefined, sources: readonly Source[] = now.sources) => {
    const ordered = inNotedOrder(path, { ...now, sources }, run && { ...note, run });
    return ordered.map(({ name }) => name);
  };
  const unfinished = runNoteOf([three, two], { order: 'newest' });
  expect(namesWith(unfinished)).toEqual(['three', 'two', 'one']);
  expect(namesWith({ ...unfinished, isFinished: true })).toEqual(['one', 'two', 'three']);
  expect(namesWith(undefined)).toEqual(['one', 'two', 'three']);
  // What has begun since the state was saved is later.
  await state.noteBegun({ ...now, sources: [three, two, one] });
  expect(namesWith(unfinished, [two, one, three])).toEqual(['three', 'two', 'one']);
  await state.noteBegun({ ...now, sources: [two], order: 'oldest' });
  expect(namesWith(unfinished)).toEqual(['three', 'two', 'one']);
});
