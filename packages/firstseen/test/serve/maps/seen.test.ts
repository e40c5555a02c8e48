// Commands of Redis on keys of a map that are seen: replies are those of Redis, or an error says what the map takes.

import { describe, expect, test } from 'vitest';
import type { ServeOptions } from '../../../src/serve/server.js';
import { Client, encode, type Read } from '../support/client.js';
import { dataIn, killedNow, newFolder } from '../support/folder.js';
import { withServer } from '../support/server.js';

const MAPS = ['dedup:*=events', 'once:*=first', '*:dupefilter=first'];
const TAKEN = 'they take SET NX, SETNX, SADD, SISMEMBER, SMISMEMBER and EXISTS';

/** A server with a detector that forgets after a day, and one that has no window. */
function withMaps(run: (client: Client, port: number) => Promise<void>, options: Partial<ServeOptions> = {}) {
  const prepared = async (client: Client, { port }: { port: number }) => {
    await client.send('FS.CREATE', 'events', 'ALGORITHM', 'exactwindow', 'WINDOW', '1d', 'MEMORY', '64KiB');
    await client.send('FS.CREATE', 'first', 'ALGORITHM', 'exact', 'MEMORY', '64KiB');
    await run(client, port);
  };
  return withServer(prepared, { maps: MAPS, ...options });
}

/** Sends commands in one chunk. */
async function together(client: Client, ...commands: string[]): Promise<(Read | undefined)[]> {
  client.socket.write(Buffer.concat(commands.map((command) => encode(...command.split(' ')))));
  return client.take(commands.length);
}

test.each([2, 3])('SET NX, SETNX, SADD and what asks answer as Redis in version %i', (version) =>
  withMaps(async (client) => {
    await client.send('HELLO', String(version));
    expect(await client.send('SET', 'dedup:a', '1', 'NX', 'EX', '86400')).toBe('+OK');
    expect(await client.send('set', 'dedup:a', '2', 'px', '86400000', 'nx')).toBe(null);
    expect(await client.send('EXISTS', 'dedup:a', 'dedup:b', 'dedup:a', 'events')).toBe(3);
    expect(await client.send('SETNX', 'once:a', '1')).toBe(1);
    expect(await client.send('SETNX', 'once:a', '1')).toBe(0);
    expect(await client.send('SET', 'once:a', '1', 'NX')).toBe(null);
    expect(await client.send('SADD', 'x:dupefilter', 'a', 'b', 'a')).toBe(2);
    expect(await client.send('SADD', 'x:dupefilter', 'b', 'c')).toBe(1);
    expect(await client.send('SISMEMBER', 'x:dupefilter', 'c')).toBe(1);
    expect(await client.send('SISMEMBER', 'x:dupefilter', 'd')).toBe(0);
    expect(await client.send('SMISMEMBER', 'x:dupefilter', 'a', 'd', 'b')).toEqual([1, 0, 1]);
  }),
);

test('the element of SET is the key, and that of a member has the set, so that sets are not mixed', () =>
  withMaps(async (client) => {
    await client.send('SETNX', 'once:a', '1');
    expect(await client.send('FS.TEST', 'first', 'once:a')).toEqual(['+duplicate']);
    await client.send('SADD', 'x:dupefilter', 'm');
    expect(await client.send('FS.TEST', 'first', '12:x:dupefilterm')).toEqual(['+duplicate']);
    expect(await client.send('SISMEMBER', 'y:dupefilter', 'm')).toBe(0);
    await client.send('SADD', 'once:1', '1:dupefilter');
    expect(await client.send('SISMEMBER', 'once:11', ':dupefilter')).toBe(0);
    expect(await client.send('SADD', 'once:11', ':dupefilter')).toBe(1);
  }));

test('commands that follow one another are one batch, and each has its own reply', () =>
  withMaps(async (client) => {
    expect(
      await together(
        client,
        'SET dedup:a 1 NX EX 86400',
        'SET dedup:bb 2 NX EX 86400',
        'SET dedup:a 3 NX EX 86400',
        'SET dedup:a 3 NX EX 86401',
        'SET once:a 1 NX',
        'SET once:a 1 NX',
        'SETNX once:b 1',
        'SETNX once:b 1',
        'SETNX dedup:c 1',
        'SET dedup:d 1 NX PX 86400000',
        'PING',
      ),
    ).toEqual([
      ...['+OK', '+OK', null, null, '+OK', null, 1, 0],
      expect.stringMatching(/^-ERR Redis would keep the key "dedup:c" for ever/),
      '+OK',
      '+PONG',
    ]);
  }));

test('SETEX would replace a value, which a map of keys that are seen does not have', () =>
  withMaps(async (client) => {
    expect(await client.send('SETEX', 'dedup:a', '86400', '1')).toMatch(
      /^-ERR SETEX of "dedup:a" is not for keys of the map/,
    );
  }));

test('a detector without room answers up to there, and each command after it for itself', () =>
  withServer(
    async (client) => {
      await client.send('BF.RESERVE', 'full', '0.0001', '2', 'NONSCALING');
      const full = '-ERR non scaling filter is full';
      expect(await together(client, 'SETNX a 1', 'SETNX b 1', 'SETNX c 1', 'SETNX a 1', 'SETNX d 1')).toEqual([
        ...[1, 1, full, 0, full],
      ]);
      expect(await together(client, 'SET e 1 NX', 'SET a 1 NX', 'SADD s m')).toEqual([full, null, full]);
    },
    { maps: ['*=full'] },
  ));

describe('a time that is not that of the detector is refused, and the error says which is', () => {
  test.each([
    [
      'SET dedup:a 1 NX',
      'Redis would keep the key "dedup:a" for ever, and the detector events of the map dedup:*=events forgets a key after 1d; give EX 86400, or name a detector in the map that is made by FS.CREATE NAME ALGORITHM exact MEMORY 64MiB',
    ],
    [
      'SADD dedup:a 1',
      'Redis would keep the key "dedup:a" for ever, and the detector events of the map dedup:*=events forgets a key after 1d; give EX 86400, or name a detector in the map that is made by FS.CREATE NAME ALGORITHM exact MEMORY 64MiB',
    ],
    [
      'SET dedup:a 1 NX EX 3600',
      'Redis would keep the key "dedup:a" for 1h, and the detector events of the map dedup:*=events forgets a key after 1d; give EX 86400, or name a detector in the map that is made by FS.CREATE NAME ALGORITHM exactwindow WINDOW 1h MEMORY 64MiB',
    ],
    [
      'SET once:a 1 NX EX 3600',
      'Redis would keep the key "once:a" for 1h, and the detector first of the map once:*=first has no window; leave the time out, or name a detector in the map that is made by FS.CREATE NAME ALGORITHM exactwindow WINDOW 1h MEMORY 64MiB',
    ],
  ])('%s', (command, error) =>
    withMaps(async (client) => {
      expect(await client.send(...command.split(' '))).toBe(`-ERR ${error}`);
    }),
  );

  test.each([
    [78_544, true],
    [78_546, false],
    [96_001, true],
    [95_999, false],
  ])('a day is within 10 %% of %i seconds: not %s', (seconds, isRefused) =>
    withMaps(async (client) => {
      const reply = await client.send('SET', 'dedup:a', '1', 'NX', 'EX', String(seconds));
      expect(String(reply).startsWith('-ERR')).toBe(isRefused);
    }),
  );

  test('all of the band in which a key is forgotten counts, and a window of elements is no time', () =>
    withMaps(
      async (client) => {
        await client.send('FS.CREATE', 'band', 'WINDOW', '1d', 'MEMORY', '64KiB');
        expect(await client.send('SET', 'a', '1', 'NX', 'EX', '86400')).toMatch(
          /forgets a key after 1d to 28h; give EX 93600, or name/,
        );
        expect(await client.send('SET', 'a', '1', 'NX', 'EX', '93600')).toBe('+OK');
        await client.send('FS.DROP', 'band');
        await client.send('FS.CREATE', 'band', 'WINDOW', '22h', 'MEMORY', '64KiB');
        expect(await client.send('SET', 'a', '1', 'NX', 'EX', '86400')).toBe('+OK');
        await client.send('FS.DROP', 'band');
        await client.send('FS.CREATE', 'band', 'WINDOW', '1000', 'ALGORITHM', 'exactwindow', 'MEMORY', '64KiB');
        for (const words of [['NX'], ['NX', 'EX', '60']]) {
          expect(await client.send('SET', 'a', '1', ...words)).toMatch(
            /forgets a key after 1,000 elements; name a detector in the map/,
          );
        }
      },
      { maps: ['a=band'] },
    ));

  test('a detector that keeps a key longer at each repeat is refused', () =>
    withServer(
      async (client) => {
        await client.send('FS.CREATE', 'd', 'WINDOW', '1d', 'REFRESH', 'MEMORY', '64KiB');
        expect(await client.send('SET', 'a', '1', 'NX', 'EX', '86400')).toMatch(
          /^-ERR the detector d of the map a=d keeps a key longer at each repeat, which Redis does not; name a detector/,
        );
      },
      { maps: ['a=d'] },
    ));
});

describe('commands that mean something else are errors that name the map', () => {
  test.each([
    ['SET dedup:a 1', 'SET without NX'],
    ['SET dedup:a 1 EX 86400', 'SET without NX'],
    ['SET dedup:a 1 NX GET', 'SET with GET'],
    ['SET dedup:a 1 XX', 'SET with XX'],
    ['SET dedup:a 1 NX KEEPTTL', 'SET with KEEPTTL'],
    ['GET dedup:a', 'GET'],
    ['DEL dedup:a', 'DEL'],
    ['UNLINK dedup:a', 'UNLINK'],
    ['TYPE dedup:a', 'TYPE'],
    ['INCR dedup:a', 'INCR'],
    ['GETSET dedup:a 1', 'GETSET'],
    ['TTL dedup:a', 'TTL'],
    ['APPEND dedup:a 1', 'APPEND'],
    ['HSET dedup:a 1 2', 'HSET'],
    ['PTTL dedup:a', 'PTTL'],
  ])('%s', (command, name) =>
    withMaps(async (client) => {
      expect(await client.send(...command.split(' '))).toBe(
        `-ERR ${name} of "dedup:a" is not for keys of the map dedup:*=events; ${TAKEN}`,
      );
      expect(await client.send('EXISTS', 'dedup:a')).toBe(0);
    }),
  );

  test('errors of SET are those of Redis', () =>
    withMaps(async (client) => {
      const set = (...words: string[]) => client.send('SET', 'dedup:a', '1', ...words);
      expect(await set('NX', 'EX')).toBe('-ERR syntax error');
      expect(await set('NX', 'EX', '1', 'PX', '1')).toBe('-ERR syntax error');
      // As Redis: a number of more than 64 bits, and one whose milliseconds have no room.
      for (const word of ['EX', 'PX', 'EXAT', 'PXAT']) {
        const tooLarge = await set('NX', word, '99999999999999999999');
        expect(tooLarge).toBe('-ERR value is not an integer or out of range');
        expect(await set('NX', word, '9223372036854775807')).toBe("-ERR invalid expire time in 'set' command");
      }
      expect(await set('NX', 'FOR', '1')).toBe('-ERR syntax error');
      expect(await set('NX', 'EX', 'x')).toBe('-ERR value is not an integer or out of range');
      expect(await set('NX', 'EX', '0')).toBe("-ERR invalid expire time in 'set' command");
      expect(await client.send('SET', 'dedup:a')).toBe("-ERR wrong number of arguments for 'set' command");
    }));

  test('a key that no map has', () =>
    withMaps(async (client) => {
      const commands = ['SET k 1 NX', 'SETNX k 1', 'GET k', 'SADD k m', 'SISMEMBER k m', 'SMISMEMBER k m'];
      for (const command of [...commands, 'EXISTS k', 'DEL k', 'UNLINK k', 'TTL k', 'PTTL k', 'TYPE k']) {
        const [name] = command.split(' ');
        expect(await client.send(...command.split(' '))).toBe(
          `-ERR ${name} is for keys of a map, and "k" has none: this server has detectors only; start it with --map dedup:*=events to have keys seen, or with --map lock:*=locks,claim to have keys held`,
        );
      }
      expect(await client.send('EXISTS', 'dedup:a', 'k')).toMatch(/^-ERR EXISTS .* and "k" has none/);
      expect(await client.send('INCR', 'k')).toMatch(/^-ERR INCR is not offered/);
      expect(await client.send('DEL', 'first', 'k')).toMatch(/^-ERR DEL .* and "k" has none/);
      expect(await client.send('DEL', 'first')).toBe(1);
    }));
});

test('a detector that does not exist, or is for claims, is an error with the command that makes it', () =>
  withServer(
    async (client) => {
      const missing = 'the detector d of the map a=d does not exist; make it: FS.CREATE d';
      expect(await client.send('SETNX', 'a', '1')).toBe(`-ERR ${missing} ALGORITHM exact MEMORY 64MiB`);
      expect(await client.send('EXISTS', 'a')).toBe(`-ERR ${missing} ALGORITHM exactwindow WINDOW 1d MEMORY 64MiB`);
      const [, creation = ''] =
        /make it: (.*)$/.exec(String(await client.send('SET', 'a', '1', 'NX', 'EX', '90'))) ?? [];
      expect(await client.send(...creation.split(' '))).toBe('+OK');
      expect(await client.send('SET', 'a', '1', 'NX', 'EX', '90')).toBe('+OK');
      await client.send('FS.DROP', 'd');
      await client.send('FS.CREATE', 'd', 'CLAIMS', 'MEMORY', '64KiB');
      expect(await client.send('SETNX', 'a', '1')).toBe(
        '-ERR the detector d of the map a=d was made for claims, and the map does not say claim; name a detector in the map that is made by FS.CREATE NAME ALGORITHM exact MEMORY 64MiB',
      );
    },
    { maps: ['a=d'] },
  ));

test('transactions run them, and a killed server has what was answered', async () => {
  const folder = newFolder();
  await withMaps(
    async (client) => {
      const commands = ['MULTI', 'SET dedup:a 1 NX EX 86400', 'SET dedup:a 1 NX EX 86400', 'SADD once:s m', 'EXEC'];
      const queued = ['+OK', '+QUEUED', '+QUEUED', '+QUEUED'];
      expect(await together(client, ...commands)).toEqual([...queued, ['+OK', null, 1]]);
      await withServer(
        async (again) => {
          expect(await again.send('SET', 'dedup:a', '1', 'NX', 'EX', '86400')).toBe(null);
          expect(await again.send('SISMEMBER', 'once:s', 'm')).toBe(1);
          expect(await again.send('EXISTS', 'dedup:a')).toBe(1);
        },
        { maps: MAPS, data: dataIn(killedNow(folder)) },
      );
    },
    { data: dataIn(folder) },
  );
});

test('a client that may observe may not remove a detector', () =>
  withMaps(
    async (client, port) => {
      const observer = await Client.open(port);
      expect(await observer.send('AUTH', 'observer', 'x')).toBe('+OK');
      expect(await observer.send('SETNX', 'once:a', '1')).toMatch(/does not exist/);
      expect(await observer.send('DEL', 'first')).toMatch(/^-NOPERM/);
      expect(await observer.send('SET', 'k', '1', 'NX')).toMatch(/is for keys of a map/);
      const reader = await Client.open(port);
      expect(await reader.send('AUTH', 'reader', 'x')).toBe('+OK');
      expect(await reader.send('SETNX', 'once:a', '1')).toMatch(/^-NOPERM/);
      expect(await reader.send('EXISTS', 'once:a')).toMatch(/does not exist/);
      for (const one of [observer, reader]) one.close();
      expect(await client.send('PING')).toMatch(/^-NOAUTH/);
    },
    { authenticate: (user) => (user === 'observer' ? 'observe' : user === 'reader' ? 'read' : undefined) },
  ));
