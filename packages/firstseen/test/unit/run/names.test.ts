import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { requestOf } from '../../../src/io/sources.js';
import { identityOf } from '../../../src/io/system/identity.js';
import { checkApart, checkNames, filesWritten } from '../../../src/run/names.js';
import { temporaryFolder } from '../../cli/support/command.js';

let folder = '';

beforeEach(() => {
  folder = temporaryFolder();
});

describe('the identity of a file', () => {
  test('is the same for all its names', () => {
    writeFileSync(join(folder, 'a'), '');
    linkSync(join(folder, 'a'), join(folder, 'hard'));
    symlinkSync('a', join(folder, 'soft'));
    const expected = identityOf(join(folder, 'a'));
    expect(identityOf(join(folder, 'hard'))).toBe(expected);
    expect(identityOf(join(folder, 'soft'))).toBe(expected);
    expect(identityOf(join(folder, '..', folder.split('/').at(-1) as string, 'a'))).toBe(expected);
  });

  test('of a file that does not exist depends on its folder and its name', () => {
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'link'));
    expect(identityOf(join(folder, 'link', 'new'))).toBe(identityOf(join(folder, 'real', 'new')));
    expect(identityOf(join(folder, 'real', 'new'))).not.toBe(identityOf(join(folder, 'real', 'other')));
  });
});

describe('files that are written', () => {
  test('are the outputs, the state, and the files beside the state', () => {
    expect(filesWritten({ output: 'o', duplicatesTo: 'd', state: 's' })).toEqual([
      'o',
      'd',
      's',
      's.part',
      's.begun',
      's.lock',
    ]);
    expect(filesWritten({})).toEqual([]);
  });

  test('are also the temporary names of outputs in Parquet', () => {
    const written = filesWritten({ output: 'o.parquet', duplicatesTo: 'd.ndjson' });
    expect(written).toEqual(['o.parquet', 'd.ndjson', 'o.parquet.part']);
    expect(() => checkApart([[requestOf('o.parquet.part'), 'an input']], written)).toThrow(
      'o.parquet.part would be written, but it is also an input',
    );
  });

  test('must not be inputs, and must not be given twice', () => {
    const [input, output] = [join(folder, 'in'), join(folder, 'out')];
    expect(() => checkApart([[requestOf(input), 'an input']], [output, join(folder, 'state')])).not.toThrow();
    expect(() => checkApart([[requestOf(input), 'an input']], [output, input])).toThrow(
      `${input} would be written, but it is also an input`,
    );
    expect(() => checkApart([], [output, output])).toThrow('another output or the state');
    expect(() => checkApart([[requestOf('/dev/null'), 'an input']], ['/dev/null'])).not.toThrow();
  });
});

test.each([
  [{ output: '' }, 'output'],
  [{ duplicatesTo: '-' }, 'duplicatesTo'],
  [{ state: '-' }, 'state'],
])('%j does not name a file', (names, option) => {
  expect(() => checkNames(names)).toThrow(expect.objectContaining({ code: 'E_USAGE', option }));
});

test('standard output can be named as the main output', () => {
  expect(() => checkNames({ output: '-', duplicatesTo: 'd', state: 's' })).not.toThrow();
});
