import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { Detector } from '../../../../src/detectors/detector.js';
import { noCounts } from '../../../../src/run/counts.js';
import type { StateNote } from '../../../../src/run/state/note.js';
import { checkWritable, describeState, readState, writeState } from '../../../../src/run/state/statefile.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { requiresPosix } from '../../../support/platform.js';

let path = '';

beforeEach(() => {
  path = join(temporaryFolder(), 'state');
});

const note: StateNote = {
  key: { format: 'lines', keys: [] },
  asked: { memory: 4096 },
  totals: { ...noCounts, records: 5, tooLong: 1 },
  run: {
    inputs: [{ path: 'in', isFile: true, isCompressed: false, storedBytes: 4, digest: 'ab' }],
    outputs: [{ path: null, isCompressed: false }],
    ...{ emit: 'distinct', input: 0, offset: 4, lines: 2, position: { offset: 4 }, header: null },
    positions: [{ sink: { fileBytes: 0, pending: '' }, owesNewline: true }],
    counts: { ...noCounts, records: 2, tooLong: 1 },
    isFinished: false,
  },
};

async function detectorOf(...keys: string[]): Promise<Detector> {
  const detector = await Detector.create({ algorithm: 'exact', memory: 4096 });
  for (const key of keys) detector.observe(key);
  return detector;
}

test('a state is read as it was written', async () => {
  await writeState(path, await detectorOf('a', 'b'), note);
  const saved = await readState(path);
  expect(saved?.note).toEqual(note);
  const restored = await saved?.restore({});
  expect([restored?.test('a'), restored?.test('c')]).toEqual(['duplicate', 'distinct']);
  expect(readdirSync(join(path, '..'))).toEqual(['state']);
});

test('only its owner can read it', async () => {
  requiresPosix('file modes');
  await writeState(path, await detectorOf('a'), note);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('its description has no positions and no header', async () => {
  await writeState(path, await detectorOf('a'), note);
  const { run, job, key, observed } = await describeState(path);
  expect(Object.keys(run ?? {})).toEqual([
    ...['inputs', 'outputs', 'emit', 'input', 'offset', 'lines', 'counts', 'isFinished'],
  ]);
  expect([job, key, observed]).toEqual([null, note.key, 1]);
});

test('there need be none, but what is no state is refused', async () => {
  expect(await readState(path)).toBeUndefined();
  await expect(describeState(path)).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  writeFileSync(path, 'no state');
  await expect(readState(path)).rejects.toMatchObject({ code: 'E_SNAPSHOT' });
});

test('where none can be written the old one stays, and nothing else', async () => {
  await checkWritable(path);
  expect(existsSync(path)).toBe(false);
  const nowhere = join(path, 'state');
  await expect(checkWritable(nowhere)).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  await writeState(path, await detectorOf('a'), note);
  const before = readFileSync(path);
  mkdirSync(`${path}.part`);
  await expect(writeState(path, await detectorOf('b'), note)).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a state that is replaced while it is read is the one that was opened', async () => {
  await writeState(path, await detectorOf('a'), note);
  const saved = await readState(path);
  await writeState(path, await detectorOf('b', 'c'), note);
  const restored = await saved?.restore({});
  expect([restored?.test('a'), restored?.test('b')]).toEqual(['duplicate', 'distinct']);
});
