// What a plain run of the command loads, because each file and each byte of code costs time at every start.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { requiresPosix } from '../support/platform.js';
import { temporaryFolder } from './support/command.js';

const binPath = fileURLToPath(new URL('../../bin/firstseen.js', import.meta.url));
const MAX_FILES = 8;
const MAX_BYTES = 840_000;

/** Modules of Node that take milliseconds to load, and that a short run does not use. */
const UNUSED = ['node:child_process', 'node:readline', 'node:zlib'];

/** Prints the files of the package that were read, at the exit, and what the package required of Node. */
const PRINT_LOADED = `
const fs = require('node:fs');
const Module = require('node:module');
const load = Module._load;
const readFileSync = fs.readFileSync;
const lines = [];
Module._load = function (request, ...others) {
  if (request.startsWith('node:')) lines.push(request);
  return load.call(this, request, ...others);
};
fs.readFileSync = function (path, ...others) {
  if (/[/]dist[/].*[.]c?js$/.test(path)) lines.push(path);
  return readFileSync.call(this, path, ...others);
};
process.on('exit', () => process.stderr.write(lines.join('\\n')));
`;

let folder = '';
beforeEach(() => {
  folder = temporaryFolder();
});

test.each([[[]], [['-f', 'ndjson', '-k', 'id']]])('a run with %j loads few files', (flags) => {
  const preload = join(folder, 'preload.cjs');
  writeFileSync(preload, PRINT_LOADED);
  const args = ['--require', preload, binPath, ...flags];
  const { status, stderr } = spawnSync(process.execPath, args, { input: '{"id":1}\n', encoding: 'utf8' });
  expect(status).toBe(0);
  const lines = stderr.split('\n');
  const loaded = lines.filter((line) => !line.startsWith('node:'));
  expect(lines.filter((line) => UNUSED.includes(line))).toEqual([]);
  expect(loaded.map((path) => basename(path))).toContain('command.cjs');
  expect(loaded.length).toBeLessThanOrEqual(MAX_FILES);
  expect(loaded.reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThanOrEqual(MAX_BYTES);
});

describe('the compiled code', () => {
  beforeEach(() => requiresPosix('file modes'));

  function run(env: Readonly<Record<string, string>>): string {
    const { status, stdout } = spawnSync(process.execPath, [binPath], {
      ...{ cwd: folder, input: 'a\na\n', encoding: 'utf8', env: { ...process.env, ...env } },
    });
    expect(status).toBe(0);
    return stdout;
  }

  /** What is in a folder after a run; undefined if the folder does not exist. */
  function keptAfterRun(env: Readonly<Record<string, string>>, path: string): string[] | undefined {
    expect(run(env)).toBe('a\n');
    return existsSync(path) ? readdirSync(path).sort() : undefined;
  }

  /** The modules of a plain run, as the names of the files begin. */
  const someModules = expect.arrayContaining([
    expect.stringMatching(/^main\.js-/),
    expect.stringMatching(/^command\.cjs-/),
  ]);

  test('is kept in the folder of the user', () => {
    const [caches, home] = [join(folder, 'cache'), join(folder, 'home')];
    mkdirSync(home);
    expect(keptAfterRun({ XDG_CACHE_HOME: caches }, join(caches, 'firstseen'))).toEqual(someModules);
    expect(keptAfterRun({ XDG_CACHE_HOME: '', HOME: home }, join(home, '.cache/firstseen'))).toEqual(someModules);
  });

  test('of many modules is kept without a warning of Node', () => {
    const args = [binPath, 'serve', '--check', '--port', '1'];
    const env = { ...process.env, XDG_CACHE_HOME: folder };
    const { stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env });
    expect(stderr).toMatch(/^firstseen: the server at 127\.0\.0\.1:1 cannot be reached: .*\n$/);
    expect(readdirSync(join(folder, 'firstseen')).length).toBeGreaterThan(10);
  });

  test('is used by later runs, which leave its files as they are', () => {
    const kept = join(folder, 'firstseen');
    const names = keptAfterRun({ XDG_CACHE_HOME: folder }, kept) ?? [];
    const identities = () => names.map((name) => statSync(join(kept, name)).ino);
    const before = identities();
    expect(keptAfterRun({ XDG_CACHE_HOME: folder }, kept)).toEqual(names);
    expect(identities()).toEqual(before);
  });

  test.each([
    ['the text of another module', (file: Buffer) => file.fill(0x20, 0, 1000)],
    [
      'one bit of the code',
      (file: Buffer) => file.writeUInt8(file.readUInt8(file.length - 5000) ^ 1, file.length - 5000),
    ],
    ['an end that was not written', (file: Buffer) => file.fill(0, file.length - 4096)],
  ])('is not used with %s, and is written again', (_, damage) => {
    const kept = join(folder, 'firstseen');
    const names = keptAfterRun({ XDG_CACHE_HOME: folder }, kept) ?? [];
    const path = join(kept, names.find((name) => name.startsWith('command.cjs-')) ?? '');
    const whole = readFileSync(path);
    const damaged = Buffer.from(whole);
    damage(damaged);
    writeFileSync(path, damaged);
    expect(keptAfterRun({ XDG_CACHE_HOME: folder }, kept)).toEqual(names);
    expect(readFileSync(path).equals(damaged)).toBe(false);
    expect(readFileSync(path).subarray(0, 1000)).toEqual(whole.subarray(0, 1000));
  });

  test('is not used if a file of it was cut', () => {
    const kept = join(folder, 'firstseen');
    for (const name of keptAfterRun({ XDG_CACHE_HOME: folder }, kept) ?? []) truncateSync(join(kept, name), 3000);
    run({ XDG_CACHE_HOME: folder });
    for (const name of readdirSync(kept)) expect(statSync(join(kept, name)).size).toBeGreaterThan(3000);
  });

  test('is not kept with NODE_DISABLE_COMPILE_CACHE', () => {
    const kept = join(folder, 'firstseen');
    expect(keptAfterRun({ XDG_CACHE_HOME: folder, NODE_DISABLE_COMPILE_CACHE: '1' }, kept)).toBeUndefined();
  });

  test('is kept in no home that does not exist, and not below the working folder', () => {
    const home = join(folder, 'nobody');
    expect(keptAfterRun({ XDG_CACHE_HOME: '', HOME: home }, home)).toBeUndefined();
    expect(keptAfterRun({ XDG_CACHE_HOME: 'caches', HOME: 'home' }, join(folder, 'home'))).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  test.skipIf(!existsSync('/proc'))('is not waited for in a folder in which nothing can be made', () => {
    expect(keptAfterRun({ XDG_CACHE_HOME: '', HOME: '/proc' }, '/proc/.cache')).toBeUndefined();
  });

  test('is not kept where others can write', () => {
    const shared = join(folder, 'firstseen');
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    expect(keptAfterRun({ XDG_CACHE_HOME: folder }, shared)).toEqual([]);
  });
});
