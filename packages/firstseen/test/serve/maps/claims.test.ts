// Claims by SET, GET and DEL: replies are those of Redis, or an error says what the map takes.

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { requestOf } from '../../../src/serve/operations/createoptions.js';
import type { ServeOptions } from '../../../src/serve/server.js';
import { type Client, encode, type Read } from '../support/client.js';
import { dataIn, killedNow, newFolder } from '../support/folder.js';
import { withServer } from '../support/server.js';

const MAPS = ['idem:*=requests,claim,committed=processed', 'once:*=lasting,claim'];
const TAKEN =
  'they take SET NX, SET, SETEX, PSETEX, GET, DEL, UNLINK, EXISTS, TTL, PTTL, and EVAL of the scripts of locks';
const committed = (key: string) =>
  `-ERR the key "${key}" is committed, and a detector forgets no single key; FS.CLEAR makes it forget all`;

/** A server with a detector whose claims last for a minute and whose keys are kept for a day, and one that has no window. */
function withMaps(run: (client: Client) => Promise<void>, options: Partial<ServeOptions> = {}) {
  const prepared = async (client: Client) => {
    await client.send('FS.CREATE', 'requests', 'CLAIMS', 'LEASE', '60s', 'WINDOW', '1d', 'MEMORY', '64KiB');
    await client.send('FS.CREATE', 'lasting', 'CLAIMS', 'MEMORY', '64KiB', 'PENDING', '2');
    await run(client);
  };
  return withServer(prepared, { maps: MAPS, ...options });
}

const claim = (client: Client, key: string, value = 'v') => client.send('SET', key, value, 'NX', 'PX', '60000');
const commit = (client: Client, key: string) => client.send('SET', key, 'done', 'EX', '86400');

test.each([2, 3])('a key is claimed, committed and freed as in version %i of Redis', (version) =>
  withMaps(async (client) => {
    await client.send('HELLO', String(version));
    expect(await client.send('GET', 'idem:a')).toBe(null);
    expect(await client.send('EXISTS', 'idem:a')).toBe(0);
    expect(await claim(client, 'idem:a', 'one')).toBe('+OK');
    expect(await claim(client, 'idem:a', 'two')).toBe(null);
    expect(await client.send('GET', 'idem:a')).toBe('one');
    expect(await client.send('EXISTS', 'idem:a', 'idem:b')).toBe(1);
    expect(await client.send('DEL', 'idem:a', 'idem:a')).toBe(1);
    expect(await client.send('UNLINK', 'idem:a')).toBe(0);
    expect(await claim(client, 'idem:a', 'two')).toBe('+OK');
    expect(await commit(client, 'idem:a')).toBe('+OK');
    expect(await client.send('GET', 'idem:a')).toBe('processed');
    expect(await claim(client, 'idem:a')).toBe(null);
    expect(await client.send('EXISTS', 'idem:a')).toBe(1);
    expect(await commit(client, 'idem:a')).toBe('+OK');
    expect(await client.send('FS.CLAIM', 'requests', 'idem:a')).toEqual(['+duplicate']);
  }),
);

test('the same value again is no retry, because many programs have one value for all keys', () =>
  withMaps(async (client) => {
    expect(await claim(client, 'idem:a', '1')).toBe('+OK');
    expect(await claim(client, 'idem:a', '1')).toBe(null);
    // The value is the token.
    expect(await client.send('FS.CLAIM', 'requests', 'idem:a', 'TOKEN', '1')).toEqual(['+distinct', '1']);
    expect(await client.send('FS.ABORT', 'requests', 'idem:a', '2')).toBe(0);
    expect(await client.send('FS.ABORT', 'requests', 'idem:a', '1')).toBe(1);
  }));

test('a value may have any bytes', () =>
  withMaps(async (client) => {
    await client.send('SET', 'idem:a', Buffer.from('é\r\n'), 'NX', 'PX', '60000');
    expect(await client.send('GET', 'idem:a')).toBe('é\r\n');
    for (const value of ['', 'x'.repeat(257)]) {
      expect(await claim(client, 'idem:b', value)).toBe('-ERR the value of a key that is claimed has 1 to 256 bytes');
    }
    expect(await claim(client, 'idem:b', 'x'.repeat(256))).toBe('+OK');
  }));

test('DEL of a committed key is an error, and removes nothing else', () =>
  withMaps(async (client) => {
    await claim(client, 'idem:a');
    await commit(client, 'idem:b');
    expect(await client.send('DEL', 'idem:a', 'idem:b', 'lasting')).toBe(committed('idem:b'));
    expect(await client.send('GET', 'idem:a')).toBe('v');
    expect(await client.send('FS.LIST')).toEqual(['requests', 'lasting']);
    expect(await client.send('DEL', 'idem:a', 'idem:c', 'lasting')).toBe(2);
  }));

test('a claim that has ended is free, its late holder commits the key, and its late DEL frees that of another', () =>
  withMaps(async (client) => {
    for (const key of ['idem:a', 'idem:b']) {
      await client.send('FS.CLAIM', 'requests', key, 'TOKEN', 'slow', 'LEASE', '20');
    }
    await sleep(40);
    expect(await client.send('GET', 'idem:a')).toBe(null);
    expect(await claim(client, 'idem:a', 'fast')).toBe('+OK');
    // As in Redis, where a script compares the value. FS.ABORT compares the token.
    expect(await client.send('FS.ABORT', 'requests', 'idem:a', 'slow')).toBe(0);
    expect(await client.send('DEL', 'idem:a')).toBe(1);
    expect(await commit(client, 'idem:b')).toBe('+OK');
    expect(await claim(client, 'idem:b', 'fast')).toBe(null);
  }));

test('a commit ends the claim of whoever holds the key', () =>
  withMaps(async (client) => {
    await claim(client, 'idem:a', 'one');
    expect(await commit(client, 'idem:a')).toBe('+OK');
    expect(await client.send('FS.COMMIT', 'requests', 'idem:a', 'one')).toBe(0);
  }));

test.each([
  ['SETEX', '86400', '86400000'],
  ['PSETEX', '86400000', '86400'],
])('%s commits a key, as SET with a time', (name, time, other) =>
  withMaps(async (client) => {
    await claim(client, 'idem:a', 'one');
    expect(await client.send(name, 'idem:a', time, 'done')).toBe('+OK');
    expect(await client.send('GET', 'idem:a')).toBe('processed');
    expect(await client.send('FS.COMMIT', 'requests', 'idem:a', 'one')).toBe(0);
    expect(await client.send(name, 'idem:a', other, 'done')).toMatch(/^-ERR Redis would keep the key "idem:a" for/);
    expect(await client.send(name, 'idem:a', '0', 'done')).toBe(
      `-ERR invalid expire time in '${name.toLowerCase()}' command`,
    );
    expect(await client.send(name, 'idem:a', 'x', 'done')).toBe('-ERR value is not an integer or out of range');
    expect(await client.send(name, 'other:a', time, 'done')).toMatch(/is for keys of a map/);
    // Commands with the time and other values follow one another in a batch.
    client.socket.write(Buffer.concat(['b', 'c', 'b'].map((key) => encode(name, `idem:${key}`, time, `of ${key}`))));
    expect(await client.take(3)).toEqual(['+OK', '+OK', '+OK']);
    expect(await client.send('EXISTS', 'idem:b', 'idem:c')).toBe(2);
  }),
);

test('without a window, a key is committed without a time', () =>
  withMaps(async (client) => {
    expect(await client.send('SET', 'once:a', 'v', 'NX', 'EX', '30')).toBe('+OK');
    expect(await client.send('SET', 'once:a', 'done', 'EX', '86400')).toMatch(
      /has no window; leave the time out, or name/,
    );
    expect(await client.send('SET', 'once:a', 'done')).toBe('+OK');
    expect(await client.send('GET', 'once:a')).toBe('committed');
  }));

test('each command of a pipeline has its reply, also an error in the middle', () =>
  withMaps(async (client) => {
    const set = (key: string) => encode('SET', key, key, 'NX', 'EX', '30');
    client.socket.write(Buffer.concat(['once:a', 'once:a', 'once:b', 'once:c', 'once:a'].map(set)));
    client.socket.write(Buffer.concat(['once:a', 'once:b'].map((key) => encode('SET', key, '1'))));
    expect(await client.take(7)).toEqual([
      ...['+OK', null, '+OK', expect.stringMatching(/E_CLAIMS_FULL/), null, '+OK', '+OK'],
    ]);
  }));

describe('a time that is not that of the lease or the window is refused, and the error says which is', () => {
  const held = 'and the detector requests of the map idem:*=requests,claim,committed=processed holds a key for 1m';
  const kept = 'and the detector requests of the map idem:*=requests,claim,committed=processed forgets a key after 1d';
  const other = 'or name a detector in the map that is made by FS.CREATE NAME CLAIMS LEASE';
  test.each([
    ['NX', `Redis would hold the key "idem:a" for ever, ${held}; give EX 60`],
    [
      'NX EX 86400',
      `Redis would hold the key "idem:a" for 1d, ${held}; give EX 60, ${other} 1d WINDOW 1d MEMORY 64MiB`,
    ],
    [
      'NX PX 50000',
      `Redis would hold the key "idem:a" for 50s, ${held}; give EX 60, ${other} 50s WINDOW 1d MEMORY 64MiB`,
    ],
    [
      'NX EX 100000',
      `Redis would hold the key "idem:a" for 100000s, ${held}; give EX 60, or hold it for at most 1d, the longest lease of a detector`,
    ],
    ['', `Redis would keep the key "idem:a" for ever, ${kept}; give EX 86400, ${other} 30s MEMORY 64MiB`],
    [
      'PX 60000',
      `Redis would keep the key "idem:a" for 1m, ${kept}; give EX 86400, ${other} 30s WINDOW 1m MEMORY 64MiB`,
    ],
  ])('SET idem:a v %s', (words, error) =>
    withMaps(async (client) => {
      await claim(client, 'idem:a');
      expect(await client.send('SET', 'idem:a', 'v', ...words.split(' ').filter(Boolean))).toBe(`-ERR ${error}`);
      expect(await client.send('GET', 'idem:a')).toBe('v');
    }),
  );

  test('within 10 % it is taken, and is the lease of this claim', () =>
    withMaps(async (client) => {
      expect(await client.send('SET', 'idem:a', 'v', 'NX', 'PX', '65000')).toBe('+OK');
      const [, left] = (await client.send('FS.CLAIM', 'requests', 'idem:a')) as [string, number];
      expect(left).toBeGreaterThan(60_000);
    }));
});

describe('the time of a claim', () => {
  test('is told by TTL and PTTL, and is -2 for a key that nobody has', () =>
    withMaps(async (client) => {
      for (const command of ['TTL', 'PTTL']) expect(await client.send(command, 'idem:a')).toBe(-2);
      await claim(client, 'idem:a');
      expect(await client.send('TTL', 'idem:a')).toBe(60);
      const left = (await client.send('PTTL', 'idem:a')) as number;
      expect(left).toBeGreaterThan(59_000);
      expect(left).toBeLessThanOrEqual(60_000);
    }));

  test('is not known of a committed key, unless it is kept for ever', () =>
    withMaps(async (client) => {
      await commit(client, 'idem:a');
      expect(await client.send('PTTL', 'idem:a')).toBe(
        '-ERR the key "idem:a" is committed, and its detector does not know when it came; PTTL is for keys that are held',
      );
      await client.send('SET', 'once:a', 'done');
      for (const command of ['TTL', 'PTTL']) expect(await client.send(command, 'once:a')).toBe(-1);
    }));

  test('is -1 for a detector', () =>
    withMaps(async (client) => {
      expect(await client.send('TTL', 'requests')).toBe(-1);
    }));

  test('may be one of the clock, which is compared with the lease and the window', () =>
    withMaps(async (client) => {
      const inSeconds = (seconds: number) => String(Math.round(Date.now() / 1000) + seconds);
      const set = (...words: string[]) => client.send('SET', 'idem:a', 'v', ...words);
      expect(await set('NX', 'PXAT', String(Date.now() + 60_000))).toBe('+OK');
      expect(await client.send('PTTL', 'idem:a')).toBeGreaterThan(59_000);
      expect(await set('NX', 'EXAT', inSeconds(60))).toBe(null);
      expect(await set('EXAT', inSeconds(86_400))).toBe('+OK');
      expect(await client.send('GET', 'idem:a')).toBe('processed');
      expect(await set('NX', 'EXAT', inSeconds(3600))).toMatch(
        /^-ERR Redis would hold the key "idem:a" for .*; give EX 60/,
      );
      expect(await set('NX', 'EXAT', inSeconds(-10))).toBe('-ERR the time of SET is in the past; give a later one');
      expect(await set('NX', 'EXAT', '0')).toBe("-ERR invalid expire time in 'set' command");
      expect(await set('NX', 'EXAT', '9', 'PX', '1')).toBe('-ERR the time of SET is in the past; give a later one');
      expect(await set('NX', 'PX', '1', 'EXAT', inSeconds(60))).toBe('-ERR syntax error');
      expect(await set('NX', 'EXAT')).toBe('-ERR syntax error');
    }));
});

describe.each([2, 3])('SET with GET in version %i', (version) => {
  test('answers the value that the key had', () =>
    withMaps(async (client) => {
      await client.send('HELLO', String(version));
      const set = (value: string, ...words: string[]) => client.send('SET', 'idem:a', value, ...words);
      expect(await set('one', 'NX', 'GET', 'PX', '60000')).toBe(null);
      expect(await set('two', 'NX', 'GET', 'PX', '60000')).toBe('one');
      expect(await set('done', 'EX', '86400', 'GET')).toBe('one');
      expect(await set('done', 'EX', '86400', 'GET')).toBe('processed');
      expect(await set('three', 'NX', 'PX', '60000', 'GET')).toBe('processed');
      expect(await set('three', 'NX', 'GET')).toMatch(/^-ERR Redis would hold the key "idem:a" for ever/);
    }));

  test('has a reply for each command of a pipeline', () =>
    withMaps(async (client) => {
      await client.send('HELLO', String(version));
      const set = (value: string) => encode('SET', 'once:a', value, 'NX', 'GET', 'EX', '30');
      client.socket.write(Buffer.concat(['a', 'b', 'a'].map(set)));
      expect(await client.take(3)).toEqual([null, 'a', 'a']);
      client.socket.write(encode('SET', 'once:b', 'x'.repeat(257), 'NX', 'GET', 'EX', '30'));
      expect(await client.take(1)).toEqual(['-ERR the value of a key that is claimed has 1 to 256 bytes']);
    }));
});

describe('commands that mean something else are errors that name the map', () => {
  test.each([
    ['SETNX idem:a 1', /^-ERR Redis would hold the key "idem:a" for ever, /],
    ...[
      'SADD idem:a 1',
      'SISMEMBER idem:a 1',
      'INCR idem:a',
      'EXPIRETIME idem:a',
      'EXPIRE idem:a 60',
      'TYPE idem:a',
    ].map((command): [string, string] => [
      command,
      `-ERR ${command.split(' ')[0]} of "idem:a" is not for keys of the map ${MAPS[0]}; ${TAKEN}`,
    ]),
    ['SET idem:a 1 XX EX 86400', `-ERR SET with XX of "idem:a" is not for keys of the map ${MAPS[0]}; ${TAKEN}`],
    ['SET idem:a 1 KEEPTTL', `-ERR SET with KEEPTTL of "idem:a" is not for keys of the map ${MAPS[0]}; ${TAKEN}`],
  ] as [string, string | RegExp][])('%s', (command, error) =>
    withMaps(async (client) => {
      const reply = (await client.send(...command.split(' '))) as string;
      if (typeof error === 'string') expect(reply).toBe(error);
      else expect(reply).toMatch(error);
    }),
  );

  test('a detector that does not exist, or is not for claims', () =>
    withServer(
      async (client) => {
        const missing = 'the detector d of the map a=d,claim does not exist; make it: FS.CREATE d CLAIMS';
        expect(await client.send('GET', 'a')).toBe(`-ERR ${missing} LEASE 30s WINDOW 1d MEMORY 64MiB`);
        expect(await client.send('DEL', 'a')).toMatch(/does not exist/);
        const reply = String(await client.send('SET', 'a', 'v', 'NX', 'PX', '5000'));
        expect(reply).toBe(`-ERR ${missing} LEASE 5s WINDOW 1d MEMORY 64MiB`);
        await client.send('FS.CREATE', 'd', 'MEMORY', '64KiB');
        expect(await client.send('GET', 'a')).toMatch(
          /^-ERR the detector d of the map a=d,claim was not made for claims/,
        );
        await client.send('FS.DROP', 'd');
        await client.send(...(/FS.CREATE.*$/.exec(reply)?.[0] ?? '').split(' '));
        expect(await client.send('SET', 'a', 'v', 'NX', 'PX', '5000')).toBe('+OK');
      },
      { maps: ['a=d,claim'] },
    ));
});

test('a transaction claims and commits, and a killed server has what was answered', async () => {
  const folder = newFolder();
  await withMaps(
    async (client) => {
      await client.send('MULTI');
      for (const key of ['idem:a', 'idem:b', 'idem:c']) await claim(client, key, `of ${key}`);
      await commit(client, 'idem:b');
      await client.send('DEL', 'idem:c');
      expect(await client.send('EXEC')).toEqual(['+OK', '+OK', '+OK', '+OK', 1]);
      await commit(client, 'idem:d');
      await withServer(
        async (again) => {
          const values: (Read | undefined)[] = [];
          for (const key of ['a', 'b', 'c', 'd']) values.push(await again.send('GET', `idem:${key}`));
          expect(values).toEqual(['of idem:a', 'processed', null, 'processed']);
          expect(await claim(again, 'idem:a')).toBe(null);
          expect(await commit(again, 'idem:a')).toBe('+OK');
          expect(await again.send('DEL', 'idem:a')).toBe(committed('idem:a'));
        },
        { maps: MAPS, data: dataIn(killedNow(folder)) },
      );
    },
    { data: dataIn(folder) },
  );
});

test('a SET of a key that nobody holds takes no room that is kept for others', () =>
  withMaps(async (client) => {
    await client.send('FS.DROP', 'requests');
    await client.send('FS.CREATE', 'requests', 'CLAIMS', 'LEASE', '60s', 'WINDOW', '1d', 'MEMORY', '1KiB');
    for (const key of ['idem:a', 'idem:b']) expect(await claim(client, key)).toBe('+OK');
    for (let i = 0, reply: unknown = '+OK'; reply === '+OK'; i++) reply = await commit(client, `idem:${i}`);
    // In one batch: a key that nobody holds is refused between two that are held.
    const keys = ['idem:a', 'idem:new', 'idem:0', 'idem:b', 'idem:b'];
    client.socket.write(Buffer.concat(keys.map((key) => encode('SET', key, 'done', 'EX', '86400'))));
    expect(await client.take(keys.length)).toEqual([
      '+OK',
      expect.stringMatching(/^-ERR .* no room for another element besides 1 key that claims hold.*E_FULL/),
      ...['+OK', '+OK', '+OK'],
    ]);
  }));

describe('a map and a detector that contradict each other', () => {
  const request = (claims: boolean) => ({ claims, memory: '64KiB' });
  const wrong = { 'once:*=d,claim': false, 'once:*=d': true };

  test.each(Object.entries(wrong))('are refused by the start, if the detector is declared: %s', async (map, claims) => {
    const detectors = [{ name: 'd', request: requestOf(request(claims)), origin: 'detectors.d' }];
    const problem = {
      code: 'E_USAGE',
      message: expect.stringMatching(/the detector d of the map once:\*=d.* was .*made/),
    };
    await expect(withServer(async () => undefined, { maps: [map], detectors })).rejects.toMatchObject(problem);
  });

  test('are told, if the detector is in the data folder', async () => {
    const folder = newFolder();
    await withServer((client) => client.send('FS.CREATE', 'd', 'MEMORY', '64KiB').then(() => undefined), {
      data: dataIn(folder),
    });
    const warnings: string[] = [];
    const onWarning = (message: string) => warnings.push(message);
    await withServer(async () => undefined, { maps: ['once:*=d,claim'], data: dataIn(folder), onWarning });
    expect(warnings).toEqual([expect.stringMatching(/was not made for claims; name a detector in the map/)]);
  });
});
