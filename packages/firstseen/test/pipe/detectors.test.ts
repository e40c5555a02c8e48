// Detectors by number: created, loaded, saved, cleared and closed.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { create, load, save } from '../../src/index.js';
import { createNear, loadNear } from '../../src/near.js';
import { openState } from '../../src/node.js';
import { temporaryFolder } from '../cli/support/command.js';
import { answersTo, bodyOf, frame, jsonOf, keysOf, kinds } from './support/client.js';

test('there are many, each with its number, and a number is free again after a close', async () => {
  const { answers } = await answersTo([
    frame(kinds.create, { options: { memory: '1KiB' } }, 1, 7),
    frame(kinds.create, { options: { algorithm: 'exact' } }, 2, 4_294_967_295),
    frame(kinds.observe, keysOf(['a']), 3, 7),
    frame(kinds.observe, keysOf(['a']), 4, 4_294_967_295),
    frame(kinds.create, {}, 5, 7),
    frame(kinds.close, '', 6, 7),
    frame(kinds.observe, keysOf(['a']), 7, 7),
    frame(kinds.create, {}, 8, 7),
    frame(kinds.observe, keysOf(['a']), 9, 7),
  ]);
  expect(answers.map(({ kind, request, detector }) => [kind, request, detector])).toEqual([
    [1, 1, 7],
    [1, 2, 4_294_967_295],
    [5, 3, 7],
    [5, 4, 4_294_967_295],
    [255, 5, 7],
    [14, 6, 7],
    [255, 7, 7],
    [1, 8, 7],
    [5, 9, 7],
  ]);
  expect(jsonOf(answers[0])).toMatchObject({ type: 'keys', settings: { memoryBytes: 1024 }, note: '' });
  expect(jsonOf(answers[4])).toMatchObject({ code: 'E_USAGE', message: expect.stringContaining('detector 7 exists') });
  expect(jsonOf(answers[6])).toMatchObject({
    code: 'E_USAGE',
    message: expect.stringContaining('there is no detector 7'),
  });
  expect([...bodyOf(answers[8])]).toEqual([0]);
});

test.each([
  [{ options: { memry: '1KiB' } }, { code: 'E_PARAMETER', option: 'memry' }],
  [{ options: { memory: '1 XB' } }, { code: 'E_MEMORY' }],
  [{ options: { algorithm: 'none' } }, { code: 'E_ALGORITHM' }],
  [{ options: { now: 5 } }, { code: 'E_PARAMETER' }],
  [{ options: [] }, { code: 'E_PARAMETER', option: 'options' }],
  [{ type: 'other' }, { code: 'E_PARAMETER', option: 'type' }],
  [
    { type: 'near', claims: {} },
    { code: 'E_PARAMETER', option: 'claims' },
  ],
  [{ claims: { pending: 0 } }, { code: 'E_PARAMETER', option: 'pending' }],
  [{ memory: '1KiB' }, { code: 'E_PARAMETER', option: 'memory' }],
])('%j is refused as the library does, with the code and the remedy', async (request, expected) => {
  const { answers, error } = await answersTo([frame(kinds.create, request), frame(kinds.stats, '', 2)]);
  expect(error).toBeUndefined();
  expect(jsonOf(answers[0])).toMatchObject(expected);
  // The number stays free.
  expect(jsonOf(answers[1])).toMatchObject({ code: 'E_USAGE' });
});

test('stats are those of the library, with and without the load', async () => {
  const detector = await create({ memory: '1KiB' });
  detector.observeMany(['a', 'b', 'a']);
  const { answers } = await answersTo([
    frame(kinds.create, { options: { memory: '1KiB' } }),
    frame(kinds.observe, keysOf(['a', 'b', 'a'])),
    frame(kinds.stats),
    frame(kinds.stats, { load: false }),
    frame(kinds.clear),
    frame(kinds.stats, { load: false }),
  ]);
  expect(jsonOf(answers[2])).toEqual(JSON.parse(JSON.stringify(detector.stats())));
  expect(jsonOf(answers[3])).toEqual(JSON.parse(JSON.stringify(detector.statsWithoutLoad())));
  expect(bodyOf(answers[4])).toHaveLength(0);
  expect(jsonOf(answers[5])).toMatchObject({ observed: 0, duplicates: 0 });
});

test('the time of a manual clock is set', async () => {
  const { answers } = await answersTo([
    frame(kinds.create, { options: { memory: '64KiB', window: '1h', clock: 'manual' } }),
    frame(kinds.advance, { milliseconds: 1_000_000_000_000 }),
    frame(kinds.observe, keysOf(['a', 'a'])),
    frame(kinds.advance, { milliseconds: 1_000_010_000_000 }),
    frame(kinds.observe, keysOf(['a'])),
    frame(kinds.advance, { milliseconds: 'x' }),
    frame(kinds.advance, { time: 1 }),
  ]);
  expect([...bodyOf(answers[2])]).toEqual([0, 1]);
  expect([...bodyOf(answers[4])]).toEqual([0]);
  expect(jsonOf(answers[5])).toMatchObject({ code: 'E_PARAMETER' });
  expect(jsonOf(answers[6])).toMatchObject({ code: 'E_PARAMETER' });
});

test('a file that is saved is one of the library, and the reverse', async () => {
  const folder = temporaryFolder();
  const [saved, written] = [join(folder, 'saved'), join(folder, 'written')];
  const detector = await create({ memory: '4KiB' });
  detector.observe('from the library');
  writeFileSync(written, await save(detector, Buffer.from('position 5')));
  const { answers, error } = await answersTo([
    frame(kinds.create, { options: { memory: '2KiB' } }, 1, 1),
    frame(kinds.observe, keysOf(['a', 'b']), 2, 1),
    frame(kinds.save, { path: saved, note: Buffer.from('at 2').toString('base64') }, 3, 1),
    frame(kinds.load, { path: written }, 4, 2),
    frame(kinds.observe, keysOf(['from the library', 'a']), 5, 2),
    frame(kinds.load, { path: saved, options: { maxMemory: '1KiB' } }, 6, 3),
    frame(kinds.load, { path: join(folder, 'missing') }, 7, 3),
    frame(kinds.load, { path: saved, type: 'near' }, 8, 3),
    frame(kinds.save, { path: join(folder, 'no/folder') }, 9, 1),
    frame(kinds.save, { path: saved, note: '*' }, 10, 1),
  ]);
  expect(error).toBeUndefined();
  expect(jsonOf(answers[2])).toEqual({ path: saved });
  const loaded = await load(readFileSync(saved));
  expect(Buffer.from(loaded.note).toString()).toBe('at 2');
  expect(loaded.has('b')).toBe(true);
  expect(Buffer.from(jsonOf(answers[3]).note, 'base64').toString()).toBe('position 5');
  expect([...bodyOf(answers[4])]).toEqual([1, 0]);
  expect(answers.slice(5).map((answer) => jsonOf(answer).code)).toEqual([
    ...['E_MEMORY', 'E_STATE_FILE', 'E_SNAPSHOT', 'E_STATE_FILE', 'E_PARAMETER'],
  ]);
  expect(existsSync(`${saved}.part`)).toBe(false);
});

test('a file that another program has locked is not written', async () => {
  const path = join(temporaryFolder(), 'state');
  const state = await openState(path, { memory: '1KiB' });
  await state.save();
  const before = readFileSync(path);
  const { answers } = await answersTo([frame(kinds.create, {}), frame(kinds.save, { path })]);
  expect(jsonOf(answers[1])).toMatchObject({ code: 'E_STATE_FILE' });
  expect(readFileSync(path)).toEqual(before);
  await state.close();
});

test('a snapshot goes both ways in frames', async () => {
  const first = await answersTo([
    frame(kinds.create, { options: { memory: '3MiB' } }),
    frame(kinds.observe, keysOf(Array.from({ length: 30_000 }, (_, i) => `${i}`))),
    frame(kinds.save, { note: Buffer.from('n').toString('base64') }, 3),
  ]);
  const parts = first.answers.slice(2, -1);
  expect(parts.map(({ kind, request }) => [kind, request])).toEqual(parts.map(() => [3, 3]));
  expect(parts.length).toBeGreaterThan(2);
  const snapshot = Buffer.concat(parts.map(({ body }) => body));
  expect(jsonOf(first.answers.at(-1))).toEqual({ bytes: snapshot.length });
  expect((await load(snapshot)).observed).toBe(30_000);
  const pieces = Array.from({ length: Math.ceil(snapshot.length / 700_000) }, (_, i) =>
    frame(kinds.bytes, snapshot.subarray(i * 700_000, (i + 1) * 700_000), 1),
  );
  const second = await answersTo([
    ...[frame(kinds.load, {}, 1), ...pieces, frame(kinds.bytes, '', 1)],
    frame(kinds.test, keysOf(['29999', 'x']), 2),
  ]);
  expect(second.answers.map(({ kind }) => kind)).toEqual([2, 6]);
  expect(Buffer.from(jsonOf(second.answers[0]).note, 'base64').toString()).toBe('n');
  expect([...bodyOf(second.answers[1])]).toEqual([1, 0]);
});

test('a snapshot in frames that is wrong, cut or followed by something else is refused', async () => {
  const snapshot = Buffer.from(await save(await create({ memory: '1KiB' })));
  const wrong = Buffer.from(snapshot).fill(1, 100, 110);
  const { answers, error } = await answersTo([
    ...[
      frame(kinds.load, {}, 1),
      frame(kinds.bytes, wrong, 1),
      frame(kinds.bytes, wrong, 1),
      frame(kinds.bytes, '', 1),
    ],
    ...[frame(kinds.load, {}, 2), frame(kinds.bytes, snapshot.subarray(0, 500), 2), frame(kinds.bytes, '', 2)],
    ...[frame(kinds.load, {}, 3), frame(kinds.bytes, snapshot, 3), frame(kinds.create, {}, 4)],
    ...[frame(kinds.load, {}, 5), frame(kinds.bytes, snapshot, 5), frame(kinds.bytes, '', 5)],
    ...[frame(kinds.load, { options: { other: 1 } }, 6, 2), frame(kinds.bytes, '', 6, 2)],
    ...[frame(kinds.load, {}, 7, 3), frame(kinds.bytes, snapshot, 7, 3)],
  ]);
  expect(error).toBeUndefined();
  expect(answers.map(({ kind, request }) => [kind, request])).toEqual([
    [255, 1],
    [255, 2],
    [255, 3],
    [1, 4],
    // Its number has a detector by now, so that these frames belong to no load.
    [255, 5],
    [255, 5],
    [255, 5],
    [255, 6],
    [255, 7],
  ]);
  expect(jsonOf(answers[0]).code).toBe('E_SNAPSHOT');
  expect(jsonOf(answers[1]).code).toBe('E_SNAPSHOT');
  expect(jsonOf(answers[2])).toMatchObject({ code: 'E_FRAME' });
  expect(jsonOf(answers[7])).toMatchObject({ code: 'E_PARAMETER', option: 'other' });
});

test('near-duplicates are saved and loaded too', async () => {
  const path = join(temporaryFolder(), 'near');
  const text = 'one two three four five six seven eight nine ten eleven twelve';
  const { answers } = await answersTo([
    frame(kinds.create, { type: 'near', options: { memory: '1MiB' } }, 1, 1),
    frame(kinds.observe, keysOf([text]), 2, 1),
    frame(kinds.save, { path }, 3, 1),
    frame(kinds.load, { path, type: 'near' }, 4, 2),
    frame(kinds.test, keysOf([text]), 5, 2),
    frame(kinds.load, { path }, 6, 3),
    frame(kinds.clear, '', 7, 2),
  ]);
  expect(jsonOf(answers[3])).toMatchObject({ type: 'near-duplicates' });
  expect(bodyOf(answers[4]).at(-1)).toBe(1);
  expect(jsonOf(answers[5]).code).toBe('E_STATE_DIFFERS');
  expect(jsonOf(answers[6]).code).toBe('E_USAGE');
  expect((await loadNear(readFileSync(path))).test(text).verdict).toBe('duplicate');
  expect((await createNear({ memory: '1MiB' })).test(text).verdict).toBe('distinct');
});
