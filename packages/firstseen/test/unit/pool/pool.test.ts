import { describe, expect, test } from 'vitest';
import { dispose } from '../../../src/base/dispose.js';
import type { errorCodes } from '../../../src/errors.js';
import {
  create,
  createClaims,
  createPool,
  type Detector,
  type DetectorPool,
  dedup,
  load,
  type PoolOptions,
  save,
  snapshotChunks,
} from '../../../src/index.js';
import { REGISTERS_BYTES } from '../../../src/kernel/abi.js';
import { repartition } from '../../../src/partitions.js';
import { readLengths } from '../../../src/snapshot/frame.js';
import { resealed } from '../../fuzz/mutate.js';
import { inLongForm } from '../../support/form.js';
import { Random } from '../../support/streams.js';

const KIBIBYTE = 1024;
const DETECTOR_BYTES = KIBIBYTE + REGISTERS_BYTES;
const detector = { memory: '1KiB' } as const;
/** The offset in a snapshot of the number of stored bytes of cells. */
const STORED_CELLS_BYTES = 56;

/** A pool with room for some detectors of 1 KiB. */
function poolOf(most: number, options: Partial<PoolOptions> = {}): Promise<DetectorPool> {
  return createPool({ memory: most * DETECTOR_BYTES, detector, ...options });
}

/** A full pool of detectors that have seen their names. */
async function fullPool(names: readonly string[], options: Partial<PoolOptions> = {}): Promise<DetectorPool> {
  const pool = await poolOf(names.length, options);
  for (const name of names) pool.get(name).observe(name);
  return pool;
}

const refused = (code: keyof typeof errorCodes, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

describe('names', () => {
  test('each name has a detector of its own', async () => {
    const pool = await poolOf(10);
    expect(pool.get('tenant-42').observe('key')).toBe('distinct');
    expect(pool.get('tenant-43').observe('key')).toBe('distinct');
    expect(pool.get('tenant-42').observe('key')).toBe('duplicate');
    expect(pool.get('tenant-42')).toBe(pool.get('tenant-42'));
  });

  test('any text is a name, and nothing else is', async () => {
    const pool = await poolOf(20);
    for (const name of ['__proto__', 'constructor', '', 'toString', ' ', '\0', '\ud800', 'x'.repeat(100_000)]) {
      expect(pool.has(name)).toBe(false);
      expect(pool.get(name).observe('key')).toBe('distinct');
      expect(pool.has(name)).toBe(true);
    }
    for (const name of [undefined, null, 1, {}, ['a'], Symbol('a')]) {
      expect(() => pool.get(name as string)).toThrow(refused('E_PARAMETER', /^name is .*, but must be text$/));
    }
    expect(pool.size).toBe(8);
  });

  test('names and detectors are listed in the order in which they came', async () => {
    const pool = await fullPool(['b', 'a', 'c']);
    pool.get('b').observe('again');
    expect([...pool.names()]).toEqual(['b', 'a', 'c']);
    expect([...pool].map(([name, { observed }]) => [name, observed])).toEqual([
      ['b', 2],
      ['a', 1],
      ['c', 1],
    ]);
    for (const [name] of pool) pool.delete(name);
    expect(pool.size).toBe(0);
  });
});

describe('memory', () => {
  test('a detector takes 1 KiB beside its cells, and kernels are added as they are needed', async () => {
    const pool = await createPool({ memory: '256MiB', detector });
    expect(pool.stats()).toEqual({
      detectors: 0,
      maxDetectors: 2 ** 17,
      detectorBytes: 2048,
      memoryBytes: 2 ** 28,
      takenBytes: 0,
      evicted: 0,
    });
    const taken = [1, 512, 513, 1024, 1025, 2048, 2049].map((count) => {
      while (pool.size < count) pool.get(`${pool.size}`);
      return pool.stats().takenBytes / 2 ** 20;
    });
    expect(taken).toEqual([1, 1, 2, 2, 4, 4, 8]);
  });

  test('the kernels together have exactly the memory', async () => {
    const pool = await poolOf(1500);
    for (let i = 0; i < 1500; i++) pool.get(`${i}`);
    expect(pool.stats()).toMatchObject({ detectors: 1500, takenBytes: 1500 * DETECTOR_BYTES });
    expect(() => pool.get('1500')).toThrow(refused('E_MEMORY', /^the pool is full: it has 1,500 detectors, in /));
  });

  test('many detectors of 1 KiB answer right', async () => {
    const count = inLongForm(100_000, 20_000);
    const pool = await createPool({ memory: inLongForm('256MiB', '64MiB'), detector });
    for (let i = 0; i < count; i++) pool.get(`tenant ${i}`).observe(i);
    expect(pool.stats()).toMatchObject({ detectors: count, detectorBytes: 2048 });
    expect(pool.stats().takenBytes).toBeLessThanOrEqual(inLongForm(2 ** 28, 2 ** 26));
    const random = new Random(1);
    let wrong = 0;
    for (let i = 0; i < count; i++) {
      const at = random.below(count);
      const one = pool.get(`tenant ${at}`);
      if (one.test(at) !== 'duplicate' || one.observed !== 1 || one.test(count + at) !== 'distinct') wrong++;
    }
    expect(wrong).toBe(0);
  });

  test('the memory of a deleted detector is empty for the next', async () => {
    const pool = await fullPool(['a', 'b']);
    const late = pool.get('a');
    expect(pool.delete('a')).toBe(true);
    expect(pool.delete('a')).toBe(false);
    const next = pool.get('c');
    expect(await save(next)).toEqual(await save(await create(detector)));
    expect(next.test('a')).toBe('distinct');
    expect(pool.stats().takenBytes).toBe(2 * DETECTOR_BYTES);
    expect(() => late.test('a')).toThrow(refused('E_CLOSED', /^the detector "a" was deleted from its pool; get it /));
  });

  test('a memory for less than one detector is refused', async () => {
    await expect(createPool({ memory: 2047, detector })).rejects.toEqual(
      refused('E_MEMORY', /^memory is 2047, but must be at least 2,048 bytes, which one detector takes$/),
    );
    await expect(createPool({ memory: '8GiB', detector: { memory: 2 ** 32 - 2 ** 20 } })).rejects.toEqual(
      refused('E_MEMORY', /^detector.memory is 4293918720, but must be less than/),
    );
    await expect(createPool({} as PoolOptions)).rejects.toEqual(
      refused('E_MEMORY', /^memory is undefined, but must be/),
    );
  });
});

describe('a full pool', () => {
  test('refuses a new name by default, and keeps what it has', async () => {
    const pool = await fullPool(['a', 'b']);
    expect(() => pool.get('c')).toThrow(
      refused('E_MEMORY', /^the pool is full: it has 2 detectors, in 4KiB; give more memory/),
    );
    expect([...pool.names()]).toEqual(['a', 'b']);
    expect(pool.get('a').observe('a')).toBe('duplicate');
  });

  test('evicts the detector that was used least recently', async () => {
    const pool = await fullPool(['a', 'b', 'c', 'd'], { whenFull: 'evict' });
    const [a, b] = [pool.get('a'), pool.get('b')];
    pool.get('c');
    a.test('x');
    pool.get('e');
    expect([...pool.names()]).toEqual(['a', 'b', 'c', 'e']);
    pool.get('f');
    expect([...pool.names()]).toEqual(['a', 'c', 'e', 'f']);
    expect(() => b.observe('b')).toThrow(
      refused('E_CLOSED', /^the detector "b" left its pool, which was full; get it/),
    );
    expect(pool.stats().evicted).toBe(2);
    expect(pool.get('b').test('b')).toBe('distinct');
  });

  test('neither has, names, stats nor the iteration is a use', async () => {
    const pool = await fullPool(['a', 'b'], { whenFull: 'evict' });
    pool.has('a');
    pool.names();
    pool.stats();
    expect([...pool]).toHaveLength(2);
    pool.get('c');
    expect([...pool.names()]).toEqual(['b', 'c']);
  });

  test('hands the snapshot of the evicted detector to onEvict', async () => {
    const kept = new Map<string, Uint8Array>();
    const pool = await fullPool(['a', 'b'], { onEvict: (name, snapshot) => kept.set(name, snapshot) });
    const alone = await create(detector);
    alone.observe('a');
    pool.get('c');
    expect(kept.get('a')).toEqual(await save(alone));
    expect(pool.load('a', kept.get('a') as Uint8Array).observe('a')).toBe('duplicate');
    expect([...kept.keys()]).toEqual(['a', 'b']);
    expect((await load(kept.get('b') as Uint8Array)).observe('b')).toBe('duplicate');
  });

  test('loads what Node has read from a file', async () => {
    const pool = await createPool({ memory: '64KiB', detector });
    pool.get('a').observe('x');
    // A buffer in the middle of another, whose slices are views.
    const snapshot = pool.save('a');
    const read = Buffer.concat([Buffer.alloc(24, 7), snapshot]).subarray(24);
    pool.delete('a');
    expect(pool.load('a', read).observe('x')).toBe('duplicate');
    expect(pool.save('a')).not.toEqual(snapshot);
  });

  test('keeps a detector when onEvict throws', async () => {
    let isBroken = true;
    const onEvict = () => {
      if (isBroken) throw new Error('no disk');
    };
    const pool = await fullPool(['a', 'b'], { onEvict });
    expect(() => pool.get('c')).toThrow('no disk');
    expect([...pool.names()]).toEqual(['a', 'b']);
    expect(pool.stats().evicted).toBe(0);
    for (const name of ['a', 'b']) expect(pool.get(name).observe(name)).toBe('duplicate');
    isBroken = false;
    expect(pool.get('c').observe('a')).toBe('distinct');
    expect(pool.size).toBe(2);
  });

  test('is not changed by onEvict, and the evicted detector takes nothing more', async () => {
    const changes: ((pool: DetectorPool, evicted: Detector) => unknown)[] = [
      (pool) => pool.get('d'),
      (pool) => pool.get('b'),
      (pool) => pool.delete('a'),
      (pool) => pool.clear(),
      (pool) => pool[dispose](),
      (pool) => pool.load('d', new Uint8Array(0)),
      (pool) => (pool as unknown as { get: (name: string) => Detector }).get('a'),
      (_pool, evicted) => evicted.observe('late'),
    ];
    for (const [i, change] of changes.entries()) {
      const pool: DetectorPool = await fullPool(['a', 'b'], { onEvict: () => change(pool, a) });
      const a = pool.get('a');
      pool.get('b');
      const code = i === changes.length - 1 ? 'E_CLOSED' : 'E_USAGE';
      expect(() => pool.get('c')).toThrow(refused(code, /./));
      expect([...pool.names()]).toEqual(['a', 'b']);
      expect(a.observe('late')).toBe('distinct');
    }
  });

  test('lets the other detectors be used within onEvict', async () => {
    const pool: DetectorPool = await fullPool(['a', 'b'], { onEvict: () => b.observe('within') });
    const b = pool.get('b');
    expect(pool.get('c').observe('c')).toBe('distinct');
    expect(b.test('within')).toBe('duplicate');
  });

  test('does not evict a detector whose claims hold keys', async () => {
    const pool = await fullPool(['a', 'b'], { whenFull: 'evict' });
    const claim = createClaims(pool.get('a')).claim('k');
    pool.get('b');
    pool.get('c');
    expect([...pool.names()]).toEqual(['a', 'c']);
    const other = createClaims(pool.get('c')).claim('k');
    expect(() => pool.get('d')).toThrow(
      refused(
        'E_MEMORY',
        /^the pool is full: it has 2 detectors, whose claims hold keys, in 4KiB; give more memory, or settle/,
      ),
    );
    if (claim.verdict !== 'distinct' || other.verdict !== 'distinct') throw new Error('the keys are new');
    expect(claim.commit()).toBe('committed');
    expect(pool.get('a').test('k')).toBe('duplicate');
    pool.get('c');
    pool.get('d');
    expect([...pool.names()]).toEqual(['c', 'd']);
    pool.delete('c');
    expect(() => other.commit()).toThrow(refused('E_CLOSED', /^the detector "c" was deleted/));
  });

  test('answers as detectors by themselves through many evictions', async () => {
    const kept = new Map<string, Uint8Array>();
    const pool = await poolOf(7, { onEvict: (name, snapshot) => kept.set(name, snapshot) });
    const names = Array.from({ length: 20 }, (_, i) => `${i}`);
    const alone = new Map(await Promise.all(names.map(async (name) => [name, await create(detector)] as const)));
    const random = new Random(3);
    for (let i = 0; i < 3000; i++) {
      const name = names[random.below(names.length)] as string;
      const snapshot = kept.get(name);
      const one = pool.has(name) || !snapshot ? pool.get(name) : pool.load(name, snapshot);
      const key = random.below(300);
      expect(one.observe(key)).toBe(alone.get(name)?.observe(key));
    }
    expect(pool.stats().evicted).toBeGreaterThan(1000);
    expect(pool.stats().takenBytes).toBe(7 * DETECTOR_BYTES);
  });
});

describe('snapshots', () => {
  test('a snapshot of other settings is refused', async () => {
    const pool = await poolOf(3);
    const cases = [
      [{ memory: '2KiB' }, /memory is 2048 in the snapshot, not 1024/],
      [{ ...detector, algorithm: 'bloom' }, /algorithm is bloom in the snapshot, not qht; .*parameter/],
      [{ ...detector, layout: 'classic' }, /layout is classic in the snapshot, not blocked/],
      [{ ...detector, seed: 1 }, /seed is 1 in the snapshot, not 0/],
      [{ ...detector, fingerprint: 'rabin' }, /fingerprint is rabin in the snapshot, not xxh64/],
      [{ ...detector, secret: 'random' }, /the secret is another/],
      [{ ...detector, witness: true }, /memory of the witness is 524288 in the snapshot, not 0/],
      [{ memory: '4KiB', partitions: 2 }, /partitions is 2 in the snapshot, not 1/],
      [{ ...detector, keys: ['id'] }, /the keys of this snapshot are made from id/],
    ] as const;
    for (const [options, message] of cases) {
      const snapshot = await save(await create(options));
      expect(() => pool.load('a', snapshot)).toThrow(refused('E_STATE_DIFFERS', message));
    }
    expect(pool.size).toBe(0);
    const keyed = await createPool({ memory: '1MiB', detector: { ...detector, secret: '0'.repeat(32) } });
    const same = await save(await create({ ...detector, secret: '0'.repeat(32) }));
    const another = await save(await create({ ...detector, secret: '1'.repeat(32) }));
    expect(keyed.load('a', same).observed).toBe(0);
    expect(() => keyed.load('b', another)).toThrow(refused('E_STATE_DIFFERS', /the secret is another/));
    expect(() => keyed.load('b', another)).not.toThrow(/0000|1111/);
  });

  test('a broken snapshot is refused, and its memory is free again', async () => {
    const pool = await poolOf(1);
    pool.get('a').observe('a');
    const snapshot = pool.save('a');
    pool.delete('a');
    const broken: [Uint8Array, RegExp][] = [
      [new Uint8Array(0), /fewer than a header/],
      [snapshot.subarray(0, -1), /it should have/],
      [snapshot.with(30, 1), /the checksum of its header is wrong/],
      [snapshot.with(snapshot.length - 20, 99), /the checksum of its cells is wrong/],
      [snapshot.with(snapshot.length - 1, 99), /the checksum of its cells is wrong/],
    ];
    for (const [bytes, message] of broken) {
      expect(() => pool.load('a', bytes)).toThrow(refused('E_SNAPSHOT', message));
    }
    expect(() => pool.load('a', 'text' as unknown as Uint8Array)).toThrow(refused('E_SNAPSHOT', /the type string/));
    expect(pool.size).toBe(0);
    expect(pool.get('b').test('a')).toBe('distinct');
    expect(await save(pool.get('b'))).toEqual(await save(await create(detector)));
  });

  test('a snapshot whose cells are not whole words is refused, even if its checksums are right', async () => {
    const pool = await poolOf(1);
    pool.get('a').observe('a');
    const snapshot = pool.save('a');
    pool.delete('a');
    const { headerBytes, storedCellsBytes } = readLengths(snapshot, snapshot.length);
    const [odd, oddBytes] = [snapshot.slice(0, -4), storedCellsBytes - 4];
    const view = new DataView(odd.buffer);
    view.setBigUint64(STORED_CELLS_BYTES, BigInt(oddBytes), true);
    expect(() => pool.load('a', resealed(odd))).toThrow(
      refused(
        'E_SNAPSHOT',
        new RegExp(`it should have ${oddBytes} of 1024 bytes of cells, which its memory does not have`),
      ),
    );
    expect(headerBytes + storedCellsBytes + 8).toBe(snapshot.length);
    expect(pool.size).toBe(0);
  });

  test('a name is loaded once, and only known names are saved', async () => {
    const pool = await fullPool(['a']);
    expect(() => pool.load('a', pool.save('a'))).toThrow(
      refused('E_USAGE', /^the pool already has a detector "a"; delete/),
    );
    expect(() => pool.save('b')).toThrow(refused('E_USAGE', /^the pool has no detector "b"/));
  });

  test('the note of a snapshot can be read back', async () => {
    const pool = await poolOf(1);
    const note = Uint8Array.of(1, 2, 3);
    expect(pool.load('a', await save(await create(detector), note)).note).toEqual(note);
  });

  test('a stream of a snapshot is not disturbed by the others of the pool', async () => {
    const pool = await fullPool(['a', 'b']);
    const chunks: Uint8Array[] = [];
    for await (const chunk of snapshotChunks(pool.get('a'))) {
      pool.get('b').observe(chunks.length);
      chunks.push(chunk);
    }
    expect(Buffer.concat(chunks)).toEqual(Buffer.from(pool.save('a')));
  });

  test('partitions of a pooled detector are those of its own memory', async () => {
    const pool = await poolOf(2, { memory: '1MiB', detector: { memory: '4KiB' } });
    const alone = await create({ memory: '4KiB' });
    for (let i = 0; i < 100; i++) for (const one of [alone, pool.get('a')]) one.observe(i);
    const pending = repartition(pool.get('a'), 2);
    pool.get('b').observe('other');
    expect(await save(await pending)).toEqual(await save(await repartition(alone, 2)));
    const late = repartition(pool.get('a'), 2);
    pool.delete('a');
    await expect(late).rejects.toMatchObject({ code: 'E_CLOSED' });
  });
});

describe('the end of a pool', () => {
  test('clear removes all detectors and gives their memory back', async () => {
    const pool = await fullPool(['a', 'b']);
    const a = pool.get('a');
    pool.clear();
    expect(pool.stats()).toMatchObject({ detectors: 0, takenBytes: 0 });
    expect(() => a.observe('a')).toThrow(
      refused('E_CLOSED', /^the detector "a" was removed when its pool was cleared/),
    );
    a[dispose]();
    expect(pool.get('a').observe('a')).toBe('distinct');
    expect(pool.get('b').observe('b')).toBe('distinct');
    expect(() => a.observe('a')).toThrow(refused('E_CLOSED', /./));
    a[dispose]();
    expect(pool.has('a')).toBe(true);
  });

  test('a closed pool refuses every use', async () => {
    const pool = await fullPool(['a']);
    pool[dispose]();
    pool[dispose]();
    const uses = [
      () => pool.get('a'),
      () => pool.load('a', new Uint8Array(0)),
      () => pool.save('a'),
      () => pool.delete('a'),
      () => pool.clear(),
    ];
    for (const use of uses) expect(use).toThrow(refused('E_CLOSED', /^the pool was closed/));
    expect(pool.size).toBe(0);
  });

  test('a detector that is disposed of leaves its pool', async () => {
    const pool = await fullPool(['a', 'b']);
    pool.get('a')[dispose]();
    expect([...pool.names()]).toEqual(['b']);
  });
});

test('detectors of a pool serve streams', async () => {
  const pool = await poolOf(2);
  const seen: string[] = [];
  for await (const item of dedup(['x', 'y', 'x'], { detector: pool.get('a') })) {
    seen.push(item);
    pool.get('b').observe(item);
  }
  expect(seen).toEqual(['x', 'y']);
  const stream = dedup(['p', 'q'], { detector: pool.get('b') });
  await stream.next();
  pool.delete('b');
  await expect(stream.next()).rejects.toEqual(refused('E_CLOSED', /^the detector "b" was deleted/));
});

test('options that contradict each other are refused', async () => {
  const cases: [object, RegExp][] = [
    [{ whenFull: 'error', onEvict: () => undefined }, /^onEvict was given, but whenFull is error; give one of them$/],
    [{ whenFull: 'drop' }, /^whenFull is "drop", but must be one of error, evict$/],
    [{ onEvict: 1 }, /^onEvict is 1, but must be a function$/],
    [{ detector: { memory: '4KiB', partitions: 2 } }, /^detector.partitions is 2, but must be 1/],
    [{ detector: { memroy: '4KiB' } }, /^memroy is not an option/],
    [{ size: 1 }, /^size is not an option/],
  ];
  for (const [options, message] of cases) {
    await expect(poolOf(2, options)).rejects.toEqual(refused('E_PARAMETER', message));
  }
});
