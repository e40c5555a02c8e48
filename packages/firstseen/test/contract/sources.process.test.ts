// Every kind of source follows its contract, and so does one that no row knows.

import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listRequest } from '../../src/io/file/folder.js';
import type { InputMark, InputReader, InputRequest, Source } from '../../src/io/source.js';
import { isPositionOf, lookAtInput, requestOf, sourceKinds } from '../../src/io/sources.js';
import { exactJob } from '../../src/jobs/exact/job.js';
import type { InputFormatName } from '../../src/records/formats.js';
import { runJob } from '../../src/run/runjob.js';
import { fillDefaults } from '../../src/run/settled.js';
import { temporaryFolder } from '../cli/support/command.js';
import { linesOf, parquetPath } from '../parquet/support.js';
import { ObjectStore, variablesFor } from '../support/objectstore.js';
import { requiresPosix } from '../support/platform.js';
import { type Message, topicOf } from '../support/topic.js';
import { readAll } from '../unit/io/support.js';

/** A request for an input, and its text. */
interface Case {
  /** The kind of source that recognizes it. */
  kind: string;
  format?: InputFormatName;
  make(): { request: InputRequest; text: string };
}

const lines = Array.from({ length: 50 }, (_, i) => `line ${i % 30}\n`);
const whole = lines.join('');
const messages = lines.map((text, i): Message => ({ partition: (i * i) % 3, text }));

function writtenTo(name: string, bytes: string | Uint8Array): InputRequest {
  const path = join(temporaryFolder(onTestFinished), name);
  writeFileSync(path, bytes);
  return requestOf(path);
}

let store: ObjectStore;
let closeStore: () => Promise<void>;

beforeAll(async () => {
  store = await ObjectStore.open((close) => {
    closeStore = close;
  });
  for (const [name, value] of Object.entries(variablesFor(store))) vi.stubEnv(name, value);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await closeStore();
});

function storedObject(key: string, bytes: string | Uint8Array): string {
  store.put(`bucket/${key}`, bytes);
  return `s3://bucket/${key}`;
}

const repeatable: Record<string, Case> = {
  object: { kind: 'object', make: () => ({ request: requestOf(storedObject('in.txt', whole)), text: whole }) },
  'compressed object': {
    kind: 'object',
    make: () => ({ request: requestOf(storedObject('in.txt.gz', gzipSync(whole))), text: whole }),
  },
  'resource of the web': {
    kind: 'object',
    make() {
      storedObject('web.txt', whole);
      return { request: requestOf(`${store.endpoint}/bucket/web.txt`), text: whole };
    },
  },
  file: { kind: 'file', make: () => ({ request: writtenTo('in.txt', whole), text: whole }) },
  'compressed file': {
    kind: 'file',
    make: () => ({ request: writtenTo('in.txt.gz', gzipSync(whole)), text: whole }),
  },
  'list of documents': {
    kind: 'folder',
    make: () => ({ request: listRequest({ name: 'docs', paths: lines.map((line) => line.trimEnd()) }), text: whole }),
  },
  parquet: {
    kind: 'parquet',
    format: 'ndjson',
    make() {
      const path = join(temporaryFolder(onTestFinished), 'in.parquet');
      copyFileSync(parquetPath('groups'), path);
      return { request: requestOf(path), text: linesOf('groups') };
    },
  },
  'JSON array': {
    kind: 'json',
    format: 'json',
    make() {
      const elements = lines.map((line, i) => ({ line: line.trimEnd(), i, list: [1, { b: '], [' }] }));
      const text = elements.map((element) => `${JSON.stringify(element)}\n`).join('');
      return { request: writtenTo('in.json', JSON.stringify(elements, undefined, 2)), text };
    },
  },
  'compressed JSON array': {
    kind: 'json',
    format: 'json',
    make: () => ({
      request: writtenTo('in.json.gz', gzipSync('[1, "a b",\n{"c": [ ]}, 4, 5, 6]')),
      text: '1\n"a b"\n{"c":[]}\n4\n5\n6\n',
    }),
  },
  'topic of a program': {
    kind: 'given',
    make: () => ({ request: requestOf(topicOf('topic', messages)), text: whole }),
  },
};

function look(request: InputRequest, { format = 'lines' }: Case): Promise<Source> {
  return lookAtInput(request, format);
}

/** The ends of some records. */
function endsOf(text: string): number[] {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index + 1);
  return [0, ends[0], ends[1], ends[Math.floor(ends.length / 2)], ends.at(-2), ends.at(-1)] as number[];
}

async function readBytes(reader: InputReader, bytes: number): Promise<string> {
  const target = Buffer.alloc(bytes);
  let filled = 0;
  for (let read = 1; read > 0 && filled < bytes; filled += read) {
    read = await reader.read(target.subarray(filled, Math.min(bytes, filled + 777)));
  }
  return target.subarray(0, filled).toString();
}

function stored(mark: InputMark): InputMark {
  return JSON.parse(JSON.stringify(mark)) as InputMark;
}

test('each kind of source is among the cases', () => {
  const kinds = [...Object.values(repeatable).map(({ kind }) => kind), 'pipe'];
  const what = 'each kind of the formats needs a case in `repeatable` of this test';
  expect([...new Set(kinds)].sort(), what).toEqual(sourceKinds.map(({ name }) => name).sort());
});

describe.each(Object.entries(repeatable))('%s', (_, known) => {
  test('is recognized by its kind alone', async () => {
    const { request } = known.make();
    const source = await look(request, known);
    expect(sourceKinds.find(({ name }) => name === known.kind)?.isNote(source.note)).toBe(true);
    expect(await source.compare(source.note)).toBe('same');
  });

  test('opened at the position after any record gives the rest, also in another process', async () => {
    const { request, text } = known.make();
    for (const offset of endsOf(text)) {
      const source = await look(request, known);
      const reader = await source.open();
      expect(await readBytes(reader, offset)).toBe(text.slice(0, offset));
      const mark = await reader.markAt(offset);
      await reader.close();
      expect(stored(mark)).toEqual(mark);
      expect(stored(await reader.markAt(offset))).toEqual(mark);
      expect(isPositionOf(mark.input, mark.position)).toBe(true);

      const later = await look(request, known);
      expect(await later.compare(stored(mark).input)).not.toBe('other');
      const resumed = await later.open(stored(mark).position);
      expect(await readAll(resumed)).toBe(text.slice(offset));
      const end = await resumed.markAt(text.length);
      expect(await later.compare(end.input)).toBe('same');
      expect(await readAll(await later.open(end.position))).toBe('');
    }
  });

  test('has a mark before anything of it is read', async () => {
    const { request, text } = known.make();
    const source = await look(request, known);
    const mark = await source.markAtStart();
    expect(stored(mark)).toEqual(mark);
    expect(isPositionOf(mark.input, mark.position)).toBe(true);
    expect(await readAll(await source.open(mark.position))).toBe(text);
  });

  test('can be read twice side by side', async () => {
    const { request, text } = known.make();
    const source = await look(request, known);
    const [, first, , half] = endsOf(text) as [number, number, number, number];
    const one = await source.open();
    await readBytes(one, first);
    const two = await source.open((await one.markAt(first)).position);
    const found = ['', text.slice(0, first)];
    for (const [i, reader] of [two, one, two, one].entries()) {
      const bytes = i < 2 ? half - first : 5;
      found[i % 2] += await readBytes(reader, bytes);
    }
    expect(found).toEqual([text.slice(first, half + 5), text.slice(0, half + 5)]);
    const marks = [await one.markAt(half), await two.markAt(half), await one.markAt(first)];
    expect(marks[1]).toEqual(marks[0]);
    await one.close();
    for (const [i, offset] of [half, half, first].entries()) {
      expect(await readAll(await source.open(stored(marks[i] as InputMark).position))).toBe(text.slice(offset));
    }
    expect(await readAll(two)).toBe(text.slice(half + 5));
  });
});

test('a pipe is read once, and has a note but no position', async () => {
  requiresPosix('named pipes in folders');
  const path = join(temporaryFolder(onTestFinished), 'pipe');
  execFileSync('mkfifo', [path]);
  const source = await lookAtInput(requestOf(path), 'lines');
  spawn('/bin/sh', ['-c', `printf 'a\\nb\\n' > "${path}"`]);
  const reader = await source.open();
  expect(await readAll(reader)).toBe('a\nb\n');
  const mark = await reader.markAt(2);
  expect(mark.position).toBeUndefined();
  expect(await source.markAtStart()).toEqual(mark);
  expect(isPositionOf(stored(mark).input, stored(mark).position)).toBe(true);
  expect(await source.compare(stored(mark).input)).toBe('same');
});

describe('a run over a source of a program', () => {
  const folder = () => temporaryFolder(onTestFinished);

  function run(source: Source, options: { output: string; state?: string; signal?: AbortSignal }) {
    return runJob({
      job: exactJob,
      asked: { detector: { algorithm: 'exact', memory: 4096 } },
      key: { keys: [] },
      options: fillDefaults({ inputs: [source.name], ...options }),
      format: 'lines',
      inputs: [requestOf(source)],
    });
  }

  test.each([1, 10, 31, 49])('that is stopped after %i messages is resumed and has the same output', async (most) => {
    const [output, expected] = [join(folder(), 'out'), join(folder(), 'expected')];
    await run(topicOf('topic', messages), { output: expected });
    const state = join(folder(), 'state');
    const stop = new AbortController();
    let read = 0;
    const stopped = topicOf('topic', messages, () => {
      read++;
      if (read === most) stop.abort();
    });
    const first = await run(stopped, { output, state, signal: stop.signal });
    expect(first.interrupted).toBe(true);
    const second = await run(topicOf('topic', messages), { output, state });
    expect(second).toMatchObject({ interrupted: false, resumed: true });
    expect(first.records + second.records).toBe(messages.length);
    expect(readFileSync(output, 'utf8')).toBe(readFileSync(expected, 'utf8'));

    const more = [...messages, { partition: 1, text: 'another\n' }];
    expect(await run(topicOf('topic', more), { output, state })).toMatchObject({ records: 1, distinct: 1 });
    await expect(run(topicOf('other', messages), { output, state })).rejects.toMatchObject({ code: 'E_STATE_RUN' });
  });
});
