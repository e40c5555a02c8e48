import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ServeOptions } from '../../src/serve/server.js';
import { Client, encode, type Read } from './support/client.js';
import { dataIn, killedNow, newFolder } from './support/folder.js';
import { ask, withHttp } from './support/http.js';
import { withServer } from './support/server.js';

const REFUSED = /^-ERR the detector was made for claims/;

/** A server with a detector for claims, whose leases last for a minute. */
function withClaims(run: (client: Client, port: number) => Promise<void>, options: Partial<ServeOptions> = {}) {
  return withServer(async (client, { port }) => {
    await client.send('FS.CREATE', 'd', 'CLAIMS', 'LEASE', '60s', 'MEMORY', '64KiB');
    await run(client, port);
  }, options);
}

test('a detector for claims is exact unless it is told otherwise, and tells its rate of false positives', () =>
  withServer(async (client) => {
    const create = async (...words: string[]) => (await client.send('FS.CREATE', ...words)) as Read[];
    const exact = await create('a', 'CLAIMS', 'MEMORY', '64KiB');
    expect(exact.slice(0, 3)).toEqual(['algorithm', 'exact', 'false positive rate']);
    expect(Number(exact[3])).toBeLessThan(1e-14);
    expect((await create('b', 'CLAIMS', 'WINDOW', '1d', 'MEMORY', '64KiB')).slice(0, 2)).toEqual([
      'algorithm',
      'exactwindow',
    ]);
    expect(await create('c', 'CLAIMS', 'ALGORITHM', 'qht', 'FPR', '0.001', 'MEMORY', '64KiB')).toEqual([
      ...['algorithm', 'qht', 'false positive rate', '0.001'],
    ]);
    expect(await create('e', 'CLAIMS', 'PENDING', '1e9', 'MEMORY', '64KiB')).toMatch(/^-ERR PENDING/);
    expect(await create('e', 'CLAIMS', 'LEASE', '2d', 'MEMORY', '64KiB')).toMatch(/at most a day/);
    expect(await create('d', 'LEASE', '5s')).toMatch(/^-ERR LEASE and PENDING need CLAIMS/);
    expect(await create('a', 'MEMORY', '64KiB', 'ALGORITHM', 'exact')).toMatch(
      /it is a detector for claims, not a detector without claims/,
    );
  }));

test('a key is held until its claim is committed, and is a duplicate then', () =>
  withClaims(async (client) => {
    const [verdict, token] = (await client.send('FS.CLAIM', 'd', 'k')) as [string, string];
    expect(verdict).toBe('+distinct');
    const [pending, left] = (await client.send('FS.CLAIM', 'd', 'k')) as [string, number];
    expect(pending).toBe('+pending');
    expect(left).toBeGreaterThan(50_000);
    expect(await client.send('FS.OBSERVE', 'd', 'j', 'k', 'j')).toEqual(['+distinct', '+pending', '+duplicate']);
    expect(await client.send('FS.COMMIT', 'd', 'k', 'other')).toBe(0);
    expect(await client.send('FS.EXTEND', 'd', 'k', token)).toBe(1);
    expect(await client.send('FS.COMMIT', 'd', 'k', token)).toBe(1);
    expect(await client.send('FS.COMMIT', 'd', 'k', token)).toBe(0);
    expect(await client.send('FS.CLAIM', 'd', 'k')).toEqual(['+duplicate']);
    expect(await client.send('FS.OBSERVE', 'd', 'k')).toEqual(['+duplicate']);
  }));

test('an aborted key is free, and the token of its claim holds nothing', () =>
  withClaims(async (client) => {
    expect(await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 't')).toEqual(['+distinct', 't']);
    expect(await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 't')).toEqual(['+distinct', 't']);
    expect(await client.send('FS.ABORT', 'd', 'k', 't')).toBe(1);
    expect(await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'u')).toEqual(['+distinct', 'u']);
    expect(await client.send('FS.COMMIT', 'd', 'k', 't')).toBe(0);
    expect(await client.send('FS.ABORT', 'd', 'k', 't')).toBe(0);
    expect(await client.send('FS.EXTEND', 'd', 'k', 't')).toBe(0);
    expect(await client.send('FS.COMMIT', 'd', 'k', 'u')).toBe(1);
  }));

test('a token may have any bytes, which are those of the reply', () =>
  withClaims(async (client) => {
    for (const words of [[], ['WAIT', '1s']]) {
      const key = `k${words.length}`;
      expect(await client.send('FS.CLAIM', 'd', key, 'TOKEN', 'ü\r\n', ...words)).toEqual(['+distinct', 'ü\r\n']);
      expect(await client.send('FS.COMMIT', 'd', key, 'ü\r\n')).toBe(1);
    }
  }));

test('a late holder commits nothing after another one has claimed', () =>
  withClaims(async (client) => {
    await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'slow', 'LEASE', '20');
    await sleep(40);
    expect(await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'fast')).toEqual(['+distinct', 'fast']);
    expect(await client.send('FS.COMMIT', 'd', 'k', 'slow')).toBe(0);
    expect(((await client.send('FS.CLAIM', 'd', 'k')) as Read[])[0]).toBe('+pending');
  }));

test('commits of claims that hold their keys no more are counted, and repeated commits are not', () =>
  withHttp(async (httpPort, { port }) => {
    const client = await Client.open(port);
    await client.send('FS.CREATE', 'd', 'CLAIMS', 'MEMORY', '64KiB');
    const late = async () => {
      const { text } = await ask(httpPort, 'GET', '/metrics');
      return Number(/claims_total\{.*outcome="late"\} (\d+)/.exec(text)?.[1]);
    };
    const lose = async (key: string) => {
      await client.send('FS.CLAIM', 'd', key, 'TOKEN', 'slow', 'LEASE', '20');
      await sleep(40);
    };
    await client.send('FS.CLAIM', 'd', 'done', 'TOKEN', 't');
    expect(await client.send('FS.COMMIT', 'd', 'done', 't')).toBe(1);
    expect(await client.send('FS.COMMIT', 'd', 'done', 't')).toBe(0);
    // These tokens never held their keys, or gave them up.
    expect(await client.send('FS.COMMIT', 'd', 'never claimed', 't')).toBe(0);
    await client.send('FS.CLAIM', 'd', 'other', 'TOKEN', 't');
    expect(await client.send('FS.COMMIT', 'd', 'other', 'not t')).toBe(0);
    expect(await client.send('FS.ABORT', 'd', 'other', 't')).toBe(1);
    expect(await client.send('FS.COMMIT', 'd', 'other', 't')).toBe(0);
    await lose('cleared');
    await client.send('FS.COMMIT', 'd', 'cleared', 'not slow');
    expect(await late()).toBe(0);
    await client.send('FS.CLEAR', 'd');
    expect(await client.send('FS.COMMIT', 'd', 'cleared', 'slow')).toBe(0);
    expect(await late()).toBe(0);
    await lose('free');
    expect(await client.send('FS.COMMIT', 'd', 'free', 'slow')).toBe(0);
    expect(await late()).toBe(1);
    await lose('held');
    await client.send('FS.CLAIM', 'd', 'held', 'TOKEN', 'fast');
    expect(await client.send('FS.COMMIT', 'd', 'held', 'slow')).toBe(0);
    expect(await late()).toBe(2);
    // It is told once, and the key may be claimed and committed by others meanwhile.
    expect(await client.send('FS.COMMIT', 'd', 'held', 'slow')).toBe(0);
    expect(await late()).toBe(2);
    await lose('done by another');
    await client.send('FS.CLAIM', 'd', 'done by another', 'TOKEN', 'fast');
    expect(await client.send('FS.COMMIT', 'd', 'done by another', 'fast')).toBe(1);
    expect(await client.send('FS.COMMIT', 'd', 'done by another', 'slow')).toBe(0);
    expect(await late()).toBe(3);
    client.close();
  }));

test('who waits gets the key when it is free, in the order of coming, or pending when the time is over', () =>
  withClaims(async (client, port) => {
    await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'a');
    const others = await Promise.all([1, 2, 3, 4].map(() => Client.open(port)));
    const [second, third, gone, late] = others as [Client, Client, Client, Client];
    const left = gone.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'gone', 'WAIT', '1h');
    await client.send('PING');
    const waiting = [
      second.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'b', 'WAIT', '1h'),
      third.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'c', 'WAIT', '1h'),
    ];
    expect(((await late.send('FS.CLAIM', 'd', 'k', 'WAIT', '30')) as Read[])[0]).toBe('+pending');
    gone.close();
    await left;
    while (!String(await client.send('INFO', 'clients')).includes('connected_clients:4\r\n')) await sleep(1);
    // Only the connections that wait do so.
    expect(await client.send('FS.ABORT', 'd', 'k', 'a')).toBe(1);
    expect(await waiting[0]).toEqual(['+distinct', 'b']);
    expect(await client.send('FS.COMMIT', 'd', 'k', 'b')).toBe(1);
    expect(await waiting[1]).toEqual(['+duplicate']);
    for (const one of [second, third, late]) one.close();
  }));

test('all who wait are told the answer of the commit, and nobody else is', () =>
  withClaims(async (client, port) => {
    await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'a');
    const others = await Promise.all([1, 2].map(() => Client.open(port)));
    for (const other of others) await other.send('PING');
    const waiting = others.map((other) => other.send('FS.CLAIM', 'd', 'k', 'WAIT', '1h'));
    // Both wait once a command that came after theirs is answered.
    await client.send('PING');
    expect(await client.send('FS.COMMIT', 'd', 'k', 'a', 'ANSWER', '{"status":"paid"}\r\n')).toBe(1);
    const told = ['+duplicate', '{"status":"paid"}\r\n'];
    expect(await Promise.all(waiting)).toEqual([told, told]);
    expect(await client.send('FS.CLAIM', 'd', 'k')).toEqual(['+duplicate']);
    for (const other of others) other.close();
  }));

test.each([[['ANSWER']], [['REPLY', 'x']], [['ANSWER', 'x', 'y']]])(
  'a commit with %j is refused, and the claim remains',
  (words) =>
    withClaims(async (client) => {
      await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'a');
      expect(await client.send('FS.COMMIT', 'd', 'k', 'a', ...words)).toMatch(/^-ERR (syntax error|wrong number)/);
      expect(await client.send('FS.COMMIT', 'd', 'k', 'a')).toBe(1);
    }),
);

test('commands that have no answer for a held key are refused', () =>
  withClaims(async (client) => {
    for (const command of [
      ['BF.ADD', 'd', 'k'],
      ['BF.MADD', 'd', 'k'],
      ['BF.INSERT', 'd', 'ITEMS', 'k'],
      ['FS.ADD', 'd', 'k'],
      ['FS.OBSERVEID', 'd', '1', 'k'],
    ]) {
      expect(await client.send(...command), command[0]).toMatch(REFUSED);
    }
    expect(await client.send('FS.TEST', 'd', 'k')).toEqual(['+distinct']);
    await client.send('FS.CREATE', 'e', 'MEMORY', '64KiB');
    expect(await client.send('FS.CLAIM', 'e', 'k')).toMatch(/was not made for claims/);
    expect(await client.send('FS.CLAIM', 'd', 'k', 'LEASE', '2d')).toMatch(/at most a day/);
    expect(await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', '')).toMatch(/a token has/);
    expect(await client.send('FS.CLAIM', 'd', 'k', 'HOLD', '1')).toBe('-ERR syntax error');
  }));

test('claims survive a kill of a detector that became full meanwhile, and their commits have room', async () => {
  const folder = newFolder();
  const options = { data: dataIn(folder) };
  await withServer(async (client) => {
    await client.send('FS.CREATE', 'd', 'CLAIMS', 'LEASE', '60s', 'MEMORY', '1KiB');
    for (const key of ['k', 'j']) await client.send('FS.CLAIM', 'd', key, 'TOKEN', 't');
    const others = Array.from({ length: 200 }, (_, i) => `other:${i}`);
    expect(((await client.send('FS.OBSERVE', 'd', ...others)) as Read[]).at(-1)).toMatch(/E_FULL/);
    await withServer(
      async (again) => {
        expect(((await again.send('FS.CLAIM', 'd', 'k')) as Read[])[0]).toBe('+pending');
        const settle = (command: string) => ['k', 'j'].map((key) => encode(command, 'd', key, 't'));
        again.socket.write(Buffer.concat([...settle('FS.COMMIT'), ...settle('FS.ABORT')]));
        expect(await again.take(4)).toEqual([1, 1, 0, 0]);
      },
      { data: dataIn(killedNow(folder)) },
    );
  }, options);
});

test.each([false, true])(
  'claims survive a kill, with the time that is left (after new snapshots: %s)',
  async (isCompacted) => {
    const folder = newFolder();
    await withClaims(
      async (client) => {
        const claim = (key: string, ...words: string[]) =>
          client.send('FS.CLAIM', 'd', key, 'TOKEN', `t-${key}`, ...words);
        for (const key of ['held', 'committed', 'aborted', 'extended', 'repeated']) await claim(key);
        await claim('short', 'LEASE', '30');
        await client.send('FS.COMMIT', 'd', 'committed', 't-committed');
        await client.send('FS.ABORT', 'd', 'aborted', 't-aborted');
        await claim('extended', 'LEASE', '1h');
        expect(await claim('committed')).toEqual(['+duplicate']);
        if (isCompacted) await client.send('FS.SAVE');
        await client.send('FS.COMMIT', 'd', 'repeated', 't-repeated');
        await sleep(40);
        await withServer(
          async (again) => {
            const answers = async (key: string) => (await again.send('FS.CLAIM', 'd', key)) as [string, number];
            const [held, left] = await answers('held');
            expect(held).toBe('+pending');
            expect(left).toBeLessThan(60_000);
            expect((await answers('extended'))[1]).toBeGreaterThan(3_000_000);
            expect(await answers('committed')).toEqual(['+duplicate']);
            expect(await answers('repeated')).toEqual(['+duplicate']);
            expect((await answers('aborted'))[0]).toBe('+distinct');
            expect((await answers('short'))[0]).toBe('+distinct');
            expect(await again.send('FS.COMMIT', 'd', 'held', 't-held')).toBe(1);
            expect(await again.send('FS.STATS', 'd')).toContain('claims');
          },
          { data: dataIn(killedNow(folder)) },
        );
      },
      { data: dataIn(folder) },
    );
  },
);

/** A client that closes its side, as the system does for a program that ends. */
function leave({ socket }: Client): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
    socket.end();
  });
}

test('who has gone while waiting does not get the key, and its connection ends', () =>
  withClaims(async (client, port) => {
    await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'a', 'LEASE', '1h');
    const gone = await Client.open(port);
    const answer = gone.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'gone', 'WAIT', '1h');
    await client.send('PING');
    const left = leave(gone);
    // It may read still.
    const [verdict, milliseconds] = (await answer) as [string, number];
    expect(verdict).toBe('+pending');
    expect(milliseconds).toBeGreaterThan(3_000_000);
    await left;
    expect(String(await client.send('INFO', 'clients'))).toContain('connected_clients:1\r\n');
    expect(await client.send('FS.ABORT', 'd', 'k', 'a')).toBe(1);
    expect(await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'b')).toEqual(['+distinct', 'b']);
  }));

test('who waits for a key of a detector that is dropped is told so', () =>
  withClaims(async (client, port) => {
    await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'a', 'LEASE', '1h');
    const other = await Client.open(port);
    const answer = other.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'b', 'WAIT', '1h');
    await sleep(20);
    expect(await client.send('FS.DROP', 'd')).toBe('+OK');
    expect(await answer).toMatch(/^-ERR not found: no detector is called/);
    other.close();
  }));

test('keys that are held count in the memory, and without room a new claim is refused', () =>
  withServer(
    async (client) => {
      const memory = async () => Number(/detectors_memory:(\d+)/.exec(String(await client.send('INFO')))?.[1]);
      await client.send('FS.CREATE', 'd', 'CLAIMS', 'LEASE', '60s', 'MEMORY', '64KiB');
      const empty = await memory();
      const room = Math.floor((2 ** 18 - empty) / 640);
      for (let i = 0; i < room; i++) {
        expect(await client.send('FS.CLAIM', 'd', `k${i}`, 'TOKEN', 't')).toEqual(['+distinct', 't']);
      }
      expect(await memory()).toBe(empty + 640 * room);
      expect(await client.send('FS.CLAIM', 'd', 'new')).toMatch(/^-\S+ a claim takes 640.*--memory/);
      // What needs no memory is answered.
      expect(await client.send('FS.CLAIM', 'd', 'k0')).toEqual(['+pending', expect.any(Number)]);
      expect(await client.send('FS.CLAIM', 'd', 'k0', 'TOKEN', 't')).toEqual(['+distinct', 't']);
      expect(await client.send('FS.COMMIT', 'd', 'k0', 't')).toBe(1);
      expect(await client.send('FS.CLAIM', 'd', 'k0')).toEqual(['+duplicate']);
      expect(await client.send('FS.CLAIM', 'd', 'short', 'LEASE', '1')).toEqual(['+distinct', expect.any(String)]);
      await sleep(5);
      expect(await client.send('FS.CLAIM', 'd', 'new', 'TOKEN', 't')).toEqual(['+distinct', 't']);
      expect(await client.send('FS.ABORT', 'd', 'new', 't')).toBe(1);
      expect(await memory()).toBe(empty + 640 * (room - 1));
      await client.send('FS.DROP', 'd');
      expect(await memory()).toBe(0);
    },
    { memoryBytes: 2 ** 18 },
  ));

test('keys that are held count in the memory after a restart', async () => {
  const folder = newFolder();
  const memory = async (client: Client) => /detectors_memory:(\d+)/.exec(String(await client.send('INFO')))?.[1];
  await withClaims(
    async (client) => {
      for (let i = 0; i < 10; i++) await client.send('FS.CLAIM', 'd', `k${i}`);
      const before = await memory(client);
      await withServer(async (again) => expect(await memory(again)).toBe(before), { data: dataIn(killedNow(folder)) });
      await client.send('FS.SAVE');
      await withServer(async (again) => expect(await memory(again)).toBe(before), { data: dataIn(killedNow(folder)) });
    },
    { data: dataIn(folder) },
  );
});
