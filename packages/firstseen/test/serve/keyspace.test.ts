// What tools of Redis ask when they connect and look around: keys are the names of detectors.

import { describe, expect, test } from 'vitest';
import { globOf } from '../../src/serve/commands/glob.js';
import type { Client, Read } from './support/client.js';
import { withServer } from './support/server.js';

/** A server with some detectors of 1 KiB. */
function withDetectors(names: readonly string[], run: (client: Client) => Promise<void>, maps: string[] = []) {
  return withServer(
    async (client) => {
      for (const name of names) await client.send('FS.CREATE', name, 'ALGORITHM', 'exact', 'MEMORY', '1KiB');
      await run(client);
    },
    { maps },
  );
}

const names = Array.from({ length: 25 }, (_, i) => `d${i}`);

/** All names that SCAN gives, page by page. */
async function scanned(client: Client, ...words: string[]): Promise<Read[][]> {
  const pages: Read[][] = [];
  let cursor = '0';
  do {
    const [next, page] = (await client.send('SCAN', cursor, ...words)) as [string, Read[]];
    pages.push(page);
    cursor = next;
  } while (cursor !== '0');
  return pages;
}

describe('SCAN', () => {
  test('gives each detector once, ten at a time', () =>
    withDetectors(names, async (client) => {
      const pages = await scanned(client);
      expect(pages.map(({ length }) => length)).toEqual([10, 10, 5]);
      expect(pages.flat()).toEqual(names);
      expect(await scanned(client, 'COUNT', '100')).toEqual([names]);
    }));

  test('leaves none out while others come and go', () =>
    withDetectors(names, async (client) => {
      const [cursor, first] = (await client.send('SCAN', '0', 'COUNT', '3')) as [string, string[]];
      await client.send('DEL', ...first, 'd5');
      await client.send('FS.CREATE', 'new', 'ALGORITHM', 'exact', 'MEMORY', '1KiB');
      const [end, others] = (await client.send('SCAN', cursor, 'COUNT', '100')) as [string, string[]];
      expect(end).toBe('0');
      expect(others).toEqual([...names.slice(3).filter((name) => name !== 'd5'), 'new']);
    }));

  test('gives names that match, of the type that there is', () =>
    withDetectors(names, async (client) => {
      expect((await scanned(client, 'MATCH', 'd1?')).flat()).toEqual(names.slice(10, 20));
      expect((await scanned(client, 'match', 'd[13]', 'count', '1000', 'type', 'firstseen')).flat()).toEqual([
        'd1',
        'd3',
      ]);
      expect((await scanned(client, 'TYPE', 'string')).flat()).toEqual([]);
      expect(await client.send('SCAN', '99999999999999999999')).toEqual(['0', []]);
    }));

  test.each([
    ['x', '-ERR invalid cursor'],
    ['-1', '-ERR invalid cursor'],
    ['0 COUNT 0', '-ERR syntax error'],
    ['0 COUNT x', '-ERR value is not an integer or out of range'],
    ['0 MATCH', '-ERR syntax error'],
    ['0 NOTHING a', '-ERR syntax error'],
  ])('of %s is refused', (words, error) =>
    withDetectors([], async (client) => {
      expect(await client.send('SCAN', ...words.split(' '))).toBe(error);
    }),
  );

  test('of an empty server is empty', () =>
    withDetectors([], async (client) => {
      expect(await client.send('SCAN', '0')).toEqual(['0', []]);
      expect(await client.send('KEYS', '*')).toEqual([]);
    }));
});

test('KEYS, OBJECT, MEMORY and MODULE tell about detectors, and of keys of a map that they are none', () =>
  withDetectors(
    ['one', 'two'],
    async (client) => {
      expect(await client.send('KEYS', '*')).toEqual(['one', 'two']);
      expect(await client.send('KEYS', 't*')).toEqual(['two']);
      expect(await client.send('OBJECT', 'ENCODING', 'one')).toBe('exact');
      expect(await client.send('OBJECT', 'REFCOUNT', 'one')).toBe(1);
      expect(await client.send('MEMORY', 'USAGE', 'one', 'SAMPLES', '0')).toBeGreaterThan(1024);
      for (const words of [
        ['OBJECT', 'ENCODING'],
        ['MEMORY', 'USAGE'],
      ] as [string, string][]) {
        expect(await client.send(...words, 'none')).toBe(null);
        expect(await client.send(...words, 'seen:a')).toMatch(
          new RegExp(`^-ERR ${words.join(' ')} of "seen:a" is not for keys of the map seen:\\*=one`),
        );
      }
      expect(await client.send('MODULE', 'LIST')).toEqual([]);
    },
    ['seen:*=one'],
  ));

describe('HELP', () => {
  test.each(['CLIENT', 'CONFIG', 'COMMAND', 'OBJECT', 'MEMORY', 'MODULE', 'SCRIPT'])(
    'of %s is where its errors send people',
    (command) =>
      withDetectors([], async (client) => {
        expect(await client.send(command, 'nothing')).toBe(`-ERR unknown subcommand 'nothing'. Try ${command} HELP.`);
        const [first, ...lines] = (await client.send(command, 'HELP')) as string[];
        expect(first).toBe(`+${command} <subcommand> [<arg> ...]. Subcommands are:`);
        expect(lines.slice(-2)).toEqual(['+HELP', '+    prints this help']);
        // A line with a subcommand, and one that says what it does.
        for (let i = 0; i < lines.length; i += 2) {
          expect(lines[i]).toMatch(/^\+[A-Z-]+( [<[].*[>\]])?$/);
          expect(lines[i + 1]).toMatch(/^\+ {4}\S/);
        }
        expect(await client.send(command, 'HELP', 'more')).toMatch(/^-ERR unknown subcommand 'HELP'/);
        expect(await client.send(command, 'constructor')).toMatch(/^-ERR unknown subcommand/);
      }),
  );

  test('names what there is', () =>
    withDetectors([], async (client) => {
      const lines = (await client.send('CLIENT', 'HELP')) as string[];
      for (const line of ['+GETNAME', '+ID', '+LIST', '+SETNAME <name>']) expect(lines).toContain(line);
      expect(await client.send('CLIENT', 'SETNAME')).toBe(
        "-ERR wrong number of arguments for 'client|setname' command",
      );
    }));
});

test.each([
  ['*', 'anything', true],
  ['', '', true],
  ['', 'a', false],
  ['a*c', 'abbc', true],
  ['a*c', 'abbd', false],
  ['*a*b*', 'xxaxxbxx', true],
  ['a**', 'a', true],
  ['?', '', false],
  ['[a-c]x', 'bx', true],
  ['[c-a]x', 'bx', true],
  ['[^a-c]x', 'bx', false],
  ['[^a-c]x', 'dx', true],
  ['[\\]]', ']', true],
  ['[ab', 'b', true],
  ['\\*', '*', true],
  ['\\*', 'x', false],
  ['a\\', 'a\\', true],
  ['.', 'x', false],
  ['D*', 'd1', false],
])('the pattern %j and %j: %j', (pattern, text, isMatch) => {
  expect(globOf(pattern)(text)).toBe(isMatch);
});

test('a pattern of many stars takes no time to speak of', () => {
  expect(globOf('*a'.repeat(500))('a'.repeat(499))).toBe(false);
});
