// A detector of a program whose state is in a file: in this process, and in processes that are killed or may not write.

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { asyncDispose } from '../../../src/base/dispose.js';
import { describeState } from '../../../src/checkpoint/describe.js';
import { type DetectorState, type OpenStateOptions, openState } from '../../../src/checkpoint/openstate.js';
import { writeState } from '../../../src/checkpoint/runstate.js';
import { create, load, save } from '../../../src/index.js';
import { createNear } from '../../../src/near.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { requiresPosix } from '../../support/platform.js';
import { partOf, note as runNote } from './support.js';

let path = '';
let opened: DetectorState[];

beforeEach(() => {
  path = join(temporaryFolder(), 'state');
  opened = [];
});

afterEach(async () => {
  for (const state of opened) await state.close();
});

async function openHere(options: OpenStateOptions = { algorithm: 'exact', memory: 4096 }): Promise<DetectorState> {
  const state = await openState(path, options);
  opened.push(state);
  return state;
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test('a state is created, saved and loaded with its note', async () => {
  const state = await openHere();
  expect([state.note.length, state.detector.observed, existsSync(path)]).toEqual([0, 0, false]);
  state.detector.observe('a');
  await state.save(bytesOf('offset 1'));
  await state.close();
  const later = await openHere({ memory: '1MiB' });
  expect([textOf(later.note), later.detector.test('a'), later.path]).toEqual(['offset 1', 'duplicate', path]);
  // The settings of the state stay.
  expect(later.detector.settings.memoryBytes).toBe(4096);
  await later.save();
  expect((await load(readFileSync(path))).note.length).toBe(0);
});

test('the file is that of save', async () => {
  const state = await openHere({ algorithm: 'exact', memory: 4096, seed: 7n, keys: ['id'] });
  state.detector.observe('a');
  await state.save(bytesOf('note'));
  const expected = await save(state.detector, bytesOf('note'));
  expect(readFileSync(path).equals(expected)).toBe(true);
  await state.close();
  const still = await openHere({ keys: ['id'], copiesCells: false });
  await still.save(bytesOf('note'));
  expect(readFileSync(path).equals(expected)).toBe(true);
});

test('a state with other keys, of near-duplicates or that is broken is refused, and unlocked', async () => {
  writeFileSync(path, await save(await create({ algorithm: 'exact', memory: 4096, keys: ['id'] })));
  await expect(openHere({ keys: ['name'] })).rejects.toMatchObject({ code: 'E_STATE_DIFFERS' });
  await expect(openHere({})).rejects.toMatchObject({ code: 'E_STATE_DIFFERS' });
  await expect(openHere({ keys: ['id'], format: 'csv' })).rejects.toMatchObject({ code: 'E_STATE_DIFFERS' });
  writeFileSync(path, await save(await createNear({ memory: '64KiB' })));
  await expect(openHere()).rejects.toMatchObject({ code: 'E_STATE_DIFFERS' });
  writeFileSync(path, 'no state');
  await expect(openHere()).rejects.toMatchObject({ code: 'E_SNAPSHOT', message: expect.stringContaining(path) });
  expect(readdirSync(dirname(path))).toEqual(['state']);
});

test('options and paths that are invalid are refused before anything is locked', async () => {
  const open = openState as (...args: unknown[]) => Promise<unknown>;
  await expect(open(7)).rejects.toMatchObject({ code: 'E_PARAMETER', option: 'path' });
  await expect(open('')).rejects.toMatchObject({ code: 'E_PARAMETER', option: 'path' });
  await expect(open(path, { memry: 1 })).rejects.toMatchObject({ code: 'E_PARAMETER' });
  await expect(open(path, { copiesCells: 1 })).rejects.toMatchObject({ code: 'E_PARAMETER', option: 'copiesCells' });
  await expect(open(path, { onWarning: 1 })).rejects.toMatchObject({ code: 'E_PARAMETER', option: 'onWarning' });
  await expect(open(path, { algorithm: 'none' })).rejects.toMatchObject({ code: 'E_ALGORITHM' });
  await expect(open(join(path, 'missing', 'state'))).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  expect(readdirSync(dirname(path))).toEqual([]);
  mkdirSync(path);
  await expect(open(path)).rejects.toMatchObject({ code: 'E_STATE_FILE' });
});

test('a save that is not possible is refused, and changes nothing', async () => {
  const state = await openHere();
  await expect(state.save('text' as never)).rejects.toMatchObject({ code: 'E_PARAMETER', option: 'note' });
  await state.close();
  await state.close();
  await expect(state.save()).rejects.toMatchObject({ code: 'E_CLOSED' });
  expect([existsSync(path), state.detector.observe('a')]).toEqual([false, 'distinct']);
});

test('it closes itself', async () => {
  const state = await openHere();
  await state[asyncDispose]();
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test('every file has the note of its cells, whenever saves are asked for', async () => {
  const state = await openHere({ algorithm: 'exact', memory: '64KiB' });
  const { detector } = state;
  const found: number[] = [];
  const check = async (atLeast: number) => {
    const loaded = await load(await readFile(path));
    expect(textOf(loaded.note)).toBe(String(loaded.observed));
    expect(loaded.observed).toBeGreaterThanOrEqual(atLeast);
    found.push(loaded.observed);
  };
  const observeAndSave = () => {
    detector.observe(detector.observed);
    const { observed } = detector;
    const note = bytesOf(String(observed));
    const saved = state.save(note).then(() => check(observed));
    // The program uses the bytes of its note again, and its detector.
    note.fill(0);
    detector.observe(observed);
    return saved;
  };
  const rounds = 5;
  for (let round = 0; round < rounds; round++) {
    const saves = [observeAndSave()];
    // Now the first save is being written.
    await new Promise((resolve) => setImmediate(resolve));
    saves.push(observeAndSave(), observeAndSave());
    await Promise.all(saves);
    // The last call counts, with the detector as it was then.
    expect(found.at(-1)).toBe(detector.observed - 1);
  }
  expect(found).toHaveLength(3 * rounds);
});

test('without copies, a detector that is used during a save makes the save fail, and the file stays', async () => {
  const state = await openHere({ algorithm: 'exact', memory: 4096, copiesCells: false });
  state.detector.observe('a');
  await state.save(bytesOf('1'));
  const saving = state.save(bytesOf('1'));
  state.detector.observe('b');
  await expect(saving).rejects.toMatchObject({ code: 'E_USAGE' });
  expect(textOf((await load(readFileSync(path))).note)).toBe('1');
  expect(existsSync(partOf(path))).toBe(false);
  await state.save(bytesOf('2'));
  expect((await load(readFileSync(path))).observed).toBe(2);
});

test('a state of the command has its run as the note, and a state of the library is described', async () => {
  const detector = await create({ algorithm: 'exact', memory: 4096 });
  await writeState(path, detector, runNote);
  const state = await openHere();
  expect(JSON.parse(textOf(state.note))).toMatchObject({ key: runNote.key });
  state.detector.observe('a');
  await state.save(state.note);
  expect(await describeState(path)).toMatchObject({ observed: 1, run: { offset: 4 } });
  await state.save(bytesOf('mine'));
  expect(await describeState(path)).toMatchObject({ noteBytes: 4, run: null });
});

test('a window that is a duration ends by the clock, in a new state and in one that is loaded', async () => {
  const options = { algorithm: 'exact', window: '1h', memory: '64KiB' } as const;
  const hour = 3_600_000;
  let time = Date.UTC(2026, 2, 1);
  const now = () => time;
  for (const expected of ['distinct', 'distinct'] as const) {
    const state = await openHere({ ...options, now });
    expect(state.detector.observe('a')).toBe(expected);
    time += hour;
    expect(state.detector.test('a')).toBe('duplicate');
    await state.save();
    await state.close();
    time += 48 * hour;
  }
  const manual = await openHere({ ...options, clock: 'manual' });
  expect(manual.detector.test('a')).toBe('duplicate');
  manual.detector.advance(time);
  expect(manual.detector.test('a')).toBe('distinct');
});

test('a clock of a minute ago neither blocks a state nor sets its window back', async () => {
  const options = { algorithm: 'exact', window: '1h', memory: '64KiB' } as const;
  const now = Date.now();
  const state = await openHere(options);
  state.detector.observe('a');
  await state.save();
  await state.close();
  // What a process left that was killed in the future.
  const entry = join(`${path}.lock`, 'token');
  mkdirSync(entry, { recursive: true });
  writeFileSync(join(entry, 'renewed'), 'holds 7\n');
  const dead = { ...JSON.parse(await ownerOfOpenState()), pid: 999_999_999 };
  writeFileSync(join(entry, 'owner.json'), JSON.stringify(dead));
  const future = new Date(now + 60_000);
  utimesSync(path, future, future);
  vi.useFakeTimers({ toFake: ['Date'], now: now - 60_000 });
  try {
    const later = await openHere(options);
    expect(later.detector.clockMilliseconds).toBe(state.detector.clockMilliseconds);
    expect(later.detector.observe('a')).toBe('duplicate');
    expect(later.detector.clockMilliseconds).toBe(state.detector.clockMilliseconds);
    await later.save();
  } finally {
    vi.useRealTimers();
  }
});

/** What this process writes into a lock about itself. */
async function ownerOfOpenState(): Promise<string> {
  const other = `${path}2`;
  const state = await openState(other, { algorithm: 'exact', memory: 4096 });
  const owner = readFileSync(join(dirname(partOf(other)), 'owner.json'), 'utf8');
  await state.close();
  return owner;
}

describe('other processes', () => {
  const library = new URL('../../../dist/node.js', import.meta.url).href;
  const before = `
    import fsp from 'node:fs/promises';
    import { chmodSync } from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    import { openState } from ${JSON.stringify(library)};
    const path = process.argv[1];
    const bytesOf = (text) => new TextEncoder().encode(text);
    const options = { algorithm: 'exact', memory: '1MiB' };
  `;
  const program = (code: string) => ['--input-type=module', '-e', before + code, path];
  const run = (code: string) => spawnSync(process.execPath, program(code), { encoding: 'utf8' });

  /** Saves one state, and then another one during which it dies. */
  const dying = (death: string) => `
    const state = await openState(path, options);
    for (let i = 0; i < 10; i++) state.detector.observe(i);
    await state.save(bytesOf('10'));
    const die = () => { process.kill(process.pid, 'SIGKILL'); return new Promise(() => {}); };
    const file = await fsp.open(process.execPath);
    const handle = Object.getPrototypeOf(file);
    await file.close();
    ${death}
    syncBuiltinESMExports();
    for (let i = 10; i < 30; i++) state.detector.observe(i);
    await state.save(bytesOf('30'));
    console.log('saved');
  `;

  test.each([
    [
      'in the middle of the write',
      `const { write } = handle; handle.write = async function (bytes) { await write.call(this, bytes.subarray(0, bytes.length / 2)); return die(); };`,
      10,
    ],
    ['before the sync', 'handle.sync = die;', 10],
    ['between the write and the rename', 'fsp.rename = die;', 10],
    [
      'after the rename',
      'const { rename } = fsp; fsp.rename = async (...paths) => { await rename(...paths); return die(); };',
      30,
    ],
  ])('a process that is killed %s leaves a whole state and no lock', async (_when, death, observed) => {
    const { signal, stdout, stderr } = run(dying(death));
    expect([signal, stdout, stderr]).toEqual(['SIGKILL', '', '']);
    const state = await openHere();
    expect([textOf(state.note), state.detector.observed]).toEqual([String(observed), observed]);
    expect(state.detector.test(observed - 1)).toBe('duplicate');
    await state.save();
    await state.close();
    expect(readdirSync(dirname(path))).toEqual(['state']);
  });

  test('a second process is refused while the first one lives', async () => {
    await openHere();
    const { stdout } = run('await openState(path, options).catch(({ code, message }) => console.log(code, message));');
    expect(stdout).toBe(
      `E_STATE_FILE cannot use state ${path}: another run (process ${process.pid}) uses it; wait until it ends\n`,
    );
  });

  test('a folder that may not be written to is refused', () => {
    requiresPosix('file modes');
    chmodSync(dirname(path), 0o555);
    try {
      const { stdout } = run(`
        if (process.getuid() === 0) process.seteuid(65534);
        await openState(path, options).catch(({ code, message }) => console.log(code, message));
      `);
      expect(stdout).toBe(`E_STATE_FILE cannot use state ${path}: permission denied\n`);
    } finally {
      chmodSync(dirname(path), 0o755);
    }
  });

  test('a file that may not grow fails a save with the reason, keeps the state, and a later save succeeds', async () => {
    requiresPosix('a POSIX shell');
    const code = `
      const state = await openState(path, options);
      await state.save(bytesOf('empty'));
      for (let i = 0; i < 50_000; i++) state.detector.observe(i);
      await state.save(bytesOf('full')).catch(({ code, message }) => console.log(code, message));
      state.detector.clear();
      await state.save(bytesOf('empty again'));
    `;
    const command = `ulimit -f 100; trap '' XFSZ; exec "$0" "$@"`;
    const { stdout } = spawnSync('sh', ['-c', command, process.execPath, ...program(code)], { encoding: 'utf8' });
    expect(stdout).toBe(
      `E_STATE_FILE cannot write state ${path}: the file would exceed the limit of its size (ulimit -f)\n`,
    );
    expect(textOf((await load(readFileSync(path))).note)).toBe('empty again');
    expect(readdirSync(dirname(path))).toEqual(['state']);
  });
});
