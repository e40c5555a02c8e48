// Objects as inputs: what is read of a store, what a later run knows of it, and what happens when a store fails.

import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import type { InputRequest, Source } from '../../../../src/io/source.js';
import { lookAtInput, requestOf, requestsOf } from '../../../../src/io/sources.js';
import { addressOf } from '../../../../src/io/store/name.js';
import { OpenStores } from '../../../../src/io/store/openstores.js';
import { PART_BYTES } from '../../../../src/io/store/parts.js';
import { objectRequests, Stores } from '../../../../src/io/store/request.js';
import type { Patience } from '../../../../src/io/store/retry.js';
import { Folders } from '../../../../src/io/system/folders.js';
import { type Fault, type ObjectStore, openForTest } from '../../../support/objectstore.js';
import { readAll } from '../support.js';

let store: ObjectStore;

beforeEach(async () => {
  store = await openForTest();
});

/** Short pauses, so that no test waits. */
const hasty: Patience = { attempts: 4, pauseMilliseconds: 1, maxPauseMilliseconds: 4, idleMilliseconds: 10_000 };

async function requested(name: string): Promise<InputRequest> {
  const [[request]] = (await objectRequests([name], new Stores(new OpenStores(), hasty))) as [[InputRequest]];
  return request;
}

async function sourceOf(name: string): Promise<Source> {
  return lookAtInput(await requested(name), 'lines');
}

async function textOf(source: Source, offset = 0): Promise<string> {
  return readAll(await source.open(offset === 0 ? undefined : { offset }));
}

/** Gives these faults to reads, one after the other. */
function failReads(...faults: Fault[]): void {
  store.fault = ({ method }) => (method === 'GET' ? faults.shift() : undefined);
}

test.each(['s3://bucket/in.txt', 'https'])('%s is read, from any position', async (given) => {
  store.put('bucket/in.txt', 'one\ntwo\nthree\n');
  const name = given === 'https' ? `${store.endpoint}/bucket/in.txt` : given;
  const source = await sourceOf(name);
  expect(source).toMatchObject({ name, mayGrow: false, note: { name, isFile: false, isRepeatable: true } });
  expect(await textOf(source)).toBe('one\ntwo\nthree\n');
  expect(await textOf(source, 4)).toBe('two\nthree\n');
  expect(await textOf(source, 14)).toBe('');
});

test('a compressed object is decompressed, whatever its name says', async () => {
  store.put('bucket/in', gzipSync('one\ntwo\nthree\n'));
  const source = await sourceOf('s3://bucket/in');
  expect(await textOf(await sourceOf('s3://bucket/in'), 8)).toBe('three\n');
  expect(await textOf(source)).toBe('one\ntwo\nthree\n');
});

test('an empty object has no records', async () => {
  store.put('bucket/in.txt', '');
  for (const name of ['s3://bucket/in.txt', `${store.endpoint}/bucket/in.txt`]) {
    expect(await textOf(await sourceOf(name))).toBe('');
  }
});

test('parts of a long object are read with the version that was looked at', async () => {
  const text = Buffer.alloc(2 * PART_BYTES + 5, 'abcdefghijk\n');
  store.put('bucket/long', text);
  const reader = await (await sourceOf('s3://bucket/long')).open();
  const target = Buffer.alloc(text.length + 1);
  let filled = 0;
  for (let read = 1; read > 0; filled += read) read = await reader.read(target.subarray(filled));
  await reader.close();
  expect(target.subarray(0, filled).equals(text)).toBe(true);
  const reads = store.requests.filter(({ method }) => method === 'GET');
  expect(reads.map(({ headers }) => headers.range)).toEqual([
    `bytes=0-${PART_BYTES - 1}`,
    `bytes=${PART_BYTES}-${2 * PART_BYTES - 1}`,
    `bytes=${2 * PART_BYTES}-${2 * PART_BYTES + 4}`,
  ]);
  expect(new Set(reads.map(({ headers }) => headers['if-match']))).toEqual(
    new Set([store.objects.get('bucket/long')?.etag]),
  );
});

describe('a failing store', () => {
  test('is asked again from the byte that was reached', async () => {
    store.put('bucket/in.txt', 'one\ntwo\nthree\n');
    const source = await sourceOf('s3://bucket/in.txt');
    failReads({ status: 503 }, { cutAfter: 6 }, { status: 500 });
    expect(await textOf(source)).toBe('one\ntwo\nthree\n');
    const ranges = store.requests.filter(({ method }) => method === 'GET').map(({ headers }) => headers.range);
    expect(ranges).toEqual(['bytes=0-13', 'bytes=0-13', 'bytes=6-13', 'bytes=6-13']);
  });

  test('is told after as many attempts as are allowed', async () => {
    store.put('bucket/in.txt', 'one\n');
    const source = await sourceOf('s3://bucket/in.txt');
    store.fault = () => ({ status: 503 });
    const error = await textOf(source).catch((cause) => cause);
    expect(error).toMatchObject({ code: 'E_INPUT' });
    expect(error.message).toBe(
      'cannot read s3://bucket/in.txt: the store answers 503 (SlowDown), after 4 attempts; run the same command again when the store answers',
    );
  });

  test('that does not answer is told too', async () => {
    store.put('bucket/in.txt', 'one\n');
    const address = addressOf('s3://bucket/in.txt');
    const status = await new Stores(new OpenStores(), hasty).look(address);
    const stores = new Stores(new OpenStores(), { ...hasty, attempts: 2, idleMilliseconds: 20 });
    const source = await stores.sourceOf(address, status, { isBinary: false, folders: new Folders() });
    failReads('hang', 'hang');
    await expect(textOf(source)).rejects.toThrow('the store has not answered for 0.02 s, after 2 attempts');
  });

  test('that refuses is not asked again', async () => {
    store.put('bucket/in.txt', 'one\n');
    const source = await sourceOf('s3://bucket/in.txt');
    failReads({ status: 403 });
    await expect(textOf(source)).rejects.toThrow('the store answers 403');
    expect(store.requests.filter(({ method }) => method === 'GET')).toHaveLength(1);
  });
});

test.each(['s3', 'https'])('an object of %s that changes is refused', async (given) => {
  store.put('bucket/in.txt', 'one\ntwo\n');
  const source = await sourceOf(given === 's3' ? 's3://bucket/in.txt' : `${store.endpoint}/bucket/in.txt`);
  failReads({ cutAfter: 3 });
  const before = store.fault;
  store.fault = (request) => {
    const fault = before(request);
    if (fault) queueMicrotask(() => store.put('bucket/in.txt', 'six\nten\n'));
    return fault;
  };
  const error = await textOf(source).catch((cause) => cause);
  expect(error).toMatchObject({ name: 'FirstseenError', code: 'E_INPUT' });
  expect(error.message).toContain('changed while it was read');
});

test('a later run knows an object by its version', async () => {
  store.put('bucket/in.txt', 'one\ntwo\n');
  const { note } = await sourceOf('s3://bucket/in.txt');
  expect(await (await sourceOf('s3://bucket/in.txt')).compare(note)).toBe('same');
  store.put('bucket/in.txt', 'six\nten\n');
  expect(await (await sourceOf('s3://bucket/in.txt')).compare(note)).toBe('other');
});

test('a server without ranges is read once, and not again after a cut', async () => {
  store.hasRanges = false;
  store.put('in.txt', 'one\ntwo\n');
  const source = await sourceOf(`${store.endpoint}/in.txt`);
  expect(source.note).toMatchObject({ isRepeatable: false });
  expect(await textOf(source)).toBe('one\ntwo\n');
  failReads({ cutAfter: 3 });
  await expect(textOf(source)).rejects.toThrow(/cannot read .*: the connection failed/);
});

describe('the objects of a name', () => {
  const namesOf = async (name: string) => (await requestsOf([name])).map((request) => request.name);

  beforeEach(() => {
    for (const key of ['a-b.gz', 'a/x.gz', 'a/y.txt', 'a/b/z.gz', 'a/', 'a/_SUCCESS', 'b.gz', '_c.gz']) {
      store.put(`bucket/${key}`, 'one\n');
    }
    store.pageSize = 3;
  });

  test.each([
    ['s3://bucket/*.gz', ['s3://bucket/a-b.gz', 's3://bucket/b.gz']],
    ['s3://bucket/_*.gz', ['s3://bucket/_c.gz']],
    ['s3://bucket/a/*', ['s3://bucket/a/x.gz', 's3://bucket/a/y.txt']],
    ['s3://bucket/a/', ['s3://bucket/a/b/z.gz', 's3://bucket/a/x.gz', 's3://bucket/a/y.txt']],
    ['s3://bucket/a/{x,y}.*', ['s3://bucket/a/x.gz', 's3://bucket/a/y.txt']],
    ['s3://bucket/b.gz', ['s3://bucket/b.gz']],
    ['s3://bucket/**/*.gz', ['s3://bucket/a/b/z.gz', 's3://bucket/a/x.gz', 's3://bucket/a-b.gz', 's3://bucket/b.gz']],
  ])('%s', async (name, expected) => {
    expect(await namesOf(name)).toEqual(expected);
  });

  test('that are none, or cannot be read, are refused', async () => {
    await expect(requestsOf(['s3://bucket/c/*'])).rejects.toMatchObject({ code: 'E_INPUT' });
    await expect(requestsOf(['s3://bucket/c'])).rejects.toThrow('cannot read s3://bucket/c: the store answers 404');
    await expect(requestsOf(['s3:///key'])).rejects.toMatchObject({ code: 'E_USAGE' });
    await expect(requestsOf(['az://container/key'])).rejects.toThrow('Azure Blob Storage does not have');
  });

  test('have the times by which they are ordered', async () => {
    const [request] = await requestsOf(['s3://bucket/b.gz']);
    expect(request?.file?.modifiedSeconds()).toBe(Date.parse('2026-01-02T03:04:05Z') / 1000);
  });
});

test('what may be a secret is in no message and in no state', async () => {
  const { host } = new URL(store.endpoint);
  store.put('in.txt', 'one\n');
  const name = `http://user:password@${host}/in.txt?signature=secret`;
  const source = await sourceOf(name);
  expect(store.requests.at(-1)?.headers.authorization).toBe(`Basic ${btoa('user:password')}`);
  expect(store.requests.at(-1)?.query.get('signature')).toBe('secret');
  expect(JSON.stringify([source.name, source.note, requestOf(name).name])).not.toMatch(/password|secret/);
  store.fault = () => ({ status: 403 });
  const error = await textOf(source).catch((cause) => cause);
  expect(`${error.stack}${JSON.stringify(error.data)}`).not.toMatch(/password|secret|AKIA/);
  await expect(requestsOf([name, name.replace('secret', 'other')])).rejects.toThrow('with other queries');
  expect(() => addressOf('https://user:pass/word@host/x')).toThrow('https://... is not the name');
  expect(() => addressOf('s3://key:secret@bucket/x')).toThrow('s3://... is not the name');
});

test('a request without a look has no size and no time', () => {
  const { file } = requestOf('s3://bucket/key');
  expect(file?.kind()).toBe('object');
  expect(file?.modifiedSeconds()).toBeUndefined();
});
