// Arrays of another realm count as those of this one. Arrays whose memory is gone, or is that of a detector, are refused.

import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { kernelOf } from '../../../src/detectors/detector.js';
import { create, createPool, dedup, dedupBytes, keyOf, load, save } from '../../../src/index.js';
import { createMotifs, loadMotifs } from '../../../src/motifs.js';
import { createNear, loadNear } from '../../../src/near.js';
import { dedupBytesTransform, loadThreaded } from '../../../src/node.js';

const options = { algorithm: 'exact', memory: '64KiB' } as const;

/** Arrays of another realm, whose classes are not those of this one. */
const foreign = {
  bytes: (...bytes: number[]): Uint8Array => runInNewContext('Uint8Array.from(bytes)', { bytes }),
  words: (...words: bigint[]): BigUint64Array => runInNewContext('BigUint64Array.from(words)', { words }),
};

/** The bytes in memory that threads share. */
function sharedBytes(bytes: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

function detached<Array extends Uint8Array | BigUint64Array>(array: Array): Array {
  structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] });
  return array;
}

function refused(code: string, text: string) {
  return expect.objectContaining({ code, message: expect.stringContaining(text) });
}

describe('arrays of another realm', () => {
  test('have other classes', () => {
    expect(foreign.bytes(1) instanceof Uint8Array).toBe(false);
    expect(foreign.words(1n) instanceof BigUint64Array).toBe(false);
  });

  test('are keys, and items of a stream', async () => {
    const detector = await create(options);
    expect([detector.observe(Uint8Array.of(97)), detector.observe(foreign.bytes(97)), detector.test('a')]).toEqual([
      'distinct',
      'duplicate',
      'duplicate',
    ]);
    const passed: Uint8Array[] = [];
    for await (const item of dedup([foreign.bytes(1), Uint8Array.of(1), foreign.bytes(2)], options)) passed.push(item);
    expect(passed.map((item) => [...item])).toEqual([[1], [2]]);
  });

  test('are batches', async () => {
    const detector = await create(options);
    const verdicts = foreign.bytes(7, 7, 7);
    expect(detector.observeBatch(foreign.words(1n, 2n, 1n), verdicts)).toBe(verdicts);
    expect([...verdicts]).toEqual([0, 0, 1]);
    expect([...detector.testBatch(BigUint64Array.of(2n))]).toEqual([1]);
  });

  test('are snapshots, notes and secrets', async () => {
    const secret = foreign.bytes(...Array.from({ length: 16 }, (_, i) => i));
    const detector = await create({ ...options, secret });
    detector.observe('a');
    const snapshot = foreign.bytes(...(await save(detector, foreign.bytes(5))));
    for (const loaded of [await load(snapshot), await load([snapshot])]) {
      expect([loaded.test('a'), [...loaded.note]]).toEqual(['duplicate', [5]]);
    }
  });

  test('are documents and records', async () => {
    const near = await createNear();
    near.observe('one two three four five six');
    const document = foreign.bytes(...new TextEncoder().encode('one two three four five six'));
    expect(near.test(document).verdict).toBe('duplicate');
    const record = foreign.bytes(...new TextEncoder().encode('{"id":7}'));
    expect(keyOf(['id'], record)).toEqual(keyOf(['id'], { id: 7 }));
    expect([...(keyOf(['id'], { id: foreign.bytes(9) }, { format: 'csv' }) ?? [])]).toEqual([9]);
  });
});

describe('arrays in memory that threads share', () => {
  test('count as others', async () => {
    const detector = await create(options);
    detector.observe('a');
    expect(detector.test(sharedBytes(Uint8Array.of(97)))).toBe('duplicate');
    const verdicts = sharedBytes(new Uint8Array(2));
    detector.observeBatch(new BigUint64Array(sharedBytes(new Uint8Array(16)).buffer), verdicts);
    expect([...verdicts]).toEqual([0, 1]);
    expect((await load(sharedBytes(await save(detector)))).test('a')).toBe('duplicate');
  });
});

describe('what is not an array of bytes', () => {
  test.each([
    [new DataView(new ArrayBuffer(1))],
    [new Int8Array(1)],
    [new ArrayBuffer(1)],
    [{ [Symbol.toStringTag]: 'Uint8Array', length: 1 }],
  ])('is refused (%#)', async (value) => {
    const detector = await create(options);
    const given = value as unknown as Uint8Array;
    expect(() => detector.observe(given)).toThrow(refused('E_KEY', 'a key has the type object'));
    expect(() => detector.observeBatch(BigUint64Array.of(1n), given)).toThrow(refused('E_PARAMETER', 'wrong type'));
    await expect(load(given)).rejects.toThrow(refused('E_SNAPSHOT', ''));
    await expect(save(detector, given)).rejects.toThrow(refused('E_PARAMETER', 'note is of type object'));
    expect(detector.observed).toBe(0);
  });
});

describe('a snapshot in a buffer', () => {
  const runs = (value: ArrayBufferLike) => runInNewContext('buffer.slice(0)', { buffer: value }) as ArrayBufferLike;

  test('or a view of one is loaded, and of a view only what it shows', async () => {
    const detector = await create(options);
    detector.observe('a');
    const snapshot = await save(detector);
    const { buffer } = Uint8Array.of(...new Uint8Array(3), ...snapshot, 7);
    const shared = sharedBytes(snapshot);
    const pool = await createPool({ memory: '1MiB', detector: options });
    for (const given of [
      ...[snapshot.buffer, shared.buffer, runs(snapshot.buffer)],
      ...[new DataView(buffer, 3, snapshot.length), new Int8Array(buffer, 3, snapshot.length)],
    ]) {
      expect((await load(given)).test('a')).toBe('duplicate');
      expect(pool.load('b', given).test('a')).toBe('duplicate');
      pool.delete('b');
    }
  });

  test('is loaded by what loads near-duplicates, motifs and threads', async () => {
    const near = (await save(await createNear({ memory: '1MiB' }))).buffer;
    expect((await loadNear(near)).stats().observed).toBe(0);
    const motifs = (await save(await createMotifs({ recordBytes: 8 }))).buffer;
    expect((await loadMotifs(motifs)).settings.recordBytes).toBe(8);
    const threaded = await loadThreaded((await save(await create(options))).buffer, { threads: 1 });
    await threaded.close();
  });

  test.each([
    ['a buffer', (bytes: Uint8Array) => bytes.buffer],
    ['a view', (bytes: Uint8Array) => new DataView(bytes.buffer)],
    ['an array', (bytes: Uint8Array) => bytes],
  ])('that was transferred is refused, of %s', async (_, viewed) => {
    const snapshot = await save(await create(options));
    const given = viewed(snapshot);
    detached(snapshot);
    await expect(load(given)).rejects.toThrow(refused('E_SNAPSHOT', 'the buffer of the snapshot is detached'));
  });

  test.each([
    ...[undefined, null, 'a', 7, {}, { [Symbol.toStringTag]: 'ArrayBuffer' }, new Blob()],
    new Proxy(new ArrayBuffer(64), {}),
  ])('is not %o, and the error says what is', async (given) => {
    await expect(load(given as never)).rejects.toThrow(
      refused('E_SNAPSHOT', `a snapshot has the type ${typeof given}; pass what save resolves to; of a Blob`),
    );
  });
});

describe('arrays whose memory is gone', () => {
  test('are refused as batches', async () => {
    const detector = await create(options);
    const [words, bytes] = [detached(BigUint64Array.of(1n)), detached(Uint8Array.of(0))];
    for (const batch of [() => detector.observeBatch(words), () => detector.testBatch(new BigUint64Array(0), bytes)]) {
      expect(batch).toThrow(refused('E_PARAMETER', 'the buffer of fingerprints or verdicts is detached'));
    }
    expect([...detector.observeBatch(new BigUint64Array(0))]).toEqual([]);
  });

  test('are refused as keys and verdicts of many', async () => {
    const detector = await create(options);
    const gone = detached(Uint8Array.of(0));
    for (const method of ['observeMany', 'testMany'] as const) {
      expect(() => detector[method]([], gone)).toThrow(refused('E_PARAMETER', 'the buffer of verdicts is detached'));
      expect(() => detector[method]([gone])).toThrow(refused('E_KEY', 'the buffer of a key is detached'));
    }
    expect([...detector.observeMany([new Uint8Array(0)])]).toEqual([0]);
  });

  test('are refused as snapshots, notes and documents', async () => {
    const detector = await create(options);
    const snapshot = detached(await save(detector));
    await expect(load(snapshot)).rejects.toThrow(refused('E_SNAPSHOT', 'the buffer of the snapshot is detached'));
    await expect(save(detector, snapshot)).rejects.toThrow(refused('E_PARAMETER', 'note is a detached Uint8Array'));
    const near = await createNear();
    expect(() => near.observe(snapshot)).toThrow(refused('E_KEY', 'the buffer of a document is detached'));
  });

  test('of buffers and of views of them are parts of a snapshot', async () => {
    const detector = await create(options);
    detector.observe('a');
    const snapshot = await save(detector);
    const { buffer, byteOffset } = snapshot;
    const parts = [snapshot.slice(0, 100).buffer, new DataView(buffer, byteOffset + 100, snapshot.length - 100)];
    expect((await load(parts)).observe('a')).toBe('duplicate');
  });

  test('are refused as parts of a snapshot and records', async () => {
    const gone = detached(new Uint8Array(64));
    const snapshot = await save(await create(options));
    for (const parts of [[gone], [snapshot.subarray(0, 9), gone, snapshot.subarray(9)]]) {
      await expect(load(parts)).rejects.toThrow(
        refused('E_SNAPSHOT', 'the buffer of a chunk of a snapshot is detached'),
      );
    }
    const motifs = await createMotifs({ recordBytes: 8 });
    expect(() => motifs.observe(gone)).toThrow(refused('E_PARAMETER', 'the buffer of records is detached'));
    expect(motifs.stats().records).toBe(0);
    expect(() => keyOf(['id'], gone)).toThrow(refused('E_RECORD', 'the buffer of a record is detached'));
    expect(() => keyOf(['id'], { id: gone }, { format: 'csv' })).toThrow(
      refused('E_RECORD', 'the buffer of a field is detached'),
    );
  });

  test('are refused as chunks, and what came before them has passed', async () => {
    const passed: string[] = [];
    const transform = dedupBytes({ ...options, format: 'lines' });
    const reading = (async () => {
      for await (const bytes of transform.readable) passed.push(Buffer.from(bytes).toString());
    })();
    const writer = transform.writable.getWriter();
    await writer.write(Buffer.from('a\na\n'));
    for (const failed of [writer.write(detached(new TextEncoder().encode('b\n'))), reading]) {
      await expect(failed).rejects.toThrow(refused('E_INPUT', 'the buffer of a chunk is detached'));
    }
    expect(passed).toEqual(['a\n']);
    const buffer = Buffer.from(new ArrayBuffer(2));
    const nodeTransform = dedupBytesTransform({ ...options, format: 'lines' });
    nodeTransform.end(detached(buffer));
    await expect(nodeTransform.toArray()).rejects.toThrow(refused('E_INPUT', 'the buffer of a chunk is detached'));
  });
});

describe('arrays that share memory', () => {
  test('of the detector are refused', async () => {
    const detector = await create(options);
    const { bytes, fingerprints } = kernelOf(detector);
    expect(() => detector.observe(bytes.subarray(0, 8))).toThrow(refused('E_KEY', 'in the memory of the detector'));
    for (const batch of [
      () => detector.observeBatch(fingerprints.subarray(0, 2), new Uint8Array(2)),
      () => detector.observeBatch(BigUint64Array.of(1n, 2n), bytes.subarray(0, 2)),
    ]) {
      expect(batch).toThrow(refused('E_PARAMETER', 'in the memory of the detector'));
    }
    expect(detector.observed).toBe(0);
  });

  test('of the detector are refused as keys and verdicts of many', async () => {
    const detector = await create(options);
    const { bytes, regionOffset, verdicts } = kernelOf(detector);
    for (const method of ['observeMany', 'testMany'] as const) {
      for (const own of [verdicts.subarray(0, 2), bytes.subarray(0, 2)]) {
        expect(() => detector[method](['a', 'b'], own)).toThrow(
          refused('E_PARAMETER', 'in the memory of the detector'),
        );
      }
      for (const at of [0, regionOffset, regionOffset + 7]) {
        const given = ['key', bytes.subarray(at, at + 8)];
        expect(() => detector[method](given)).toThrow(refused('E_KEY', 'in the memory of the detector'));
      }
    }
    expect(detector.observed).toBe(3);
  });

  test('with each other are refused if they overlap', async () => {
    const detector = await create(options);
    const buffer = new ArrayBuffer(64);
    const words = new BigUint64Array(buffer, 8, 2);
    expect(() => detector.observeBatch(words, new Uint8Array(buffer, 22, 2))).toThrow(
      refused('E_PARAMETER', 'fingerprints and verdicts overlap in memory'),
    );
    expect(detector.observed).toBe(0);
    for (const at of [6, 24]) detector.observeBatch(words, new Uint8Array(buffer, at, 2));
    expect(detector.observed).toBe(4);
  });
});

test('a secret in a Buffer is copied', async () => {
  const secret = Buffer.alloc(16, 1);
  const detector = await create({ ...options, secret });
  const expected = await create({ ...options, secret: Buffer.alloc(16, 1) });
  secret.fill(2);
  const loaded = await load(await save(detector));
  loaded.observe('a');
  expect(loaded.fingerprint('a')).toBe(expected.fingerprint('a'));
  expect(detector.settings.secret?.equals(expected.settings.secret as never)).toBe(true);
});
