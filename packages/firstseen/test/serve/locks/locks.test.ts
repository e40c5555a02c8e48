// Locks by scripts: times, several keys, refusals, and what is no script of a lock.

import { describe, expect, test } from 'vitest';
import type { ServeOptions } from '../../../src/serve/server.js';
import { type Client, encode } from '../support/client.js';
import { dataIn, killedNow, newFolder } from '../support/folder.js';
import { withServer } from '../support/server.js';
import { libraryScripts } from './scripts.js';

const MAPS = ['lock:*=locks,claim,committed=done', 'small:*=small,claim', 'seen:*=events'];

function withLocks(run: (client: Client) => Promise<void>, options: Partial<ServeOptions> = {}) {
  const prepared = async (client: Client) => {
    await client.send('FS.CREATE', 'locks', 'CLAIMS', 'LEASE', '60s', 'WINDOW', '1d', 'MEMORY', '64KiB');
    await client.send('FS.CREATE', 'small', 'CLAIMS', 'LEASE', '60s', 'MEMORY', '64KiB', 'PENDING', '1');
    await client.send('FS.CREATE', 'events', 'ALGORITHM', 'exact', 'MEMORY', '64KiB');
    await run(client);
  };
  return withServer(prepared, { maps: MAPS, ...options });
}

/** The script whose source has these words. */
function scriptOf(...words: string[]): string {
  const one = libraryScripts.find(({ source }) => words.every((word) => source.includes(word)));
  return one?.script as string;
}

const redisPy = { release: scriptOf('redis-py 8', 'RELEASE'), extend: scriptOf('redis-py 8', 'EXTEND') };
const redlock = {
  acquire: scriptOf('redlock 4', 'lockScript'),
  release: scriptOf('redlock 4', 'unlockScript'),
  extend: scriptOf('redlock 4', 'extendScript'),
};
const redsync = { touch: scriptOf('redsync 4.18', 'touchScript') };
const hold = (client: Client, key: string, token: string) => client.send('SET', key, token, 'NX', 'PX', '60000');
const left = async (client: Client, key: string) => (await client.send('PTTL', key)) as number;

describe('times', () => {
  test('a lease is added to, or replaced, as long as the library says', () =>
    withLocks(async (client) => {
      await hold(client, 'lock:a', 'me');
      expect(await client.send('EVAL', redisPy.extend, '1', 'lock:a', 'me', '30000', '0')).toBe(1);
      expect(await left(client, 'lock:a')).toBeGreaterThan(89_000);
      expect(await left(client, 'lock:a')).toBeLessThanOrEqual(90_000);
      expect(await client.send('EVAL', redisPy.extend, '1', 'lock:a', 'me', '5000', '1')).toBe(1);
      expect(await left(client, 'lock:a')).toBeLessThanOrEqual(5000);
      expect(await client.send('EVAL', scriptOf('redis-py 2'), '1', 'lock:a', 'me', '5000')).toBe(1);
      expect(await left(client, 'lock:a')).toBeGreaterThan(9000);
    }));

  test('a time that is over frees the key, as PEXPIRE in Redis', () =>
    withLocks(async (client) => {
      await hold(client, 'lock:a', 'me');
      expect(await client.send('EVAL', redsync.touch, '1', 'lock:a', 'me', '0')).toBe(1);
      expect(await client.send('GET', 'lock:a')).toBe(null);
      await hold(client, 'lock:a', 'me');
      expect(await client.send('EVAL', redisPy.extend, '1', 'lock:a', 'me', '-70000', '0')).toBe(1);
      expect(await client.send('EXISTS', 'lock:a')).toBe(0);
    }));

  test('seconds are seconds', () =>
    withLocks(async (client) => {
      await hold(client, 'lock:a', 'me');
      const script = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('expire', KEYS[1], ARGV[2]) end return 0`;
      expect(await client.send('EVAL', script, '1', 'lock:a', 'me', '7')).toBe(1);
      expect(await client.send('TTL', 'lock:a')).toBe(7);
    }));

  test.each([
    ['x', '-ERR value is not an integer or out of range'],
    ['1.5', '-ERR value is not an integer or out of range'],
    ['86400001', expect.stringMatching(/^-ERR a lease and a wait are .* of at most a day$/)],
  ])('a time of %s is refused, and the lease stays', (time, error) =>
    withLocks(async (client) => {
      await hold(client, 'lock:a', 'me');
      expect(await client.send('EVAL', redsync.touch, '1', 'lock:a', 'me', time)).toEqual(error);
      expect(await left(client, 'lock:a')).toBeGreaterThan(59_000);
    }),
  );

  test('a new lock has the lease of the detector, as by SET NX', () =>
    withLocks(async (client) => {
      expect(await client.send('EVAL', redlock.acquire, '1', 'lock:a', 'me', '10000')).toMatch(
        /^-ERR Redis would hold the key "lock:a" for 10s, and the detector locks .* holds a key for 1m; give EX 60/,
      );
      expect(await client.send('EVAL', redlock.acquire, '1', 'lock:a', 'me', '0')).toMatch(/invalid expire time/);
      expect(await client.send('EVAL', redlock.acquire, '1', 'lock:a', 'me', '61000')).toBe(1);
      expect(await left(client, 'lock:a')).toBeGreaterThan(60_000);
    }));
});

describe('several keys', () => {
  test('are held together or not at all', () =>
    withLocks(async (client) => {
      await hold(client, 'lock:b', 'other');
      expect(await client.send('EVAL', redlock.acquire, '2', 'lock:a', 'lock:b', 'me', '60000')).toBe(0);
      expect(await client.send('GET', 'lock:a')).toBe(null);
      expect(await client.send('EVAL', redlock.acquire, '2', 'lock:a', 'lock:c', 'me', '60000')).toBe(2);
      expect(await client.send('EVAL', redlock.extend, '2', 'lock:a', 'lock:b', 'me', '90000')).toBe(0);
      expect(await left(client, 'lock:a')).toBeLessThanOrEqual(60_000);
      expect(await client.send('EVAL', redlock.extend, '2', 'lock:a', 'lock:c', 'me', '90000')).toBe(2);
      expect(await left(client, 'lock:a')).toBeGreaterThan(89_000);
      expect(await client.send('EVAL', redlock.release, '3', 'lock:a', 'lock:b', 'lock:c', 'me')).toBe(2);
      expect(await client.send('GET', 'lock:b')).toBe('other');
    }));

  test('of redislock are released together or not at all', () =>
    withLocks(async (client) => {
      const release = scriptOf('release.lua');
      await hold(client, 'lock:a', 'me');
      expect(await client.send('EVAL', release, '2', 'lock:a', 'lock:b', 'me')).toBe(null);
      expect(await client.send('GET', 'lock:a')).toBe('me');
      await hold(client, 'lock:b', 'me');
      expect(await client.send('EVAL', release, '2', 'lock:a', 'lock:b', 'me')).toBe('+OK');
      expect(await client.send('EXISTS', 'lock:a', 'lock:b')).toBe(0);
    }));

  test('without room for all of them, none is held', () =>
    withLocks(async (client) => {
      const acquire = () => client.send('EVAL', redlock.acquire, '3', 'lock:a', 'small:a', 'small:b', 'me', '60000');
      expect(await acquire()).toMatch(/\[E_CLAIMS_FULL\]$/);
      expect(await client.send('EXISTS', 'lock:a', 'small:a', 'small:b')).toBe(0);
    }));

  test('that are one key count as often as Redis counts them', () =>
    withLocks(async (client) => {
      expect(await client.send('EVAL', redlock.acquire, '2', 'lock:a', 'lock:a', 'me', '60000')).toBe(2);
      expect(await client.send('EVAL', redlock.release, '2', 'lock:a', 'lock:a', 'me')).toBe(1);
    }));
});

test('a token of redislock with other data is not replaced, and the error says so', () =>
  withLocks(async (client) => {
    const obtain = (value: string) => client.send('EVAL', scriptOf('luaObtain'), '1', 'lock:a', value, '3', '60000');
    expect(await obtain('tokdata')).toBe('+OK');
    expect(await obtain('tokdata')).toBe('+OK');
    expect(await obtain('tokother')).toMatch(/^-ERR the key is held by this token with another value/);
    expect(await obtain('tikdata')).toBe(null);
    expect(await client.send('GET', 'lock:a')).toBe('tokdata');
  }));

test('who waits for a key gets it when a script frees it', () =>
  withLocks(async (client) => {
    await hold(client, 'lock:a', 'me');
    client.socket.write(
      Buffer.concat([
        encode('MULTI'),
        encode('EVAL', redisPy.release, '1', 'lock:a', 'me'),
        encode('SET', 'lock:a', 'next', 'NX', 'PX', '60000'),
        encode('EXEC'),
      ]),
    );
    expect(await client.take(4)).toEqual(['+OK', '+QUEUED', '+QUEUED', [1, '+OK']]);
  }));

test('a server that is killed has the locks and leases that scripts left', async () => {
  const folder = newFolder();
  await withLocks(
    async (client) => {
      await client.send('EVAL', redlock.acquire, '2', 'lock:a', 'lock:b', 'me', '60000');
      await client.send('EVAL', redsync.touch, '1', 'lock:a', 'me', '80000000');
      await client.send('EVAL', redisPy.release, '1', 'lock:b', 'me');
      await withServer(
        async (again) => {
          expect(await again.send('GET', 'lock:a')).toBe('me');
          expect(await left(again, 'lock:a')).toBeGreaterThan(70_000_000);
          expect(await again.send('GET', 'lock:b')).toBe(null);
        },
        { maps: MAPS, data: dataIn(killedNow(folder)) },
      );
    },
    { data: dataIn(folder) },
  );
});

describe('errors', () => {
  const { release } = redisPy;
  test.each([
    [['EVAL', release, '1', 'elsewhere', 'me'], /^-ERR EVAL is for keys of a map, and "elsewhere" has none/],
    [['EVAL', release, '1', 'seen:a', 'me'], /^-ERR EVAL of "seen:a" is not for keys of the map seen:\*=events/],
    [['EVAL', release, '0'], /^-ERR the script of a lock has a key and a token/],
    [['EVAL', release, '1', 'lock:a'], /^-ERR the script of a lock has a key and a token/],
    [['EVAL', release, '2', 'lock:a'], /^-ERR Number of keys can't be greater than number of args$/],
    [['EVAL', release, '-1', 'lock:a', 'me'], /^-ERR Number of keys can't be negative$/],
    [['EVAL', release, 'x', 'lock:a', 'me'], /^-ERR value is not an integer or out of range$/],
    [['EVAL', redlock.release, '129', ...Array(129).fill('lock:a'), 'me'], /^-ERR a lock has at most 128 keys$/],
    [['EVAL', redlock.acquire, '1', 'lock:a', '', '60000'], /^-ERR a token has 1 to 256 bytes$/],
    [['EVAL', 'return 1', '1', 'lock:a', 'me'], /^-ERR this server runs no scripts, but for .* this is none of them/],
    [['SCRIPT', 'LOAD', 'return 1'], /^-ERR this server runs no scripts, but for /],
    [['SCRIPT', 'NOTHING'], /^-ERR unknown subcommand 'NOTHING'\. Try SCRIPT HELP\.$/],
    [['SCRIPT', 'KILL'], /^-NOTBUSY/],
  ] as [string[], RegExp][])('%j', (command, error) =>
    withLocks(async (client) => {
      expect(await client.send(...command)).toMatch(error);
    }),
  );

  test('who may only read may not release a lock', () =>
    withServer(
      async (client) => {
        await client.send('AUTH', 'reader', 'x');
        for (const command of [
          ['EVAL', release, '1', 'lock:a', 'me'],
          ['SCRIPT', 'LOAD', release],
        ]) {
          expect(await client.send(...command)).toMatch(/^-NOPERM/);
        }
      },
      { maps: MAPS, authenticate: () => 'read' },
    ));
});
