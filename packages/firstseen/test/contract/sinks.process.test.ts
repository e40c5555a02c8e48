// Every kind of sink follows its contract, and batches have the edges of their records.

import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOfStream } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryPaths } from '../../src/io/formats.js';
import type { OutputNote, Sink, SinkPosition } from '../../src/io/sink.js';
import { compactPosition, isSinkPosition, openSink, positionToResume, sinkKinds } from '../../src/io/sinks.js';
import type { Source } from '../../src/io/source.js';
import { lookAtInput, requestOf } from '../../src/io/sources.js';
import { DISTINCT, DUPLICATE, WANTED_DISTINCT } from '../../src/kernel/abi.js';
import { temporaryFolder } from '../cli/support/command.js';
import { writeEvents } from '../parquet/support.js';
import { requiresPosix } from '../support/platform.js';
import { sinkMemory } from '../unit/io/sinksupport.js';
import { readAll } from '../unit/io/support.js';

const ROWS = 40;
const HALF = 18;

/** An output that is a file. */
interface FileCase {
  kind: string;
  name: string;
  isCompressed?: boolean;
  /** Whether it is valid only when it is complete. */
  isAllOrNothing?: boolean;
  /** Its records as lines. */
  textOf(path: string): Promise<string>;
}

const files: Record<string, FileCase> = {
  'plain file': { kind: 'file', name: 'out.txt', textOf: async (path) => readFileSync(path, 'utf8') },
  'gzip file': {
    kind: 'file',
    name: 'out.txt.gz',
    textOf: async (path) => gunzipSync(readFileSync(path)).toString(),
  },
  'file that is to be compressed': {
    kind: 'file',
    name: 'out.txt',
    isCompressed: true,
    textOf: async (path) => gunzipSync(readFileSync(path)).toString(),
  },
  parquet: {
    kind: 'parquet',
    name: 'out.parquet',
    isAllOrNothing: true,
    textOf: async (path) => readAll(await (await lookAtInput(requestOf(path), 'ndjson')).open()),
  },
};

interface Setting {
  note: OutputNote & { path: string };
  sources: Source[];
  lines: string[];
}

/** The rows of a Parquet file, which are the records of all outputs. */
async function settingOf({ name, isCompressed = false }: FileCase): Promise<Setting> {
  const folder = temporaryFolder(onTestFinished);
  const path = join(folder, 'in.parquet');
  writeEvents(path, { rows: ROWS, groupRows: 16 });
  const source = await lookAtInput(requestOf(path), 'ndjson');
  const lines = (await readAll(await source.open())).split(/(?<=\n)/);
  return { note: { path: join(folder, name), isCompressed }, sources: [source], lines };
}

/** A sink, and a way to append records of the setting to it. Every other record is distinct. */
async function openFor({ note, sources, lines }: Setting, position?: SinkPosition) {
  const { kernel, buffers, batchOf } = await sinkMemory();
  const request = { kernel, buffers, selection: WANTED_DISTINCT, sources };
  const sink = await openSink(note, { ...request, ...(position ? { position } : {}) });
  const append = (from: number, to: number) => {
    const verdicts = lines.slice(from, to).map((_, i) => ((from + i) % 2 === 0 ? DISTINCT : DUPLICATE));
    return sink.append([batchOf(lines.slice(from, to).join(''), verdicts)]);
  };
  return { sink, append };
}

/** Appends all records from one on, in batches of several lengths. */
async function appendRest(append: (from: number, to: number) => Promise<void>, from: number): Promise<void> {
  for (let at = from, length = 1; at < ROWS; at += length, length += 3) await append(at, Math.min(ROWS, at + length));
}

const distinct = (lines: readonly string[]) => lines.filter((_, i) => i % 2 === 0).join('');
const resumable = (position: SinkPosition) => JSON.parse(JSON.stringify(position)) as SinkPosition;

/** Leaves something at the path that an output must not lose: the output of an earlier run. */
async function writeBefore(setting: Setting): Promise<Buffer> {
  const { sink, append } = await openFor(setting);
  await append(0, ROWS);
  await sink.close(true);
  return readFileSync(setting.note.path);
}

test('each kind of sink is among the cases', () => {
  // A folder is an output of several files: test/cli/outputfolder.process.test.ts. An object is in a store:
  // test/unit/jobs/objectoutputs.test.ts.
  const kinds = [...Object.values(files).map(({ kind }) => kind), 'standard output', 'folder', 'object'];
  const what = 'each kind of the formats needs a case in `files` of this test';
  expect([...new Set(kinds)].sort(), what).toEqual(sinkKinds.map(({ name }) => name).sort());
});

describe.each(Object.entries(files))('%s', (_, known) => {
  test('has the selected records of all batches', async () => {
    const setting = await settingOf(known);
    const { sink, append } = await openFor(setting);
    await appendRest(append, 0);
    const position = await sink.close(true);
    expect(await known.textOf(setting.note.path)).toBe(distinct(setting.lines));
    expect(resumable(position)).toEqual(position);
    expect(isSinkPosition(setting.note, position)).toBe(true);
    expect(isSinkPosition(setting.note, compactPosition(setting.note, position))).toBe(true);
    const former = { isBegun: false, isDone: true };
    expect(await positionToResume(setting.note, position, former)).toEqual(position);
    expect(temporaryPaths([setting.note.path]).filter(existsSync)).toEqual([]);
  });

  test('continues at the position of its last commit, whatever a crash has left after that', async () => {
    const setting = await settingOf(known);
    const first = await openFor(setting);
    await first.append(0, HALF);
    const position = resumable(await first.sink.commit());
    expect(isSinkPosition(setting.note, position)).toBe(true);
    await first.append(HALF, ROWS - 2);
    await first.sink.flush();
    // A process that is killed does nothing more. Its files are closed here, so that the test leaves none open.
    await first.sink.abort();

    const former = { isBegun: true };
    // Of an output that is valid only when it is complete, nothing is there, and the run begins again.
    const start = known.isAllOrNothing ? undefined : await positionToResume(setting.note, position, former);
    const second = await openFor(setting, start);
    await appendRest(second.append, known.isAllOrNothing ? 0 : HALF);
    await second.sink.close(true);
    expect(await known.textOf(setting.note.path)).toBe(distinct(setting.lines));
  });

  test('that is stopped continues where it was', async () => {
    const setting = await settingOf(known);
    const first = await openFor(setting);
    await first.append(0, HALF);
    const position = resumable(await first.sink.close(false));
    expect(existsSync(setting.note.path)).toBe(!known.isAllOrNothing);
    const second = await openFor(setting, position);
    await appendRest(second.append, known.isAllOrNothing ? 0 : HALF);
    await second.sink.close(true);
    expect(await known.textOf(setting.note.path)).toBe(distinct(setting.lines));
  });

  test.each<[string, (sink: Sink) => Promise<unknown>]>([
    ['aborted', (sink) => sink.abort()],
    ['stopped', (sink) => sink.close(false)],
  ])('leaves what was there if it is %s before anything was written', async (_what, end) => {
    const setting = await settingOf(known);
    const before = await writeBefore(setting);
    const { sink, append } = await openFor(setting);
    // What is not complete does not take the place of what was there.
    if (known.isAllOrNothing) await append(0, HALF);
    await end(sink);
    expect(readFileSync(setting.note.path).equals(before)).toBe(true);
    expect(temporaryPaths([setting.note.path]).filter(existsSync)).toEqual([]);
  });

  test('is written only after the call that allows it', async () => {
    const setting = await settingOf(known);
    const before = await writeBefore(setting);
    const { kernel, buffers, batchOf } = await sinkMemory();
    const beforeWrite = () => {
      throw new Error('the lock is lost');
    };
    const request = { kernel, buffers, selection: WANTED_DISTINCT, sources: setting.sources, beforeWrite };
    const sink = await openSink(setting.note, request);
    const all = batchOf(
      setting.lines.join(''),
      Array.from({ length: ROWS }, () => DISTINCT),
    );
    await expect(sink.append([all]).then(() => sink.close(true))).rejects.toThrow('the lock is lost');
    await sink.abort();
    expect(readFileSync(setting.note.path).equals(before)).toBe(true);
  });
});

test('a pipe gets the records, and is never cut back', async () => {
  requiresPosix('named pipes in folders');
  const setting = await settingOf(files['plain file'] as FileCase);
  const { path } = setting.note;
  execFileSync('mkfifo', [path]);
  const read = textOfStream(createReadStream(path));
  const { sink, append } = await openFor(setting);
  await append(0, HALF);
  const position = await sink.commit();
  await appendRest(append, HALF);
  await sink.close(true);
  expect(await read).toBe(distinct(setting.lines));
  expect(await positionToResume(setting.note, position, { isBegun: false })).toEqual(position);
});

test('standard output continues at its current end', async () => {
  const standard = { path: null, isCompressed: false };
  const position = { fileBytes: 7, pending: '', owesNewline: true };
  expect(isSinkPosition(standard, position)).toBe(true);
  const start = { fileBytes: 0, pending: '', owesNewline: true };
  expect(await positionToResume(standard, position, { isBegun: false })).toEqual(start);
  expect(compactPosition(standard, position)).toEqual(start);
});

test('a batch has the edges of its records', async () => {
  const lines = ['one\n', '\n', 'three'];
  const { batchOf } = await sinkMemory();
  const { kernel, taken } = batchOf(lines.join(''), [DISTINCT, DUPLICATE, DISTINCT]);
  const records = Array.from({ length: taken }, (_, i) => {
    const bytes = kernel.bytes.subarray(kernel.recordStarts[i], kernel.recordEnds[i]);
    return Buffer.from(bytes).toString();
  });
  expect(records).toEqual(lines);
  expect([...kernel.verdicts.subarray(0, taken)]).toEqual([DISTINCT, DUPLICATE, DISTINCT]);
});
