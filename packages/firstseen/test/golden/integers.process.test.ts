// Snapshots from before integers were other keys than text and bytes. They have no flag that says so, and go on as they were.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadThreaded } from '../../dist/node.js';
import type { Key } from '../../src/detectors/key.ts';
import { create, createPool, dedupBytes } from '../../src/index.ts';
import { merge, split } from '../../src/partitions.ts';
import { readLengths } from '../../src/snapshot/frame.ts';
import { load } from '../../src/snapshot/load.ts';
import { save } from '../../src/snapshot/snapshots.ts';
import { temporaryFolder } from '../cli/support/command.ts';
import { runCommand } from '../cli/support/runner.ts';
import { referenceXxh64 } from '../reference/xxh64.ts';

const folder = join(import.meta.dirname, 'integers-0.1.0');
const verdicts = JSON.parse(readFileSync(join(folder, 'verdicts.json'), 'utf8')) as Record<string, string>;
const frozenOf = (name: string) => new Uint8Array(readFileSync(join(folder, name)));

const secret = '000102030405060708090a0b0c0d0e0f';
const options = { algorithm: 'exact', memory: 16384, seed: 42 } as const;
const cases = [
  ['xxh64', options],
  ['rabin', { ...options, fingerprint: 'rabin' }],
  ['siphash', { ...options, secret }],
] as const;

/** Integers, and the texts and bytes that version 0.1.0 took for the same keys. */
function key(i: number): Key {
  const number = i % 3 === 0 ? Math.floor(i / 7) : i;
  if (i % 4 === 0) return number;
  if (i % 4 === 1) return BigInt(number) * 0x01010101n;
  return i % 4 === 2 ? new Uint8Array(BigUint64Array.of(BigInt(number)).buffer) : `element ${number}`;
}

/** The snapshot that a version before the flag would have written. */
function withoutFlag(snapshot: Uint8Array): Uint8Array {
  const changed = snapshot.slice();
  const view = new DataView(changed.buffer);
  const checksumAt = readLengths(changed, changed.length).headerBytes - 8;
  view.setUint32(16, view.getUint32(16, true) & ~16, true);
  view.setBigUint64(checksumAt, referenceXxh64(changed.subarray(0, checksumAt), 0n), true);
  return changed;
}

const keys = Array.from({ length: 200 }, (_, i) => key(400 + i));

describe.each(cases)('%s', (name, asked) => {
  const frozen = frozenOf(`${name}.1st`);
  const expected = verdicts[name] as string;

  test('loads, saves to the same bytes and gives the recorded verdicts', async () => {
    const detector = await load(frozen);
    expect(await save(detector)).toEqual(frozen);
    expect(keys.map((each) => (detector.observe(each) === 'duplicate' ? 1 : 0)).join('')).toBe(expected);
  });

  test('gives the recorded verdicts in batches, and saves as one that observed single keys', async () => {
    const [detector, single] = await Promise.all([load(frozen), load(frozen)]);
    expect([...detector.observeMany(keys)].join('')).toBe(expected);
    for (const each of keys) single.observe(each);
    expect(await save(detector)).toEqual(await save(single));
  });

  test('goes on in a pool, beside detectors of this version', async () => {
    const pool = await createPool({ memory: '1MiB', detector: asked });
    const detector = pool.load('old', frozen);
    const fresh = await create(asked);
    const answers = keys.map((each) => {
      expect(pool.get('new').observe(each)).toBe(fresh.observe(each));
      return detector.observe(each) === 'duplicate' ? 1 : 0;
    });
    expect(answers.join('')).toBe(expected);
    expect(pool.save('new')).toEqual(await save(fresh));
    const again = await load(frozen);
    again.observeMany(keys);
    expect(pool.save('old')).toEqual(await save(again));
  });

  test('has the fingerprints of the snapshot with loadThreaded', async () => {
    await using threaded = await loadThreaded(frozen, { threads: 2 });
    const plain = await load(frozen);
    expect(keys.map((each) => threaded.fingerprint(each))).toEqual(keys.map((each) => plain.fingerprint(each)));
  });

  test('takes records of integers as it took integers', async () => {
    const [detector, single] = await Promise.all([load(frozen), load(frozen)]);
    const integers = BigUint64Array.from({ length: 100 }, (_, i) => BigInt(i * 5));
    const records = new Blob([integers]).stream();
    await new Response(records.pipeThrough(dedupBytes({ detector, format: 'u64' }))).arrayBuffer();
    for (const integer of integers) single.observe(integer);
    expect(await save(detector)).toEqual(await save(single));
  });
});

test('a detector of this version has other settings, and its parts do not unite with older ones', async () => {
  const partitioned = { algorithm: 'qht', memory: '4KiB', partitions: 2 } as const;
  const old = await create(partitioned);
  const pieces = [];
  for await (const piece of split(old, 2)) pieces.push(await save(piece));
  const [first, second] = pieces as [Uint8Array, Uint8Array];
  const unmarked = await load(withoutFlag(first));
  expect(JSON.parse(JSON.stringify(unmarked.settings)).integersMeetBytes).toBe(true);
  await expect(merge([unmarked, await load(second)])).rejects.toMatchObject({ code: 'E_PARTITION' });
  const united = await merge([unmarked, await load(withoutFlag(second))]);
  expect(united.settings.integersMeetBytes).toBe(true);
});

/** Records of format u64. */
const recordsOf = (...integers: bigint[]) => new Uint8Array(BigUint64Array.from(integers).buffer);

describe('a state of the command with records of integers', () => {
  async function continued(state: Uint8Array, ...integers: bigint[]) {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'state'), state);
    writeFileSync(join(cwd, 'more.u64'), recordsOf(...integers));
    const { code, stderr } = await runCommand(['more.u64', '--state', 'state', '-o', 'new.u64'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [after, passed] = ['state', 'new.u64'].map((name) => new Uint8Array(readFileSync(join(cwd, name))));
    return { state: after as Uint8Array, passed: [...new BigUint64Array((passed as Uint8Array).slice().buffer)] };
  }

  test('of an earlier version goes on in the command and in a program', async () => {
    const old = frozenOf('command.state');
    const detector = await load(old);
    expect([1, 2n, 3, 'AAAAAAAA'].map((each) => detector.test(each))).toEqual([
      ...['duplicate', 'duplicate', 'distinct', 'duplicate'],
    ]);
    const { state, passed } = await continued(old, 2n, 3n, 0x4141414141414141n);
    expect(passed).toEqual([3n]);
    expect([2, 3, 'AAAAAAAA'].map((each) => detector.observe(each))).toEqual(['duplicate', 'distinct', 'duplicate']);
    expect((await load(state)).test(3)).toBe('duplicate');
    expect((await load(state)).settings.integersMeetBytes).toBe(true);
  });

  test('of this version goes on in the command and in a program', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'first.u64'), recordsOf(1n, 0x4141414141414141n));
    await runCommand(['first.u64', '-a', 'exact', '-m', '16KiB', '--state', 'state', '-o', 'out.u64'], { cwd });
    const written = new Uint8Array(readFileSync(join(cwd, 'state')));
    const detector = await load(written);
    expect([1, 0x4141414141414141n, 'AAAAAAAA'].map((each) => detector.test(each))).toEqual([
      ...['duplicate', 'duplicate', 'distinct'],
    ]);
    expect((await continued(written, 1n, 2n)).passed).toEqual([2n]);
  });

  test('that a program has continued goes on in the command', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'first.u64'), recordsOf(1n));
    await runCommand(['first.u64', '-a', 'exact', '-m', '16KiB', '--state', 'state', '-o', 'out.u64'], { cwd });
    const detector = await load(new Uint8Array(readFileSync(join(cwd, 'state'))));
    for (const each of [2n, 'AAAAAAAA']) detector.observe(each);
    const { passed } = await continued(await save(detector, detector.note), 1n, 2n, 0x4141414141414141n);
    expect(passed).toEqual([0x4141414141414141n]);
  });
});
