// Runs over objects of a store: with a state they go on as runs over files do.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { AHEAD_INPUTS } from '../../../src/io/readahead.js';
import { runFiles } from '../../../src/jobs/exact/run.js';
import { runDocuments } from '../../../src/jobs/near/run.js';
import { runPassages } from '../../../src/jobs/passages/run.js';
import type { RunOptions } from '../../../src/run/runoptions.js';
import type { RunStats } from '../../../src/run/stats.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { type ObjectStore, openForTest } from '../../support/objectstore.js';

let store: ObjectStore;
let folder: string;

beforeEach(async () => {
  store = await openForTest();
  folder = temporaryFolder();
});

const detector = { algorithm: 'exact', memory: '8MiB' } as const;

/** Lines of which each second one is a repeat. */
function linesOf(from: number, count: number): string {
  return Array.from({ length: count }, (_, i) => `${from + Math.floor(i / 2)}\n`).join('');
}

function output(): string {
  return readFileSync(join(folder, 'out'), 'utf8');
}

function run(options: Partial<RunOptions>): Promise<RunStats> {
  return runFiles({ inputs: ['s3://bucket/*'], output: join(folder, 'out'), detector, ...options });
}

describe('a run with a state', () => {
  const state = () => ({ state: join(folder, 'state') });

  /** Stops when an object is read and the records before it were: at its beginning, or in its middle. */
  async function stopped(from: string, recordsBefore = 0): Promise<RunStats> {
    const stop = new AbortController();
    let statsSoFar: (() => RunStats) | undefined;
    store.fault = async ({ method, path }) => {
      if (method !== 'GET' || path !== from) return undefined;
      await vi.waitUntil(() => (statsSoFar?.().records ?? 0) >= recordsBefore);
      stop.abort();
      return undefined;
    };
    const onReady = (soFar: () => RunStats) => {
      statsSoFar = soFar;
    };
    const stats = await run({ ...state(), signal: stop.signal, onReady });
    store.fault = () => undefined;
    expect(stats.interrupted).toBe(true);
    return stats;
  }

  test.each([
    ['plain', (text: string) => Buffer.from(text)],
    ['compressed', (text: string) => gzipSync(text)],
  ])('goes on in %s objects, and reads what was read by range', async (_, made) => {
    store.put('bucket/1', made(linesOf(0, 200)));
    store.put('bucket/2', made(linesOf(50, 400_000)));
    store.put('bucket/3', made(linesOf(0, 10)));
    await run({ output: join(folder, 'expected') });
    const expected = readFileSync(join(folder, 'expected'), 'utf8');
    const first = await stopped('bucket/2', 200);
    const readBefore = store.requests.length;
    const second = await run(state());
    expect(second).toMatchObject({ interrupted: false, resumed: true });
    expect(first.records + second.records).toBe(400_210);
    expect(output()).toBe(expected);
    const paths = store.requests.slice(readBefore).map(({ path }) => path);
    expect(paths).not.toContain('bucket/1');
    expect(await run(state())).toMatchObject({ records: 0, idle: true });
  });

  test('refuses an object that changed while the run was stopped', async () => {
    store.put('bucket/1', linesOf(0, 400_000));
    await stopped('bucket/1');
    store.put('bucket/1', linesOf(1, 400_000));
    const error = await run(state()).catch((cause) => cause);
    expect(error).toMatchObject({ code: 'E_STATE_RUN' });
    expect(error.message).toContain('s3://bucket/1 has changed');
  });

  test('reads what is new in a later run', async () => {
    store.put('bucket/1', linesOf(0, 10));
    await run(state());
    store.put('bucket/2', linesOf(0, 20));
    expect(await run(state())).toMatchObject({ records: 20, distinct: 5 });
  });
});

describe('many short objects', () => {
  const COUNT = 80;
  const nameOf = (i: number) => `bucket/${String(i).padStart(2, '0')}`;

  beforeEach(() => {
    for (let i = 0; i < COUNT; i++) store.put(nameOf(i), `${i}\n`);
  });

  /** The first is answered when so many others are asked for too, and the last of them first. */
  function answerTogether(count: number): { mostAtOnce(): number } {
    let underway = 0;
    let most = 0;
    let answer = () => {};
    const isDue = new Promise<void>((resolve) => (answer = resolve));
    store.fault = async ({ method, headers: { range } }) => {
      if (method !== 'GET' || range === undefined) return undefined;
      underway++;
      most = Math.max(most, underway);
      if (underway === count) answer();
      await isDue;
      underway--;
      return undefined;
    };
    return { mostAtOnce: () => most };
  }

  test('are read side by side within a bound, and written in their order', { timeout: 20_000 }, async () => {
    const answered = answerTogether(1 + AHEAD_INPUTS);
    expect(await run({})).toMatchObject({ records: COUNT });
    expect(output()).toBe(Array.from({ length: COUNT }, (_, i) => `${i}\n`).join(''));
    expect(answered.mostAtOnce()).toBe(1 + AHEAD_INPUTS);
    expect(store.requests.filter(({ headers: { range } }) => range !== undefined)).toHaveLength(COUNT);
  });

  test('that cannot be read end the run where they are', async () => {
    store.fault = ({ path }) => (path === nameOf(9) ? { status: 403 } : undefined);
    await expect(run({})).rejects.toThrow('cannot read s3://bucket/09: the store answers 403');
    expect(output()).toBe(Array.from({ length: 9 }, (_, i) => `${i}\n`).join(''));
  });

  test('that follow the last one of a run are not read on', { timeout: 20_000 }, async () => {
    const ended: string[] = [];
    store.fault = async ({ path, headers: { range } }) => {
      if (path === nameOf(1)) return { status: 403 };
      if (range === undefined || path === nameOf(0)) return undefined;
      ended.push(path);
      return 'hang';
    };
    await expect(run({})).rejects.toThrow('cannot read s3://bucket/01');
    await expect.poll(() => store.openRequests).toBe(0);
    expect(ended.length).toBeGreaterThan(0);
  });
});

test('near and passages read objects', async () => {
  const record = (text: string) => `${JSON.stringify({ id: text.length, text })}\n`;
  const text = 'the quick brown fox jumps over the lazy dog and runs away from it through the wide green field';
  store.put('bucket/in.ndjson', record(text) + record(`${text} today`) + record('another text'));
  const options = { inputs: ['s3://bucket/in.ndjson'], output: join(folder, 'out') };
  expect(await runDocuments(options)).toMatchObject({ records: 3 });
  expect(await runPassages({ ...options, by: 'document' })).toMatchObject({ records: 3 });
  store.put('bucket/in.txt', 'a document');
  await expect(runDocuments({ ...options, inputs: ['s3://bucket/in.txt'], format: 'files' })).rejects.toThrow(
    'the documents are files, but s3://bucket/in.txt is an object of a store',
  );
});

test.each([
  ['a Parquet file', { inputs: ['s3://bucket/in.parquet'] }, 'cannot be read as parquet'],
  ['a log to follow', { inputs: ['s3://bucket/in.txt'], isFollowing: true }, 'isFollowing'],
])('%s is refused', async (_, options, problem) => {
  for (const key of ['in.parquet', 'in.txt']) store.put(`bucket/${key}`, 'text');
  await expect(run(options)).rejects.toThrow(problem);
});
