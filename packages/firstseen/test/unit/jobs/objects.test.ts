// Runs over objects of a store: with a state they go on as runs over files do.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
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

  /** Stops at the end of the first object, or in the middle of the second. */
  async function stopped(from: string): Promise<RunStats> {
    const stop = new AbortController();
    store.fault = ({ method, path }) => {
      if (method === 'GET' && path === from) stop.abort();
      return undefined;
    };
    const stats = await run({ ...state(), signal: stop.signal });
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
    const first = await stopped('bucket/2');
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
