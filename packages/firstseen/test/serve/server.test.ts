import { expect, test, vi } from 'vitest';
import { serve } from '../../src/serve/server.js';
import { inLongForm } from '../support/form.js';
import { Client, encode, type Read } from './support/client.js';
import { testServer, withServer } from './support/server.js';

test('TIME tells the clock, as Redis does', () =>
  withServer(async (client) => {
    const now = vi.spyOn(Date, 'now').mockReturnValue(1_700_000_000_042);
    try {
      expect(await client.send('TIME')).toEqual(['1700000000', '42000']);
      expect(await client.send('TIME', 'now')).toMatch(/^-ERR wrong number of arguments for 'time'/);
    } finally {
      now.mockRestore();
    }
  }));

test('sqf without a rate, which would call all new keys duplicates, is made only with its parameters', () =>
  withServer(async (client) => {
    const words = ['ALGORITHM', 'sqf', 'MEMORY', '64KiB'];
    expect(await client.send('FS.CREATE', 's', ...words)).toMatch(/^-ERR sqf without a rate .*; give FPR 1e-3, or its/);
    expect(await client.send('FS.CREATE', 's', ...words, 'FPR', '1e-3')).toBe('+OK');
    expect(await client.send('FS.CREATE', 'paper', ...words, 'PARAM', 'k=4')).toBe('+OK');
  }));

test('a filter is reserved, filled and asked', () =>
  withServer(async (client) => {
    expect(await client.send('BF.RESERVE', 'f', '0.001', '1000')).toBe('+OK');
    expect(await client.send('BF.ADD', 'f', 'a')).toBe(1);
    expect(await client.send('bf.add', 'f', 'a')).toBe(0);
    expect(await client.send('BF.MADD', 'f', 'a', 'b', 'b')).toEqual([0, 1, 0]);
    expect(await client.send('BF.MEXISTS', 'f', 'b', 'c')).toEqual([1, 0]);
    expect(await client.send('BF.CARD', 'f')).toBe(2);
    expect(await client.send('HELLO', '3')).toBeInstanceOf(Map);
    expect(await client.send('BF.EXISTS', 'f', 'a')).toBe(true);
    expect(((await client.send('BF.INFO', 'f')) as Map<string, Read>).get('+Number of items inserted')).toBe(2);
  }));

test('a filter keeps its rate of false positives at its capacity', () =>
  withServer(async (client) => {
    const capacity = inLongForm(20_000, 5000);
    const keys = (prefix: string) => Array.from({ length: capacity }, (_, i) => `${prefix}${i}`);
    for (const rate of [0.05, 0.001]) {
      const name = `f${rate}`;
      await client.send('BF.RESERVE', name, String(rate), String(capacity));
      await client.send('BF.MADD', name, ...keys('in'));
      const found = (await client.send('BF.MEXISTS', name, ...keys('in'))) as number[];
      expect(found.every((one) => one === 1)).toBe(true);
      const wrong = ((await client.send('BF.MEXISTS', name, ...keys('out'))) as number[]).filter((one) => one === 1);
      // Five standard deviations of the binomial distribution.
      expect(wrong.length).toBeLessThan(capacity * rate + 5 * Math.sqrt(capacity * rate));
    }
  }));

test('a filter that does not scale refuses what is new once it is full, and ends its list there', () =>
  withServer(async (client) => {
    await client.send('BF.RESERVE', 'f', '0.01', '2', 'NONSCALING');
    const full = '-ERR non scaling filter is full';
    expect(await client.send('BF.MADD', 'f', 'a', 'a', 'b', 'c', 'd')).toEqual([1, 0, 1, full]);
    expect(await client.send('BF.ADD', 'f', 'a')).toBe(0);
    expect(await client.send('BF.ADD', 'f', 'e')).toBe(full);
    expect(await client.send('FS.OBSERVE', 'f', 'b', 'e')).toEqual(['+duplicate', full]);
  }));

test('what has no room is refused before memory is taken', () =>
  withServer(async (client) => {
    expect(await client.send('BF.RESERVE', 'f', '0.01', '1000000000000000000')).toMatch(/^-ERR .*E_MEMORY/);
    expect(await client.send('FS.CREATE', 'd', 'memory', '1GiB')).toMatch(/^-ERR .*256MiB are left.*--memory/);
    expect(await client.send('FS.LIST')).toEqual([]);
    expect(await client.send('FS.CREATE', 'd', 'memory', '128MiB')).toBe('+OK');
    expect(await client.send('FS.CREATE', 'e', 'memory', '128MiB')).toMatch(/^-ERR .*E_MEMORY/);
    expect(await client.send('FS.DROP', 'd')).toBe('+OK');
    expect(await client.send('FS.CREATE', 'e', 'memory', '128MiB')).toBe('+OK');
  }));

test('a detector with the same options exists, and one with others is refused by name', () =>
  withServer(async (client) => {
    const create = (...words: string[]) => client.send('FS.CREATE', 'd', ...words);
    expect(await create('memory', '1MiB', 'MEMORY', '2MiB')).toMatch(
      /^-ERR MEMORY is given twice; leave one of them out/,
    );
    expect(await create('algorithm', 'bloom', 'memory', '1MiB')).toBe('+OK');
    expect(await create('MEMORY', '1048576', 'ALGORITHM', 'bloom')).toBe('+OK');
    expect(await create('algorithm', 'bloom', 'memory', '2MiB')).toMatch(/memory is 1048576, not 2097152/);
    expect(await create('algorithm', 'exact', 'memory', '1MiB')).toMatch(
      / algorithm is bloom, not exact; layout is blocked, not classic; give the same/,
    );
    expect(await create('algorithm', 'bloom', 'memory', '1MiB', 'keyed')).toMatch(/it has no secret, not a secret/);
    expect(await create('algoritm', 'bloom')).toMatch(/^-ERR "algoritm" is not an option.*ALGORITHM/);
    expect(await client.send('FS.CREATE', 'e', 'fpr', '2')).toMatch(/^-ERR FPR is 2/);
    expect(await client.send('FS.CREATE', 'e', 'fpr')).toMatch(/^-ERR FPR has no value/);
  }));

test('a retry with the same id gets the same answers', () =>
  withServer(async (client) => {
    await client.send('FS.CREATE', 'd', 'memory', '64KiB');
    const observe = (id: string, ...keys: string[]) => client.send('FS.OBSERVEID', 'd', id, ...keys);
    expect(await observe('1', 'a', 'b')).toEqual(['+distinct', '+distinct']);
    expect(await observe('1', 'a', 'b')).toEqual(['+distinct', '+distinct']);
    expect(await observe('2', 'b', 'c')).toEqual(['+duplicate', '+distinct']);
    expect(await observe('2', 'b', 'c')).toEqual(['+duplicate', '+distinct']);
    expect(await observe('2', 'b', 'd')).toMatch(/^-ERR the request id was used with other keys/);
    expect(await client.send('FS.CLEAR', 'd')).toBe('+OK');
    expect(await observe('1', 'a', 'b')).toEqual(['+distinct', '+distinct']);
    expect(await observe('3', 'a')).toEqual(['+duplicate']);
  }));

test('a request with an id whose keys do not all fit adds none, so that a retry is not answered with duplicates', () =>
  withServer(async (client) => {
    await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '1KiB');
    const keys = Array.from({ length: 200 }, (_, i) => `k${i}`);
    expect(await client.send('FS.OBSERVEID', 'd', '1', ...keys)).toMatch(/E_FULL/);
    const test = async () => new Set((await client.send('FS.TEST', 'd', ...keys)) as string[]);
    expect(await test()).toEqual(new Set(['+distinct']));
    // What is not new needs no room.
    const some = keys.slice(0, 100);
    expect(await client.send('FS.OBSERVEID', 'd', '2', ...some)).toEqual(some.map(() => '+distinct'));
    expect(await client.send('FS.OBSERVEID', 'd', '3', ...some, ...some)).toEqual(
      [...some, ...some].map(() => '+duplicate'),
    );
  }));

test('the witness of a detector counts as memory', () =>
  withServer(
    async (client) => {
      const create = (name: string) => client.send('FS.CREATE', name, 'memory', '64KiB', 'witness', '128KiB');
      expect(await create('a')).toBe('+OK');
      expect(await create('b')).toMatch(/^-ERR the detector takes 196KiB, but only .* left.*\[E_MEMORY\]$/);
      await client.send('FS.DROP', 'a');
      expect(await create('b')).toBe('+OK');
    },
    { memoryBytes: 2 ** 18 + 2 ** 16 },
  ));

test('the ids of requests count as memory, and are given back', () =>
  withServer(
    async (client) => {
      const used = async () => Number(/detectors_memory:(\d+)/.exec(String(await client.send('INFO', 'memory')))?.[1]);
      await client.send('FS.CREATE', 'd', 'memory', '64KiB', 'algorithm', 'exact');
      const before = await used();
      let answer: unknown;
      let requests = 0;
      do answer = await client.send('FS.OBSERVEID', 'd', `id ${requests}`, `k${requests++}`);
      while (Array.isArray(answer) && requests < 1000);
      expect(answer).toMatch(/^-ERR a request with an id takes .*--memory.*\[E_MEMORY\]$/);
      expect(requests).toBeGreaterThan(100);
      expect(await used()).toBeLessThanOrEqual(2 ** 18);
      // What was refused was not observed, and what is remembered is answered.
      expect(await client.send('FS.TEST', 'd', `k${requests - 1}`)).toEqual(['+distinct']);
      expect(await client.send('FS.OBSERVEID', 'd', 'id 0', 'k0')).toEqual(['+distinct']);
      expect(await client.send('FS.OBSERVE', 'd', 'without an id')).toEqual(['+distinct']);
      await client.send('FS.CLEAR', 'd');
      expect(await used()).toBe(before);
      await client.send('FS.OBSERVEID', 'd', 'id', 'k');
      await client.send('FS.DROP', 'd');
      expect(await used()).toBe(0);
    },
    { memoryBytes: 2 ** 18 },
  ));

test('a pipeline of commands that take time lets the other connections be answered', () =>
  withServer(async (client, { port }) => {
    const other = await Client.open(port);
    await other.send('PING');
    let made = 0;
    const creating = Array.from({ length: 90 }, async (_, i) => {
      await client.send('FS.CREATE', `d${i}`, 'memory', '1KiB', 'algorithm', 'exact');
      made++;
    });
    await creating[0];
    await other.send('PING');
    expect(made).toBeLessThan(90);
    await Promise.all(creating);
    other.close();
  }));

/** Commands of several kinds on several detectors, and what each must answer on its own. */
function mixedCommands(): Buffer[] {
  return Array.from({ length: inLongForm(400, 100) }, (_, i) => {
    const name = `d${(i >> 4) % 3}`;
    const key = `key ${(i * 7919) % 90}`;
    if (i % 11 === 0) return encode('FS.TEST', name, key, `${key}!`);
    if (i % 13 === 0) return encode('PING', key);
    if (i % 17 === 0) return encode('BF.EXISTS', name, key);
    return i % 5 === 0 ? encode('FS.OBSERVE', name, key, 'x', key) : encode('BF.ADD', name, key);
  });
}

test('answers do not depend on how commands come together or are cut', async () => {
  const answers: (Read | undefined)[][] = [];
  for (const chunkBytes of [0, 1, 7, 61, 4096]) {
    await withServer(async (client) => {
      for (const name of ['d0', 'd1', 'd2']) await client.send('FS.CREATE', name, 'memory', '64KiB');
      const commands = mixedCommands();
      if (chunkBytes === 0) {
        const replies = [];
        for (const command of commands) {
          client.socket.write(command);
          replies.push(await client.next());
        }
        answers.push(replies);
        return;
      }
      const bytes = Buffer.concat(commands);
      client.socket.setNoDelay(true);
      for (let from = 0; from < bytes.length; from += chunkBytes) {
        client.socket.write(bytes.subarray(from, from + chunkBytes));
        if (from % (chunkBytes * 64) === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      answers.push(await client.take(commands.length));
    });
  }
  for (const other of answers.slice(1)) expect(other).toEqual(answers[0]);
});

test('commands after one that takes time wait for it, and others do not', () =>
  withServer(async (client, { port }) => {
    const other = await Client.open(port);
    client.socket.write(
      Buffer.concat([
        encode('FS.CREATE', 'd', 'expect-distinct', '1e5', 'fpr', '1e-3'),
        encode('FS.OBSERVE', 'd', 'a'),
        encode('PING'),
      ]),
    );
    expect(await other.send('PING')).toBe('+PONG');
    expect(await client.take(3)).toEqual(['+OK', ['+distinct'], '+PONG']);
    other.close();
  }));

test('a client that does not read its replies is not read from, and misses none', () =>
  withServer(async (client) => {
    const count = inLongForm(3000, 600);
    const text = 'x'.repeat(10_000);
    client.socket.pause();
    for (let i = 0; i < count; i++) client.socket.write(encode('ECHO', `${i} ${text}`));
    await new Promise((resolve) => setTimeout(resolve, 50));
    client.socket.resume();
    for (let i = 0; i < count; i++) expect(await client.next()).toBe(`${i} ${text}`);
  }));

test('bytes that cannot be understood end the connection after the replies before them', () =>
  withServer(async (client) => {
    client.socket.write(Buffer.concat([encode('PING'), Buffer.from('*1\r\n#4\r\nPING\r\n'), encode('PING')]));
    expect(await client.take(3)).toEqual(['+PONG', "-ERR Protocol error: expected '$', got '#'", undefined]);
  }));

test('inline commands have words in quotes', () =>
  withServer(async (client) => {
    client.socket.write('\r\nPING\r\n  ECHO "a \\x41\\n\\"b"  \nECHO \'c d\'\r\nECHO "open\r\n');
    expect(await client.take(5)).toEqual([
      '+PONG',
      'a A\n"b',
      'c d',
      '-ERR Protocol error: unbalanced quotes in request',
      undefined,
    ]);
  }));

test('filters are made by themselves only if the server is told to', async () => {
  await withServer(async (client) => {
    expect(await client.send('BF.ADD', 'f', 'a')).toMatch(/^-ERR not found.*BF.RESERVE f.*--auto-create/);
    expect(await client.send('BF.EXISTS', 'f', 'a')).toBe(0);
    for (const words of [
      ['FS.OBSERVE', 'f', 'a'],
      ['FS.INFO', 'f'],
      ['FS.DROP', 'f'],
      ['FS.CLAIM', 'f', 'a'],
    ]) {
      expect(await client.send(...words)).toBe(
        '-ERR not found: no detector is called "f"; FS.CREATE makes one, and FS.LIST tells their names',
      );
    }
  });
  await withServer(
    async (client) => {
      client.socket.write(Buffer.concat([encode('BF.ADD', 'f', 'a'), encode('BF.ADD', 'f', 'a')]));
      expect(await client.take(2)).toEqual([1, 0]);
      expect(await client.send('BF.ADD', 'g', 'a')).toMatch(/E_MEMORY/);
      expect(await client.send('BF.INSERT', 'f', 'ITEMS', 'a', 'b')).toEqual([0, 1]);
    },
    { autoCreateBytes: 2 ** 20, memoryBytes: 2 ** 20 + 2 ** 17 },
  );
});

test('a client with a password may do what its role allows', () =>
  withServer(
    async (client) => {
      expect(await client.send('PING')).toBe('-NOAUTH Authentication required.');
      expect(await client.send('AUTH', 'wrong')).toMatch(/^-WRONGPASS/);
      expect(await client.send('AUTH', 'reader')).toBe('+OK');
      expect(await client.send('BF.EXISTS', 'f', 'a')).toBe(0);
      expect(await client.send('BF.RESERVE', 'f', '0.1', '10')).toMatch(/^-NOPERM/);
      expect(await client.send('HELLO', '3', 'AUTH', 'default', 'boss', 'SETNAME', 'me')).toBeInstanceOf(Map);
      expect(await client.send('BF.RESERVE', 'f', '0.1', '10')).toBe('+OK');
      expect(await client.send('CLIENT', 'GETNAME')).toBe('me');
      expect(await client.send('RESET')).toBe('+RESET');
      expect(await client.send('PING')).toBe('-NOAUTH Authentication required.');
    },
    { authenticate: (_user, password) => (({ reader: 'read', boss: 'admin' }) as const)[password] },
  ));

test('many small detectors share kernels', () => {
  const count = inLongForm(2000, 200);
  return withServer(
    async (client) => {
      const names = Array.from({ length: count }, (_, i) => `d${i}`);
      client.socket.write(Buffer.concat(names.map((name) => encode('FS.CREATE', name, 'memory', '64KiB'))));
      expect(new Set(await client.take(count))).toEqual(new Set(['+OK']));
      client.socket.write(
        Buffer.concat(names.flatMap((name) => [encode('BF.ADD', name, name), encode('BF.CARD', name)])),
      );
      expect(await client.take(2 * count)).toEqual(names.flatMap(() => [1, 1]));
    },
    { maxDetectors: count },
  );
});

test('a filter that is full answers what it knows, however commands come together', () =>
  withServer(async (client) => {
    await client.send('BF.RESERVE', 'f', '0.01', '1', 'NONSCALING');
    const full = '-ERR non scaling filter is full';
    client.socket.write(Buffer.concat(['a', 'b', 'a', 'c', 'a'].map((key) => encode('BF.ADD', 'f', key))));
    expect(await client.take(5)).toEqual([1, full, 0, full, 0]);
    client.socket.write(Buffer.concat([encode('BF.MADD', 'f', 'a', 'b', 'a'), encode('BF.MADD', 'f', 'a', 'a')]));
    expect(await client.take(2)).toEqual([
      [0, full],
      [0, 0],
    ]);
  }));

test('a pattern of many stars takes no time, and a plan takes any window', () =>
  withServer(async (client) => {
    expect(await client.send('CONFIG', 'GET', `${'*'.repeat(400)}x`)).toEqual([]);
    expect(await client.send('CONFIG', 'GET', '***save')).toEqual(['save', '']);
    expect(await client.send('FS.PLAN', 'window', '1000', 'memory', '64KiB', 'expect-distinct', '10000')).toContain(
      'algorithm',
    );
    await client.send('FS.CREATE', 'timed', 'window', '1d', 'memory', '1MiB');
    expect(await client.send('FS.CREATE', 'timed', 'window', '2d', 'memory', '1MiB')).toMatch(
      /exists with other options: window is 1d, not 2d; give/,
    );
    const timed = (await client.send('FS.PLAN', 'WINDOW', '1h', 'MEMORY', '1MiB')) as Read[];
    expect(timed.slice(0, 4)).toEqual(['algorithm', 'pocketwindow', 'layout', 'blocked']);
    expect(timed.slice(-2)).toEqual(['memoryBytes', 2 ** 20]);
    expect(await client.send('FS.PLAN', 'WINDOW', '-1h')).toMatch(/^-ERR WINDOW is "-1h", but must be a whole number/);
  }));

test('a filter that is made by itself and is too small is refused by the name of its option', () =>
  expect(serve({ ...testServer, autoCreateBytes: 0 })).rejects.toMatchObject({
    code: 'E_MEMORY',
    message: expect.stringMatching(
      /^autoCreateBytes is 0B, but a filter takes at least 1KiB; give a larger autoCreateBytes/,
    ),
  }));

test('connections beyond the most are told so', () =>
  withServer(
    async (client, { port }) => {
      const second = await Client.open(port);
      second.socket.write(encode('PING'));
      expect(await second.take(2)).toEqual(['-ERR max number of clients reached', undefined]);
      expect(await client.send('PING')).toBe('+PONG');
    },
    { maxConnections: 1 },
  ));

test('a name that is not UTF-8 is no other detector', () =>
  withServer(async (client) => {
    expect(await client.send('FS.CREATE', '\ufffd', 'memory', '64KiB')).toMatch(/^-ERR .*the name .*E_USAGE/);
    expect(await client.send('FS.CREATE', Uint8Array.of(0xff), 'memory', '64KiB')).toMatch(
      /^-ERR .*the name .*E_USAGE/,
    );
    expect(await client.send('BF.RESERVE', Uint8Array.of(0xfe), '0.01', '100')).toMatch(/^-ERR .*the name .*E_USAGE/);
    expect(await client.send('FS.LIST')).toEqual([]);
  }));

test('a key that has no fingerprint is an error, and the connection goes on', () =>
  withServer(async (client) => {
    await client.send('FS.CREATE', 'd', 'MEMORY', '64KiB', 'FINGERPRINT', 'identity');
    await client.send('FS.CREATE', 'c', 'CLAIMS', 'MEMORY', '64KiB', 'FINGERPRINT', 'identity');
    await client.send('FS.CLAIM', 'c', '1', 'TOKEN', 't');
    const isRefused = expect.stringMatching(/^-ERR key "x" is not a decimal integer .*E_KEY/);
    expect(await client.send('FS.OBSERVE', 'c', '1', '2', 'x', '3')).toEqual(['+pending', '+distinct', isRefused]);
    expect(await client.send('FS.TEST', 'd', '5', 'x', '6')).toEqual(['+distinct', isRefused]);
    expect(await client.send('BF.EXISTS', 'd', 'x')).toEqual(isRefused);
    expect(await client.send('FS.OBSERVEID', 'd', 'id', '7', 'x')).toEqual(isRefused);
    const commands = [
      ['FS.CLAIM', 'c', '4', 'TOKEN', 't'],
      ['FS.CLAIM', 'c', 'x', 'TOKEN', 't'],
      ['FS.CLAIM', 'c', '5', 'TOKEN', 't'],
      ['FS.COMMIT', 'c', '4', 't'],
      ['FS.COMMIT', 'c', 'x', 't'],
      ['FS.COMMIT', 'c', '5', 't'],
      ['FS.ABORT', 'c', 'x', 't'],
      ['FS.ABORT', 'c', '1', 't'],
    ];
    client.socket.write(Buffer.concat(commands.map((words) => encode(...words))));
    const isHeld = ['+distinct', 't'];
    expect(await client.take(8)).toEqual([isHeld, isRefused, isHeld, 1, isRefused, 1, isRefused, 1]);
  }));

test('the memory of a witness counts in the memory of the server', () =>
  withServer(
    async (client) => {
      expect(await client.send('FS.CREATE', 'd', 'memory', '64KiB', 'witness', '1MiB')).toMatch(/takes 1\.\d+MiB/);
      expect(await client.send('FS.CREATE', 'd', 'memory', '64KiB', 'witness', '64KiB')).toBe('+OK');
      expect(String(await client.send('INFO'))).toMatch(/detectors_memory:217088\r/);
    },
    { memoryBytes: 2 ** 20 },
  ));

/** Counts of the detector `d`. */
async function statsOf(client: Client): Promise<{ observed: number; refused: number }> {
  const stats = (await client.send('FS.STATS', 'd')) as unknown[];
  const countOf = (name: string) => Number(stats[stats.indexOf(name) + 1]);
  return { observed: countOf('observed'), refused: countOf('refused') };
}

test.each([
  ['FS.ADD', 'd'],
  ['SADD', 'set:a'],
])('%s on a detector that has not enough room adds no key, and counts all as refused', (command, name) =>
  withServer(
    async (client) => {
      await client.send('FS.CREATE', 'd', 'ALGORITHM', 'exact', 'MEMORY', '1KiB');
      const keys = Array.from({ length: 200 }, (_, i) => `key-${i}`);
      expect(await client.send(command, name, ...keys.slice(0, 50))).toBe(50);
      expect(await client.send(command, name, ...keys)).toMatch(/E_FULL/);
      const { observed, refused } = await statsOf(client);
      expect({ observed, refused }).toEqual({ observed: 50, refused: 200 });
      // Keys that it has need no room.
      expect(await client.send(command, name, ...keys.slice(0, 50), ...keys.slice(0, 60))).toBe(10);
    },
    { maps: ['set:*=d'] },
  ),
);

test('keys after the one that is refused count as refused too', () =>
  withServer(async (client) => {
    await client.send('FS.CREATE', 'd', 'ALGORITHM', 'exact', 'MEMORY', '1KiB');
    const answers = (await client.send(
      'FS.OBSERVE',
      'd',
      ...Array.from({ length: 200 }, (_, i) => `key-${i}`),
    )) as string[];
    expect(answers.at(-1)).toMatch(/E_FULL/);
    const { observed, refused } = await statsOf(client);
    expect([observed, refused]).toEqual([answers.length - 1, 200 - observed]);
  }));
