import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StateNote } from '../../../src/checkpoint/note.js';
import {
  checkInputsFit,
  checkWritable,
  describeState,
  readState,
  writeState,
} from '../../../src/checkpoint/statefile.js';
import { Detector } from '../../../src/detectors/detector.js';
import { noCounts } from '../../../src/framing/counts.js';
import { create, createNear, save } from '../../../src/index.js';
import { lockState, type StateLock } from '../../../src/io/lock/lock.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { requiresPosix } from '../../support/platform.js';

let path = '';
let lock: StateLock;

beforeEach(async () => {
  path = join(temporaryFolder(), 'state');
  lock = await lockState(path);
});

afterEach(() => lock.release());

const note: StateNote = {
  key: { format: 'lines', keys: [] },
  asked: { memory: 4096 },
  totals: { ...noCounts, records: 5, tooLong: 1 },
  run: {
    inputs: [{ path: 'in', isFile: true, isCompressed: false, storedBytes: 4, digest: 'ab' }],
    outputs: [{ path: null, isCompressed: false }],
    ...{ emit: 'distinct', partial: 'wait', input: 0, offset: 4, lines: 2, position: { offset: 4 }, header: null },
    reads: [],
    positions: [{ fileBytes: 0, pending: '', owesNewline: true }],
    counts: { ...noCounts, records: 2, tooLong: 1 },
    isFinished: false,
  },
  finishedRuns: [],
};

async function detectorOf(...keys: string[]): Promise<Detector> {
  const detector = await Detector.create({ algorithm: 'exact', memory: 4096 });
  for (const key of keys) detector.observe(key);
  return detector;
}

async function write(...keys: string[]): Promise<void> {
  await writeState({ path, detector: await detectorOf(...keys), note, lock });
}

test('a state that is written and read again is the same', async () => {
  await write('a', 'b');
  const saved = await readState(path);
  expect(saved?.note).toEqual(note);
  const restored = await saved?.restore({});
  expect([restored?.test('a'), restored?.test('c')]).toEqual(['duplicate', 'distinct']);
  expect(readdirSync(join(path, '..'))).toEqual(['state', 'state.lock']);
  expect(existsSync(lock.part)).toBe(false);
});

test('a state file is readable only by its owner', async () => {
  requiresPosix('file modes');
  await write('a');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('the description of a state contains no positions and no header', async () => {
  await write('a');
  const { run, job, key, observed } = await describeState(path);
  expect(Object.keys(run ?? {})).toEqual([
    ...['inputs', 'outputs', 'emit', 'input', 'offset', 'lines', 'counts', 'isFinished'],
  ]);
  expect([job, key, observed]).toEqual([null, note.key, 1]);
});

test('a missing state is accepted for a run, but a file that is not a state is refused', async () => {
  expect(await readState(path)).toBeUndefined();
  await expect(describeState(path)).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  writeFileSync(path, 'no state');
  await expect(readState(path)).rejects.toMatchObject({ code: 'E_SNAPSHOT' });
});

test('a failed write does not change the existing state', async () => {
  await checkWritable(path);
  expect(existsSync(path)).toBe(false);
  const nowhere = join(path, 'state');
  await expect(checkWritable(nowhere)).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  await write('a');
  const before = readFileSync(path);
  mkdirSync(lock.part);
  await expect(write('b')).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a run that lost the lock of its state does not replace it', async () => {
  await write('a');
  const before = readFileSync(path);
  renameSync(dirname(lock.part), join(dirname(path), 'taken'));
  await expect(write('b')).rejects.toThrow(`lost the lock of state ${path}: this run did not renew it for 15 seconds`);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a state that is replaced while it is read is the one that was opened', async () => {
  await write('a');
  const saved = await readState(path);
  await write('b', 'c');
  const restored = await saved?.restore({});
  expect([restored?.test('a'), restored?.test('b')]).toEqual(['duplicate', 'distinct']);
});

test.each(['offset 1', '{"offset":1}', '5'])(
  'a snapshot with the note %j of a program is described, and not continued',
  async (text) => {
    const detector = await create({ algorithm: 'exact', memory: 4096, keys: ['id'] });
    writeFileSync(path, await save(detector, new TextEncoder().encode(text)));
    const { noteBytes, key, run, job } = await describeState(path);
    expect({ noteBytes, key, run, job }).toEqual({
      noteBytes: text.length,
      key: { format: 'ndjson', keys: ['id'] },
      run: null,
      job: null,
    });
    await expect(readState(path)).rejects.toThrow(
      new RegExp(
        `saved by the library with a note of ${text.length} bytes?, which a run would lose; load it with the library`,
      ),
    );
    writeFileSync(path, await save(detector));
    expect(await describeState(path)).not.toHaveProperty('noteBytes');
    expect((await readState(path))?.note.key.keys).toEqual(['id']);
  },
);

test('a snapshot of near-duplicates of the library is described, and not continued', async () => {
  const near = await createNear({ memory: '64KiB' });
  near.observe('a document');
  writeFileSync(path, await save(near));
  const description = await describeState(path);
  expect(description).toMatchObject({ key: null, run: null, job: { name: 'near', observed: 1, duplicates: 0 } });
  expect(description).not.toHaveProperty('noteBytes');
  await expect(readState(path)).rejects.toThrow(
    /snapshot of near-duplicates was saved by the library.*; load it with loadNear/,
  );
  writeFileSync(path, await save(near, new Uint8Array(2)));
  expect(await describeState(path)).toMatchObject({ noteBytes: 2 });
});

test('a note of 17 MiB is written and read again', async () => {
  const long = { ...note, run: { ...note.run, header: 'A'.repeat(17 * 2 ** 20) } };
  await writeState({ path, detector: await detectorOf('a'), note: long, lock });
  expect((await readState(path))?.note.run.header?.length).toBe(17 * 2 ** 20);
});

test('a longer note than states have is refused, and the state before it stays', async () => {
  await write('a');
  const before = readFileSync(path);
  const long = { ...note, run: { ...note.run, header: 'A'.repeat(2 ** 28) } };
  await expect(writeState({ path, detector: await detectorOf('b'), note: long, lock })).rejects.toThrow(
    expect.objectContaining({
      code: 'E_STATE_FILE',
      message: expect.stringMatching(
        /cannot write state .*: what it notes of 1 input would have more than 268,435,456/,
      ),
    }),
  );
  expect(readFileSync(path)).toEqual(before);
  expect(existsSync(lock.part)).toBe(false);
});

test('more inputs than a state can note are refused', () => {
  const [input] = note.run.inputs;
  const inputs = (count: number) =>
    Array.from({ length: count }, () => ({ ...input, path: 'x'.repeat(2 ** 20) }) as never);
  expect(() => checkInputsFit(path, inputs(127))).not.toThrow();
  expect(() => checkInputsFit(path, inputs(128))).toThrow(
    expect.objectContaining({
      code: 'E_STATE_FILE',
      message: expect.stringMatching(/128 inputs .*; give fewer inputs/),
    }),
  );
});
