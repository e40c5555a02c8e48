// The scripts of libraries do with claims what they do with keys of Redis.

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { withServer } from '../support/server.js';
import { type LibraryScript, libraryScripts } from './scripts.js';

const MAPS = ['lock:*=locks,claim,committed=done'];

/** A server whose claims last for a minute, and on which nothing ends by itself while a test runs. */
function withLocks(run: (client: Client) => Promise<void>) {
  return withServer(
    async (client) => {
      await client.send('FS.CREATE', 'locks', 'CLAIMS', 'LEASE', '60s', 'WINDOW', '1d', 'MEMORY', '64KiB');
      await run(client);
    },
    { maps: MAPS },
  );
}

const hold = (client: Client, key: string, token: string) => client.send('SET', key, token, 'NX', 'PX', '60000');
const evaluate = (client: Client, { script, arguments: words }: LibraryScript, key: string, token: string) =>
  client.send('EVAL', script, '1', key, token, ...words);

describe.each(libraryScripts)('$source', (library) => {
  const { does, done, otherwise, free = otherwise } = library;

  test('does it for the token that has the key', () =>
    withLocks(async (client) => {
      if (does !== 'acquire') await hold(client, 'lock:a', 'one');
      const reply = await evaluate(client, library, 'lock:a', 'one');
      if (does === 'remaining') expect(reply).toBeGreaterThan(59_000);
      else expect(reply).toBe(done);
      expect(await client.send('GET', 'lock:a')).toBe(does === 'release' ? null : 'one');
      expect(await hold(client, 'lock:a', 'two')).toBe(does === 'release' ? '+OK' : null);
    }));

  test('does nothing for another token, for a key that is committed, and for one that nobody has', () =>
    withLocks(async (client) => {
      await hold(client, 'lock:a', 'one');
      expect(await evaluate(client, library, 'lock:a', 'two')).toBe(otherwise);
      expect(await client.send('GET', 'lock:a')).toBe('one');
      await client.send('SET', 'lock:a', 'done', 'EX', '86400');
      expect(await evaluate(client, library, 'lock:a', 'one')).toBe(otherwise);
      expect(await client.send('GET', 'lock:a')).toBe('done');
      if (does === 'acquire') return;
      expect(await evaluate(client, library, 'lock:b', 'one')).toBe(free);
      expect(await client.send('GET', 'lock:b')).toBe(free === 1 ? 'one' : null);
    }));

  test('is known by its digest once it was sent', () =>
    withLocks(async (client) => {
      const { script, arguments: words } = library;
      const digest = createHash('sha1').update(script).digest('hex');
      const call = () => client.send('EVALSHA', digest, '1', 'lock:a', 'one', ...words);
      expect(await call()).toBe('-NOSCRIPT No matching script. Please use EVAL.');
      expect(await client.send('SCRIPT', 'EXISTS', digest, 'other')).toEqual([0, 0]);
      expect(await client.send('SCRIPT', 'LOAD', script)).toBe(digest);
      expect(await client.send('SCRIPT', 'EXISTS', digest, 'other')).toEqual([1, 0]);
      expect(await call()).toBe(does === 'acquire' ? done : free);
      expect(await client.send('SCRIPT', 'FLUSH')).toBe('+OK');
      expect(await call()).toMatch(/^-NOSCRIPT/);
      await client.send('EVAL', script, '1', 'lock:b', 'one', ...words);
      expect(await client.send('EVALSHA', digest.toUpperCase(), '1', 'lock:c', 'one', ...words)).toBe(
        does === 'acquire' ? done : free,
      );
    }));
});
