// The part that saves and resumes a snapshot with a note, by itself: no run, and notes that only the test can read.

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FirstseenError } from '../../../src/base/errors.js';
import { Checkpoint } from '../../../src/checkpoint/checkpoint.js';
import { SnapshotFile } from '../../../src/checkpoint/snapshotfile.js';
import { Detector } from '../../../src/detectors/detector.js';
import { readDetector, readHeader, snapshotParts } from '../../../src/snapshot/snapshots.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { requiresPosix } from '../../support/platform.js';
import { partOf } from './support.js';

let path = '';
let checkpoint: Checkpoint;

beforeEach(async () => {
  path = join(temporaryFolder(), 'state');
  checkpoint = await Checkpoint.open(path);
});

afterEach(() => checkpoint.close());

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = () => readFileSync(path, 'utf8');
const saveText = (text: string) => checkpoint.save(() => [bytesOf(text)]);

/** A save whose write goes on when the returned function is called. */
function slowSave(text: string): { saved: Promise<void>; goOn: () => void } {
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  async function* pieces() {
    yield bytesOf(text.slice(0, 1));
    await gate;
    yield bytesOf(text.slice(1));
  }
  return { saved: checkpoint.save(pieces), goOn };
}

test('a snapshot with an opaque note is saved and resumed', async () => {
  const detector = await Detector.create({ algorithm: 'exact', memory: 4096 });
  detector.observe('a');
  const note = Uint8Array.of(0, 255, 10);
  const parts = await snapshotParts(detector, note);
  expect(await SnapshotFile.open(path)).toBeUndefined();
  await checkpoint.save(() => parts);
  const resumed = await SnapshotFile.use(path, async (file) =>
    file?.read(async (source) => readDetector(source, await readHeader(source))),
  );
  expect([resumed?.note, resumed?.test('a'), resumed?.test('b')]).toEqual([note, 'duplicate', 'distinct']);
});

test('a file that is broken is refused by its name', async () => {
  writeFileSync(path, 'no snapshot');
  const reading = SnapshotFile.use(path, async (file) => file?.read((source) => readHeader(source)));
  await expect(reading).rejects.toMatchObject({ code: 'E_SNAPSHOT', message: expect.stringContaining(`${path}: `) });
});

test('an open file stays what it was when it is replaced', async () => {
  await saveText('one');
  await SnapshotFile.use(path, async (file) => {
    await saveText('two and more');
    const target = new Uint8Array(3);
    const bytes = await file?.read(async (source) => {
      await source.readAt(target, 0);
      return source.bytes;
    });
    expect([bytes, new TextDecoder().decode(target)]).toEqual([3, 'one']);
  });
});

test('saves during a write share the next one, which takes the last of them', async () => {
  const taken: string[] = [];
  const { saved, goOn } = slowSave('one');
  await new Promise((resolve) => setTimeout(resolve));
  const shared = ['two', 'three', 'four'].map((text) =>
    checkpoint.save(() => {
      taken.push(text);
      return [bytesOf(text)];
    }),
  );
  goOn();
  await saved;
  expect(textOf()).toBe('one');
  await Promise.all(shared);
  expect([taken, textOf()]).toEqual([['four'], 'four']);
  await saveText('five');
  expect(textOf()).toBe('five');
});

test('a write that fails rejects the saves that share it, keeps the file, and the next one succeeds', async () => {
  await saveText('one');
  const part = partOf(path);
  mkdirSync(part);
  const both = await Promise.allSettled([saveText('two'), saveText('three')]);
  for (const { status, reason } of both as PromiseRejectedResult[]) {
    expect([status, reason.code]).toEqual(['rejected', 'E_STATE_FILE']);
  }
  expect(textOf()).toBe('one');
  renameSync(part, `${part}.away`);
  await saveText('four');
  expect(textOf()).toBe('four');
});

test('an error of the snapshot is the error of the save, and leaves no part', async () => {
  await saveText('one');
  const error = new FirstseenError('E_USAGE', 'used');
  const failing = checkpoint.save(function* () {
    yield bytesOf('tw');
    throw error;
  });
  await expect(failing).rejects.toBe(error);
  expect([textOf(), existsSync(partOf(path))]).toEqual(['one', false]);
});

test('the lock keeps a second program out until it is closed', async () => {
  await expect(Checkpoint.open(path)).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  await saveText('one');
  await checkpoint.close();
  const next = await Checkpoint.open(path);
  await next.close();
  expect(readdirSync(dirname(path))).toEqual(['state']);
});

test('a program whose lock was taken while it wrote does not replace the file', async () => {
  await saveText('one');
  const { saved, goOn } = slowSave('two');
  const failure = expect(saved).rejects.toThrow(`lost the lock of state ${path}`);
  await new Promise((resolve) => setTimeout(resolve, 20));
  renameSync(`${path}.lock`, join(dirname(path), 'taken'));
  goOn();
  await failure;
  expect(textOf()).toBe('one');
  expect(() => checkpoint.check()).toThrow('lost the lock');
});

test('closing waits for what is being written, and later saves are refused', async () => {
  const { saved, goOn } = slowSave('one');
  let isClosed = false;
  const closing = checkpoint.close().then(() => {
    isClosed = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([isClosed, existsSync(`${path}.lock`)]).toEqual([false, true]);
  goOn();
  await Promise.all([saved, closing]);
  expect([textOf(), existsSync(`${path}.lock`)]).toEqual(['one', false]);
  await expect(saveText('two')).rejects.toMatchObject({ code: 'E_CLOSED' });
});

test('a link stays one, and locks the file that it leads to', async () => {
  requiresPosix('links that every user may make');
  const link = join(dirname(path), 'link');
  symlinkSync('state', link);
  await expect(Checkpoint.open(link)).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  await checkpoint.close();
  const linked = await Checkpoint.open(link);
  await linked.save(() => [bytesOf('one')]);
  await linked.close();
  expect([textOf(), readFileSync(link, 'utf8')]).toEqual(['one', 'one']);
  expect(readdirSync(dirname(path)).sort()).toEqual(['link', 'state']);
});

test('a path where nothing can be written is refused, and leaves nothing', async () => {
  const nowhere = join(path, 'state');
  writeFileSync(path, '');
  await expect(Checkpoint.open(nowhere)).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  mkdirSync(`${path}2.part`);
  await expect(Checkpoint.open(`${path}2`)).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  expect(existsSync(`${path}2.lock`)).toBe(false);
});
