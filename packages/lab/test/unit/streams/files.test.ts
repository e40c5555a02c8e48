import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { distinctShare } from 'firstseen/internal';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mix64 } from '../../../../firstseen/test/reference/random.js';
import { referenceXxh64 } from '../../../../firstseen/test/reference/xxh64.js';
import type { Identity, StreamSpec } from '../../../src/contract.js';
import { openStream } from '../../../src/measure/stream.js';
import { streamModel } from '../../../src/streams/registry.js';
import { expectedOf, truthByte } from '../../reference/streams/twin.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstseen-lab-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function fileOf(name: string, text: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

function specOf(kind: string, path: string, lengthElements = 0): StreamSpec {
  return { kind, lengthElements, seed: 9, settings: { path } };
}

async function elementsOf(spec: StreamSpec, identity: Identity, isByGap = false) {
  const stream = await openStream(spec, { identity, isByGap });
  const fingerprints: bigint[] = [];
  const truth: number[] = [];
  for (let count = 1; count > 0; ) {
    count = await stream.next(1000);
    fingerprints.push(...stream.fingerprints.subarray(0, count));
    truth.push(...stream.truth.subarray(0, count));
  }
  await stream.close();
  return { fingerprints, truth, length: stream.resolved.lengthElements };
}

test('identifiers are numbers between white space and commas', async () => {
  const path = await fileOf('ids.txt', '\n 5,7\r\n5\t9007199254740991,, 0007\n4294967296 5');
  const { fingerprints, truth, length } = await elementsOf(specOf('ids', path), 'identifier', true);
  expect(fingerprints).toEqual([5n, 7n, 5n, 9007199254740991n, 7n, 4294967296n, 5n]);
  expect(truth).toEqual([0, 0, 2, 0, 3, 0, 3]);
  expect(length).toBe(7);
});

test('a long file is the same stream compressed or not, and ends after the requested number of elements', async () => {
  const numbers = Array.from({ length: 300_000 }, (_, i) => mix64(BigInt(i)) % 100_000n);
  const text = numbers.join('\n');
  const expected = expectedOf((index) => numbers[index] as bigint, numbers.length, { seed: 9, identity: 'hashed' });
  const truth = expected.gaps.map((gap) => truthByte(gap, false));
  for (const path of [await fileOf('long.txt', text), await fileOf('long.txt.gz', gzipSync(text))]) {
    const found = await elementsOf(specOf('ids', path), 'hashed');
    expect(found.fingerprints).toEqual(expected.fingerprints);
    expect(found.truth).toEqual(truth);
  }
  const part = await elementsOf(specOf('ids', join(folder, 'long.txt'), 1234), 'hashed');
  expect(part.fingerprints).toEqual(expected.fingerprints.slice(0, 1234));
});

test('lines are compared by all their bytes, as in the command: a carriage return counts, and so do empty lines', async () => {
  const path = await fileOf('lines.txt', 'a\n\nb\r\na\n\r\nb');
  const { fingerprints, truth } = await elementsOf(specOf('lines', path), 'hashed');
  const hashes = ['a', '', 'b\r', 'a', '\r', 'b'].map((line) => referenceXxh64(new TextEncoder().encode(line), 9n));
  expect(fingerprints).toEqual(
    expectedOf((index) => hashes[index] as bigint, 6, { seed: 9, identity: 'hashed' }).fingerprints,
  );
  expect(truth).toEqual([0, 0, 0, 1, 0, 0]);
});

test('the model of a file comes from its elements', async () => {
  const path = await fileOf('model.txt', Array.from({ length: 1000 }, (_, i) => i % 250).join(' '));
  expect(distinctShare(await streamModel(specOf('ids', path)))).toBeCloseTo(0.25, 1);
});

test.each<[string, string, Identity, string]>([
  ['ids', '1 2 x3', 'hashed', 'E_RECORD'],
  ['ids', '1 9007199254740992', 'hashed', 'E_RECORD'],
  ['ids', ' ,\n', 'hashed', 'E_INPUT'],
  ['lines', 'a\nb', 'identifier', 'E_PARAMETER'],
])('%s of %j as %s are refused', async (kind, text, identity, code) => {
  const path = await fileOf('refused.txt', text);
  await expect(elementsOf(specOf(kind, path), identity)).rejects.toMatchObject({ code });
});

test('an element that is longer than its buffer is refused', async () => {
  const path = await fileOf('huge.txt', 'x'.repeat(2 ** 20 + 1));
  await expect(elementsOf(specOf('lines', path), 'hashed')).rejects.toMatchObject({
    code: 'E_RECORD',
    message: expect.stringContaining(`element 1 of ${path} is longer`),
  });
});

test('an element that is not a number is named in the error', async () => {
  const path = await fileOf('third.txt', '1 2\nx3 4');
  await expect(elementsOf(specOf('ids', path), 'hashed')).rejects.toThrow(
    `element 3 of ${path} is "x3", but must be a whole number`,
  );
});

test.each(['-', '/'])('%s is refused, because it cannot be read twice', async (path) => {
  await expect(elementsOf(specOf('lines', path), 'hashed')).rejects.toMatchObject({
    code: 'E_INPUT',
    message: expect.stringContaining('is not a regular file'),
  });
});

test('a file that does not exist is refused', async () => {
  await expect(elementsOf(specOf('ids', join(folder, 'none')), 'hashed')).rejects.toMatchObject({ code: 'E_INPUT' });
});
