// What a plain run of the command loads, because each file and each byte of code costs time at every start.

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { requiresPosix } from '../support/platform.js';
import { temporaryFolder } from './support/command.js';

const binPath = fileURLToPath(new URL('../../bin/firstseen.js', import.meta.url));
const MOST_FILES = 8;
const MOST_BYTES = 700_000;

/** Modules of Node that take milliseconds to load, and that a short run does not use. */
const UNUSED = ['node:child_process', 'node:readline', 'node:zlib'];

/** Prints the files of the package that were loaded, at the exit, and what the package required of Node. */
const PRINT_LOADED = `
const Module = require('node:module');
const load = Module._load;
const required = [];
Module._load = function (request, ...others) {
  if (request.startsWith('node:')) required.push(request);
  return load.call(this, request, ...others);
};
process.on('exit', () => process.stderr.write([...Object.keys(require.cache), ...required].join('\\n')));
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
  const lines = stderr.split('\n').filter((path) => path !== preload);
  const loaded = lines.filter((line) => !line.startsWith('node:'));
  expect(lines.filter((line) => UNUSED.includes(line))).toEqual([]);
  expect(loaded.map((path) => basename(path))).toContain('command.cjs');
  expect(loaded.length).toBeLessThanOrEqual(MOST_FILES);
  expect(loaded.reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThanOrEqual(MOST_BYTES);
});

const [major = 0] = process.versions.node.split('.').map(Number);

describe('the compiled code', () => {
  beforeEach(() => requiresPosix('file modes'));

  /** What is in a folder after a run; undefined if the folder does not exist. */
  function keptAfterRun(env: Readonly<Record<string, string>>, path: string): string[] | undefined {
    const { status } = spawnSync(process.execPath, [binPath], {
      ...{ cwd: folder, input: 'a\n', env: { ...process.env, ...env } },
    });
    expect(status).toBe(0);
    return existsSync(path) ? readdirSync(path) : undefined;
  }

  test.skipIf(major < 22)('is kept in the folder of the user', () => {
    const [caches, home] = [join(folder, 'cache'), join(folder, 'home')];
    mkdirSync(home);
    expect(keptAfterRun({ XDG_CACHE_HOME: caches }, join(caches, 'firstseen'))).toHaveLength(1);
    expect(keptAfterRun({ XDG_CACHE_HOME: '', HOME: home }, join(home, '.cache/firstseen'))).toHaveLength(1);
  });

  test.skipIf(major < 22)('is kept in no home that does not exist, and not below the working folder', () => {
    const home = join(folder, 'nobody');
    expect(keptAfterRun({ XDG_CACHE_HOME: '', HOME: home }, home)).toBeUndefined();
    expect(keptAfterRun({ XDG_CACHE_HOME: 'caches', HOME: 'home' }, join(folder, 'home'))).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  test.skipIf(major < 22 || !existsSync('/proc'))('is not waited for in a folder in which nothing can be made', () => {
    expect(keptAfterRun({ XDG_CACHE_HOME: '', HOME: '/proc' }, '/proc/.cache')).toBeUndefined();
  });

  test('is not kept where others can write', () => {
    const shared = join(folder, 'firstseen');
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    expect(keptAfterRun({ XDG_CACHE_HOME: folder }, shared)).toEqual([]);
  });
});
