// What a program does with its arrays and its options as soon as a call has returned changes nothing.

import { describe, expect, test } from 'vitest';
import { type CreateOptions, create, createPool, load, save } from '../../../src/index.js';
import { createMotifs, loadMotifs } from '../../../src/motifs.js';
import { createNear, createPassages, loadNear, loadPassages } from '../../../src/near.js';

async function snapshotOf(keys: number): Promise<Uint8Array> {
  const detector = await create({ algorithm: 'exact', memory: '64KiB', witness: true });
  for (let key = 0; key < keys; key++) detector.observe(key);
  return save(detector, Uint8Array.of(keys));
}

/** What loads a snapshot, or is refused because it was changed. */
async function loaded<Loaded>(loading: Promise<Loaded>): Promise<Loaded | string> {
  return loading.catch(({ code }) => code);
}

describe('a snapshot in an array that is filled again at once', () => {
  test('is never taken for the next one', async () => {
    const [first, second] = [await snapshotOf(100), await snapshotOf(101)];
    expect(first.length).toBe(second.length);
    const buffer = new Uint8Array(first);
    const loading = loaded(load(buffer));
    buffer.set(second);
    expect(await loading).toBe('E_SNAPSHOT');
    expect((await load(buffer)).observed).toBe(101);
  });

  test('is refused if it is transferred, and loaded if it stays', async () => {
    const snapshot = await snapshotOf(100);
    const [kept, moved] = [new Uint8Array(snapshot), new Uint8Array(snapshot)];
    const loading = [loaded(load(kept)), loaded(load(moved))];
    structuredClone(moved, { transfer: [moved.buffer] });
    const [one, other] = await Promise.all(loading);
    expect(one).toMatchObject({ observed: 100, note: Uint8Array.of(100) });
    expect(other).toBe('E_SNAPSHOT');
  });

  test('of near-duplicates, passages and motifs too', async () => {
    const near = await createNear({ memory: '64KiB' });
    const passages = await createPassages({ memory: '64KiB' });
    const motifs = await createMotifs({ recordBytes: 8, addressBits: 8 });
    near.observe('one two three four five six seven');
    passages.observe('one two three');
    motifs.observe(new Uint8Array(8));
    const cases: [Uint8Array, (snapshot: Uint8Array) => Promise<object>][] = [
      [await save(near), loadNear],
      [await save(passages), loadPassages],
      [await save(motifs), loadMotifs],
    ];
    for (const [snapshot, loadOf] of cases) {
      const buffer = new Uint8Array(snapshot);
      const loading = loaded(loadOf(buffer));
      buffer.fill(7);
      expect(await loading).toBe('E_SNAPSHOT');
    }
  });
});

describe('options that are changed at once', () => {
  /** A plan is made in turns of the event loop, after the call has returned. */
  const planned = { memory: '64KiB', distinctElements: 1000, lengthElements: 3000 } as const;

  test('a secret may be wiped', async () => {
    const secret = Uint8Array.from({ length: 16 }, (_, i) => i + 1);
    const kept = secret.slice();
    const creating = create({ ...planned, secret });
    const pooling = createPool({ memory: '1MiB', detector: { ...planned, secret } });
    secret.fill(0);
    const same = await create({ ...planned, secret: kept });
    expect((await creating).fingerprint('a')).toBe(same.fingerprint('a'));
    expect((await pooling).get('x').fingerprint('a')).toBe(same.fingerprint('a'));
    const near = Uint8Array.from(kept);
    const creatingNear = createNear({ memory: '64KiB', secret: near });
    near.fill(0);
    const saved = await save(await creatingNear);
    expect(Buffer.from(saved).includes(Buffer.from(kept))).toBe(true);
  });

  test('an object of options may be used for the next call', async () => {
    const options: CreateOptions = { memory: '64KiB', window: '1h', now: () => 1000 };
    const creating = create(options);
    Object.assign(options, { clock: 'manual', now: undefined });
    const detector = await creating;
    detector.observe('a');
    expect(detector.clockMilliseconds).toBe(1000);
  });
});
