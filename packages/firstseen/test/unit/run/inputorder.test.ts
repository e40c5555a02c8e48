// In which order inputs are read.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { requestOf } from '../../../src/io/sources.js';
import { pathOfBytes, systemPath } from '../../../src/io/system/paths.js';
import { type SortedOrder, sortedInputs } from '../../../src/run/inputfiles.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { requiresPosix } from '../../support/platform.js';

let folder = '';
const at = (name: string) => join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
});

/** Makes files that were modified at a time, by name. */
function write(seconds: Readonly<Record<string, number>>): void {
  for (const [name, time] of Object.entries(seconds)) {
    mkdirSync(join(at(name), '..'), { recursive: true });
    writeFileSync(at(name), name);
    utimesSync(at(name), time, time);
  }
}

/** Paths in an order. */
function sortedPaths(
  paths: readonly string[],
  order: SortedOrder,
  asked: Parameters<typeof sortedInputs>[2],
): string[] {
  return sortedInputs(paths.map(requestOf), order, asked).map(({ name }) => name);
}

/** Files in the folder in an order, by name. */
function sorted(names: readonly string[], order: SortedOrder): string[] {
  const asked = { inputs: [folder] };
  const files = sortedPaths(names.map(at), order, asked);
  return files.map((path) => path.slice(folder.length + 1));
}

describe('by name', () => {
  test('compares the bytes of whole paths, in whatever order they are given', () => {
    const names = ['B', 'a', 'a.txt', 'a/b', 'a0', 'z', 'é', '\u{ff5e}', '\u{1f600}'];
    const turned = names.toReversed();
    expect(sorted(names, 'name')).toEqual(names);
    expect(sorted(turned, 'name')).toEqual(names);
  });

  test('compares bytes that are not UTF-8', () => {
    const odd = [Buffer.of(0x62, 0x80), Buffer.of(0x62, 0xff)].map(pathOfBytes);
    const [first, last] = odd as [string, string];
    expect(odd.map(systemPath)).toEqual([Buffer.of(0x62, 0x80), Buffer.of(0x62, 0xff)]);
    expect(sortedPaths([last, 'b', first, 'bé'], 'name', { inputs: [] })).toEqual(['b', first, 'bé', last]);
  });

  test('compares names below the folders that were given, then paths', () => {
    const paths = ['two/2', 'two/1', 'one/3', 'one/1', 'three/x/2'];
    const expected = ['one/1', 'two/1', 'three/x/2', 'two/2', 'one/3'];
    for (const inputs of [
      ['two', 'one', 'three/x/2'],
      ['one', 'two', 'three/x'],
      ['one/', './two', 'three/x/2'],
    ]) {
      expect(sortedPaths(paths, 'name', { inputs })).toEqual(expected);
    }
    expect(sortedPaths(['b/1', 'a'], 'name', { inputs: ['.'] })).toEqual(['a', 'b/1']);
  });

  test('reads an input that is given twice once', () => {
    expect(sorted(['b', 'a', 'b'], 'name')).toEqual(['a', 'b']);
  });

  test('takes pipes and devices', () => {
    const inputs = ['/dev/zero', '/dev/null'];
    expect(sortedPaths(inputs, 'name', { inputs })).toEqual(['/dev/null', '/dev/zero']);
  });
});

describe('by time', () => {
  test('compares times in seconds, then names', () => {
    write({ 'c/1': 2e9, b: 1e9 + 0.9, a: 1e9 + 0.1, d: 1.5e9, 'c/0': 1e9 + 0.5, old: 5 });
    const names = ['old', 'a', 'b', 'c/0', 'c/1', 'd'];
    expect(sorted(names, 'oldest')).toEqual(['old', 'a', 'b', 'c/0', 'd', 'c/1']);
    expect(sorted(names, 'newest')).toEqual(['c/1', 'd', 'a', 'b', 'c/0', 'old']);
    expect(sorted(names.toReversed(), 'newest')).toEqual(sorted(names, 'newest'));
  });

  test('refuses what is not a file, and what does not exist', () => {
    requiresPosix('named pipes in folders');
    const options = { inputs: ['/dev/null'] };
    expect(() => sortedPaths(['/dev/null'], 'oldest', options)).toThrow('/dev/null is not a file, so it has no time');
    expect(() => sorted(['none'], 'newest')).toThrow(`cannot read ${at('none')}: there is no such file`);
  });
});

test.each(['name', 'oldest', 'newest'] as const)('by %s, standard input and a file to follow are refused', (order) => {
  const inputs = ['-', 'a'];
  expect(() => sortedPaths(inputs, order, { inputs })).toThrow('standard input has no name');
  expect(() => sortedPaths(['a'], order, { inputs: ['a'], isFollowing: true })).toThrow(
    `order ${order} was given, but isFollowing reads the last input on as it grows`,
  );
});
