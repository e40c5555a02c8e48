// Keys that the host finds in lines: places of characters and of groups, and runs that are the same however they are asked for.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runFiles } from '../../../src/jobs/exact/run.js';
import { type LineKeyOptions, lineKeysOf } from '../../../src/records/linekeys.js';
import type { RunOptions } from '../../../src/run/runoptions.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { randomFrom } from '../../support/random.js';

/** The parts of the key of a line; undefined if it has none. */
async function partsOf(options: LineKeyOptions, line: string | Uint8Array): Promise<string[] | undefined> {
  const keys = await lineKeysOf(options);
  if (!keys) throw new Error('no keys were asked for');
  const bytes = Buffer.from(line as string);
  const places = new Uint32Array(2 * keys.partCount);
  if (!keys.find(bytes, places)) return undefined;
  return Array.from({ length: keys.partCount }, (_, i) =>
    bytes.subarray(places[2 * i], places[2 * i + 1]).toString('utf8'),
  );
}

describe('characters', () => {
  test.each<[string[], string, string[]]>([
    [['1-3'], 'abcdef', ['abc']],
    [['5'], 'abcdef', ['e']],
    [['5-'], 'abcdef', ['ef']],
    [['-2'], 'abcdef', ['ab']],
    [['2,4-5'], 'abcdef', ['b', 'de']],
    [['4-5', '1'], 'abcdef', ['de', 'a']],
    [['2-3'], 'aé€𝄞b', ['é€']],
    [['4-'], 'aé€𝄞b', ['𝄞b']],
    [['3-9'], 'abcd', ['cd']],
    [['9-'], 'abcd', ['']],
    [['1'], '', ['']],
  ])('%j of %j', async (keyChars, line, parts) => {
    expect(await partsOf({ keyChars }, line)).toEqual(parts);
  });

  test.each(['', '0', '0-1', '3-2', 'a', '1-2-3', '-', '1,', ' 1'])('%j is no range', async (range) => {
    await expect(lineKeysOf({ keyChars: [range] })).rejects.toThrow(/^keyChars is ".*", but must be numbers/);
  });
});

describe('patterns', () => {
  test.each<[string, string, string[] | undefined]>([
    ['a(b)c', 'xabcx', ['b']],
    ['a.c', 'xabcx', ['abc']],
    ['(a)(?P<n>b)(?<m>c)', 'abc', ['b', 'c']],
    ['(a)?(b)', 'b', ['', 'b']],
    ['(é+)=(\\S)', 'x éé=ß', ['éé', 'ß']],
    ['x', 'abc', undefined],
    ['^$', '', ['']],
  ])('%s in %j', async (keyPattern, line, parts) => {
    expect(await partsOf({ keyPattern }, line)).toEqual(parts);
  });

  test('bytes that are not UTF-8 do not move what follows them', async () => {
    const line = Buffer.from([0xff, 0xc3, 0x20, 0xc3, 0xa9, 0x3d, 0x61, 0xff]);
    expect(await partsOf({ keyPattern: '(é)=(.)' }, line)).toEqual(['é', 'a']);
  });

  test('a pattern that others try in exponentially many ways takes linear time', async () => {
    expect(await partsOf({ keyPattern: '(?:a*)*b|(?:a|a)*c' }, 'a'.repeat(20_000))).toBeUndefined();
  });

  test.each(['(a)\\1', '(?=a)', '(a', '(?:a{1000}){1000}'])('%s is refused', async (keyPattern) => {
    const refused = { code: 'E_USAGE', message: expect.stringMatching(/^keyPattern is no pattern: [^;]+; write it/) };
    await expect(lineKeysOf({ keyPattern })).rejects.toMatchObject(refused);
  });
});

describe('a run', () => {
  let folder: string;
  const at = (name: string) => join(folder, name);
  const detector = { algorithm: 'exact', memory: '2MiB', witness: false } as const;

  beforeEach(() => {
    folder = temporaryFolder();
  });

  async function outputOf(name: string, options: Partial<RunOptions>): Promise<string> {
    await runFiles({ ...{ inputs: [at('in.txt')], output: at(name) }, detector, ...options });
    return readFileSync(at(name), 'utf8');
  }

  test('gives the answers of fields, with rules of equal keys, several batches and threads that are asked for', async () => {
    const random = randomFrom(7);
    const word = () => ['a', 'A', 'é', 'ab', 'b\u0301', '10', 'x'.repeat(30)][Math.floor(random() * 7)] as string;
    const line = () => `${word()}${Math.floor(random() * 3000)} ${word()} ${Math.floor(random() * 9)}`;
    writeFileSync(
      at('in.txt'),
      Array.from({ length: 40_000 }, () => `${line()}${random() < 0.1 ? '\r' : ''}\n`).join(''),
    );
    for (const rules of [{}, { ignoresCase: true, normalize: 'nfc' } as const]) {
      const fields = await outputOf('fields', { keys: ['2', '1'], ...rules });
      const pattern = '(?P<first>\\S+) (?P<second>\\S+)';
      const swapped = await outputOf('groups', { keyPattern: pattern, threads: 2, ...rules });
      expect(swapped.length).toBeGreaterThan(1000);
      expect(swapped === fields).toBe(true);
    }
  });

  test.each<Partial<RunOptions>>([
    { keyPattern: 'a', keyChars: ['1'] },
    { keyPattern: 'a', keys: ['1'] },
    { keyChars: ['1'], keyExcept: ['1'] },
    { keyPattern: 'a', timeKey: '1', detector: { window: '1h' } },
    { keyPattern: 'a', keep: 'max:1' },
    { keyPattern: 'a', format: 'ndjson' },
  ])('refuses %o', async (options) => {
    writeFileSync(at('in.txt'), 'a\n');
    await expect(outputOf('out', options)).rejects.toMatchObject({ code: 'E_USAGE' });
  });
});
