// What a server has acknowledged, a server that starts again has.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LogFile } from '../../src/serve/log/logfile.js';
import { type RunningServer, serve } from '../../src/serve/server.js';
import { inLongForm, sampleUpTo } from '../support/form.js';
import { Client, type Read } from './support/client.js';
import { holdClock } from './support/clock.js';
import { compactor, type Data, dataIn, elementsAfterStart, killedNow, newFolder } from './support/folder.js';
import { ask } from './support/http.js';
import { testServer } from './support/server.js';

/** Runs with a server over a folder, and stops it. */
async function withFolder<T>(
  folder: string,
  run: (client: Client, server: RunningServer) => Promise<T>,
  data: Partial<Data> = {},
  onWarning?: (message: string) => void,
): Promise<T> {
  const server = await serve({ ...testServer, data: dataIn(folder, data), onWarning });
  const client = await Client.open(server.port);
  try {
    return await run(client, server);
  } finally {
    client.close();
    await server.close();
  }
}

const keys = (count: number, prefix = 'k') => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

/** Detectors of several kinds, and what each of them has seen. */
async function fill(client: Client): Promise<void> {
  await client.send('BF.RESERVE', 'filter', '0.001', '1000', 'NONSCALING');
  await client.send('FS.CREATE', 'exact', 'algorithm', 'exact', 'memory', '2MiB');
  await client.send('FS.CREATE', 'window', 'window', '1h', 'memory', '64KiB');
  await client.send('FS.CREATE', 'keyed', 'keyed', 'memory', '64KiB');
  await client.send('FS.CREATE', 'seeded', 'memory', '64KiB', 'seed', String(2n ** 63n - 1n));
  await client.send('FS.CREATE', 'gone', 'memory', '64KiB');
  await client.send('FS.CREATE', 'cleared', 'memory', '64KiB', 'witness', '32KiB');
  for (const name of ['filter', 'exact', 'window', 'keyed', 'seeded', 'gone', 'cleared']) {
    await client.send('FS.OBSERVE', name, ...keys(200), ...keys(50));
  }
  await client.send('FS.OBSERVEID', 'exact', 'id', 'k1', 'new');
  await client.send('FS.DROP', 'gone');
  await client.send('FS.CREATE', 'gone', 'memory', '64KiB', 'algorithm', 'bloom');
  await client.send('FS.CLEAR', 'cleared');
  await client.send('FS.OBSERVE', 'cleared', 'k5');
}

/** Everything that clients can learn of the detectors, without changing them. The clock stands still from then on. */
async function learn(client: Client): Promise<Read[]> {
  holdClock();
  const names = ((await client.send('FS.LIST')) as string[]).sort();
  const learned: Read[] = [names];
  for (const name of names) {
    learned.push((await client.send('FS.INFO', name)) as Read, (await client.send('FS.STATS', name, 'LOAD')) as Read);
    learned.push((await client.send('FS.TEST', name, ...keys(300), 'new')) as Read);
  }
  return learned;
}

describe.each(['always', 'interval'] as const)('with the durability %s', (durability) => {
  test('a server that is killed starts with all that was acknowledged', async () => {
    const folder = newFolder();
    await withFolder(
      folder,
      async (client) => {
        await fill(client);
        const before = await learn(client);
        await withFolder(killedNow(folder), async (again) => {
          expect(await learn(again)).toEqual(before);
          expect(await again.send('FS.OBSERVEID', 'exact', 'id', 'k1', 'new')).toEqual(['+duplicate', '+distinct']);
          expect(await again.send('FS.OBSERVE', 'exact', 'new', 'newer')).toEqual(['+duplicate', '+distinct']);
        });
      },
      { durability },
    );
  });

  test('replies come in order, and each after what it tells was written', async () => {
    const folder = newFolder();
    await withFolder(
      folder,
      async (client, { port }) => {
        await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '1MiB');
        const others = await Promise.all(keys(8).map(() => Client.open(port)));
        await Promise.all(
          others.map(async (other, i) => {
            for (let round = 0; round < 30; round++) {
              const [first, second] = await Promise.all([
                other.send('FS.OBSERVE', 'd', `${i} ${round}`),
                other.send('FS.OBSERVE', 'd', `${i} ${round}`),
              ]);
              expect([first, second]).toEqual([['+distinct'], ['+duplicate']]);
            }
          }),
        );
        for (const other of others) other.close();
        await withFolder(killedNow(folder), async (again) => {
          const stats = (await again.send('FS.STATS', 'd')) as Read[];
          expect(stats[stats.indexOf('observed') + 1]).toBe(480);
        });
      },
      { durability },
    );
  });
});

test('new snapshots are written from the log, which is then dropped, and nothing changes', async () => {
  const folder = newFolder();
  const before = await withFolder(folder, async (client) => {
    await fill(client);
    expect(await client.send('FS.SAVE')).toBe(0);
    expect(readdirSync(folder).filter((name) => /^(log|snapshot)/.test(name))).toEqual([
      'log-000000000002',
      'snapshot-000000000002',
    ]);
    await client.send('FS.OBSERVE', 'window', 'later');
    await client.send('FS.OBSERVEID', 'window', 'id', 'k1', 'latest');
    return learn(client);
  });
  await withFolder(folder, async (client) => {
    expect(await learn(client)).toEqual(before);
    expect(await client.send('FS.OBSERVEID', 'exact', 'id', 'k1', 'new')).toEqual(['+duplicate', '+distinct']);
    await client.send('FS.SAVE');
    await client.send('FS.SAVE');
    expect(await learn(client)).toEqual(before);
  });
  await withFolder(folder, async (client) => expect(await learn(client)).toEqual(before));
});

test('a log beyond its limit is compacted while clients go on', async () => {
  const folder = newFolder();
  await withFolder(
    folder,
    async (client) => {
      await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '64KiB');
      for (let round = 0; round < 80; round++) await client.send('FS.OBSERVE', 'd', ...keys(500));
      const log = readdirSync(folder)
        .filter((name) => name.startsWith('log'))
        .sort();
      expect(log[0]).not.toBe('log-000000000001');
      await withFolder(killedNow(folder), async (again) => {
        const stats = (await again.send('FS.STATS', 'd')) as Read[];
        expect(stats[stats.indexOf('observed') + 1]).toBe(40_000);
      });
    },
    { logLimitBytes: 2 ** 16 },
  );
});

test('a log whose snapshots are missing fails the start, unless it is given up', async () => {
  const folder = newFolder();
  await withFolder(folder, async (client) => {
    await client.send('FS.CREATE', 'd', 'memory', '64KiB');
    await client.send('FS.SAVE');
    const copy = killedNow(folder);
    for (const name of readdirSync(copy)) if (name.startsWith('snapshot')) rmSync(join(copy, name));
    // As folders are that had no notes of their files.
    const path = join(copy, 'firstseen.json');
    const { log: _log, snapshot: _snapshot, ...marker } = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify(marker));
    await expect(withFolder(copy, async () => undefined)).rejects.toMatchObject({
      code: 'E_STATE_FILE',
      message: expect.stringMatching(/begins with block 2, but the data before it ends with block 0/),
    });
    await withFolder(copy, async (again) => expect(await again.send('FS.LIST')).toEqual([]), { onDamage: 'cut' });
  });
});

test('while the log cannot be compacted, changes wait and it does not grow without limit', async () => {
  const folder = newFolder();
  let isBroken = true;
  await withFolder(
    folder,
    async (client) => {
      await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '64KiB');
      for (let round = 0; round < inLongForm(200, 50); round++) void client.send('FS.OBSERVE', 'd', ...keys(1000));
      await new Promise((resolve) => setTimeout(resolve, 300));
      const info = (await Client.open(client.socket.remotePort as number).then((other) =>
        other.send('INFO', 'persistence').finally(() => other.close()),
      )) as string;
      const bytes = Number(/log_bytes:(\d+)/.exec(info)?.[1]);
      // Twice the limit, and the batch that passed it.
      expect(bytes).toBeLessThan(2 * 2 ** 17 + 8 * 2 ** 14 + 10_000);
      isBroken = false;
      expect(await client.send('FS.OBSERVE', 'd', 'k1')).toEqual(['+duplicate']);
    },
    {
      logLimitBytes: 2 ** 17,
      compactor: (task) => (isBroken ? Promise.reject(new Error('no room')) : compactor(task)),
    },
  );
});

test('while the log cannot be compacted for long, changes are refused, and then it goes on', async () => {
  let [isBroken, failures] = [true, 0];
  const messages: string[] = [];
  const fail = () => {
    failures++;
    return Promise.reject(new Error('no room'));
  };
  await withFolder(
    newFolder(),
    async (client, { port }) => {
      await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '64KiB');
      const waiting = Array.from({ length: inLongForm(100, 60) }, () => client.send('FS.OBSERVE', 'd', ...keys(1000)));
      const other = await Client.open(port);
      await other.send('PING');
      const now = performance.now.bind(performance);
      let ahead = 0;
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
      while (failures === 0) await other.send('PING');
      ahead = 20_000;
      expect(await waiting.at(-1)).toMatch(
        /^-MISCONF the log cannot be written \(it is full, and cannot be compacted: no room\)/,
      );
      expect(await other.send('INFO', 'persistence')).toMatch(/log_writable:0\r\nfailed_snapshots:[1-9]/);
      expect(await other.send('FS.TEST', 'd', 'k1')).toEqual(['+duplicate']);
      expect(await other.send('FS.OBSERVE', 'd', 'k1')).toMatch(/^-MISCONF/);
      const refused = 'the log cannot be written (it is full, and cannot be compacted: no room): changes are refused';
      expect(messages.filter((message) => message.includes('changes are'))).toEqual([refused]);
      isBroken = false;
      ahead = 30_000;
      let answer: unknown;
      do answer = await other.send('FS.OBSERVE', 'd', 'k1');
      while (!Array.isArray(answer));
      expect(answer).toEqual(['+duplicate']);
      expect(messages.filter((message) => message.includes('changes are'))).toEqual([
        refused,
        'the log can be written again: changes are no longer refused',
      ]);
      clock.mockRestore();
      other.close();
    },
    {
      logLimitBytes: 2 ** 17,
      compactor: (task) => (isBroken ? fail() : compactor(task)),
    },
    (message) => messages.push(message),
  );
});

test('with the durability snapshot, a server has what it had when it stopped', async () => {
  const folder = newFolder();
  const before = await withFolder(
    folder,
    async (client) => {
      await fill(client);
      expect(await client.send('FS.SAVE')).toBeGreaterThanOrEqual(0);
      const learned = await learn(client);
      await withFolder(killedNow(folder), async (again) => expect(await learn(again)).toEqual(learned));
      return learned;
    },
    { durability: 'snapshot' },
  );
  await withFolder(folder, async (client) => expect(await learn(client)).toEqual(before));
});

/** The bytes of a file that the short form cuts off or flips. */
const SAMPLED_BYTES = 9;

const LOG = 'log-000000000001';

function blockStarts(log: Buffer): number[] {
  return [...log.toString('latin1').matchAll(/FSBK/g)].map(({ index }) => index);
}

/** A log without the space that was taken for the blocks that follow. */
function withoutSpace(log: Buffer): Buffer {
  const last = blockStarts(log).at(-1) as number;
  return log.subarray(0, last + 24 + log.readUInt32LE(last + 4) + 8);
}

/** A folder with a log of a few blocks, after a kill. */
async function killedFolder(): Promise<string> {
  const folder = newFolder();
  return withFolder(
    folder,
    async (client) => {
      await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '1KiB');
      for (const key of ['a', 'b', 'c']) await client.send('FS.OBSERVE', 'd', key);
      return killedNow(folder);
    },
    { durability: 'always' },
  );
}

test('a log that is cut off at any byte starts with what was whole', async () => {
  const folder = await killedFolder();
  const path = join(folder, LOG);
  const log = readFileSync(path);
  const whole = withoutSpace(log);
  let latest = 0;
  for (const length of sampleUpTo(whole.length, SAMPLED_BYTES)) {
    writeFileSync(path, whole.subarray(0, length));
    const found = await elementsAfterStart(folder);
    expect(found, `${length} bytes`).toBeGreaterThanOrEqual(latest);
    latest = found as number;
    // What does not count is gone, so the second start has the same.
    expect(await elementsAfterStart(folder)).toBe(found);
  }
  expect(latest).toBe(3);
  // What was not written whole may be followed by the space for it.
  for (const length of sampleUpTo(whole.length - 1, SAMPLED_BYTES)) {
    writeFileSync(path, Buffer.concat([whole.subarray(0, length), Buffer.alloc(log.length - length)]));
    expect(await elementsAfterStart(folder), `${length} bytes, and zeros`).toBeLessThanOrEqual(3);
  }
  writeFileSync(path, log);
  expect(await elementsAfterStart(folder)).toBe(3);
});

test('a flipped byte before what was on the disk fails the start, unless what follows is given up', async () => {
  const folder = await killedFolder();
  const path = join(folder, LOG);
  const whole = withoutSpace(readFileSync(path));
  const lastBlock = blockStarts(whole).at(-1) as number;
  for (const at of sampleUpTo(whole.length - 1, SAMPLED_BYTES)) {
    const flipped = Buffer.from(whole);
    flipped[at] = (flipped[at] as number) ^ 0x10;
    writeFileSync(path, flipped);
    // Nothing says that the last block was on the disk.
    expect(await elementsAfterStart(folder), `byte ${at}`).toBe(at < lastBlock ? 'E_STATE_FILE' : 2);
    if (at < lastBlock && at % 3 === 0) expect(await elementsAfterStart(folder, 'cut')).toBeLessThan(3);
  }
});

test('a flipped byte of the snapshots fails the start', async () => {
  const folder = newFolder();
  await withFolder(folder, async (client) => {
    await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '1KiB');
    await client.send('FS.OBSERVE', 'd', 'a', 'b');
    await client.send('FS.SAVE');
  });
  const path = join(folder, 'snapshot-000000000002');
  const whole = readFileSync(path);
  expect(await elementsAfterStart(folder)).toBe(2);
  for (const at of sampleUpTo(whole.length - 1, SAMPLED_BYTES)) {
    const flipped = Buffer.from(whole);
    flipped[at] = (flipped[at] as number) ^ 0x10;
    writeFileSync(path, flipped);
    expect(await elementsAfterStart(folder), `byte ${at}`).toBe('E_SNAPSHOT');
  }
});

test('after a stop, the last block is protected too', async () => {
  const folder = newFolder();
  await withFolder(folder, async (client) => {
    await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '1KiB');
    await client.send('FS.OBSERVE', 'd', 'a');
  });
  const path = join(folder, LOG);
  const bytes = readFileSync(path);
  const position = (blockStarts(bytes).at(-2) as number) + 30;
  bytes[position] = (bytes[position] as number) ^ 1;
  writeFileSync(path, bytes);
  expect(await elementsAfterStart(folder)).toBe('E_STATE_FILE');
});

test('a log that is not whole is not compacted, so that what was acknowledged is not lost with it', async () => {
  const folder = newFolder();
  await withFolder(folder, async (client) => {
    await client.send('FS.CREATE', 'd', 'memory', '64KiB');
    await client.send('FS.OBSERVE', 'd', 'a', 'b');
    const path = join(folder, LOG);
    const bytes = readFileSync(path);
    const last = withoutSpace(bytes).length - 10;
    bytes[last] = (bytes[last] as number) ^ 1;
    writeFileSync(path, bytes);
    expect(await client.send('FS.SAVE')).toMatch(/^-ERR the log cannot be compacted.*E_STATE_FILE/);
    expect(readdirSync(folder)).toContain(LOG);
    expect(await client.send('FS.TEST', 'd', 'a')).toEqual(['+duplicate']);
  });
});

test('a server on a full disk stops, also while it is about to begin another log', async () => {
  const folder = newFolder();
  await withFolder(folder, async (client, { port }) => {
    await client.send('FS.CREATE', 'd', 'memory', '64KiB');
    const other = await Client.open(port);
    const refuse = () => {
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    };
    const writes = [
      vi.spyOn(LogFile.prototype, 'begin').mockImplementation(refuse),
      vi.spyOn(LogFile.prototype, 'append').mockImplementation(refuse),
    ];
    const restore = () => {
      for (const write of writes) write.mockRestore();
    };
    onTestFinished(restore);
    expect(await client.send('FS.SAVE')).toMatch(/^-ERR the snapshots cannot be written: ENOSPC/);
    expect(await other.send('FS.OBSERVE', 'd', 'a')).toMatch(/^-MISCONF/);
    restore();
    other.close();
  });
});

test('with the durability snapshot, questions about windows in time wait while snapshots are written', async () => {
  const folder = newFolder();
  await withFolder(
    folder,
    async (client, { port }) => {
      await client.send('FS.CREATE', 'd', 'window', '1h', 'memory', '8MiB');
      await client.send('FS.OBSERVE', 'd', 'a');
      const other = await Client.open(port);
      const saved = other.send('FS.SAVE');
      const asked = Array.from({ length: 20 }, () => client.send('FS.TEST', 'd', 'a'));
      expect(await saved).toBeGreaterThanOrEqual(0);
      for (const answer of await Promise.all(asked)) expect(answer).toEqual(['+duplicate']);
      other.close();
    },
    { durability: 'snapshot' },
  );
});

test('snapshots that are asked for at the same time are shared by those that wait', async () => {
  const folder = newFolder();
  await withFolder(folder, async (client, { port }) => {
    await fill(client);
    const others = await Promise.all([Client.open(port), Client.open(port), Client.open(port)]);
    expect(await Promise.all(others.map((other) => other.send('FS.SAVE')))).toEqual([0, 0, 0]);
    for (const other of others) other.close();
    // The first compaction has begun before the others are asked for, and the next one is for both of them.
    expect(readdirSync(folder).filter((name) => name.startsWith('snapshot'))).toEqual(['snapshot-000000000003']);
  });
});

test('when the log could not be synced to the disk, nothing is acknowledged any more, and the server says so', async () => {
  const folder = newFolder();
  const sync = vi.spyOn(LogFile.prototype, 'sync');
  await withFolder(
    folder,
    async (client, { failed, port }) => {
      await client.send('FS.CREATE', 'd', 'memory', '64KiB');
      sync.mockRejectedValueOnce(new Error('EIO: i/o error, fdatasync'));
      let hasReply = false;
      void client.send('FS.OBSERVE', 'd', 'a').then((reply) => {
        hasReply = reply !== undefined;
      });
      await expect(failed).rejects.toMatchObject({
        code: 'E_OUTPUT',
        message: expect.stringMatching(/could not be synced to the disk: EIO/),
      });
      const other = await Client.open(port);
      expect(await other.send('FS.OBSERVE', 'd', 'b')).toMatch(/^-MISCONF/);
      expect(await other.send('PING')).toBe('+PONG');
      other.close();
      expect(hasReply).toBe(false);
    },
    { durability: 'always' },
  );
  sync.mockRestore();
});

test('while a change cannot be logged, others are refused, questions wait with it, and then it goes on', async () => {
  const folder = newFolder();
  await withFolder(folder, async (client, { port }) => {
    const [asking, early, late] = await Promise.all([Client.open(port), Client.open(port), Client.open(port)]);
    await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '64KiB');
    const append = vi.spyOn(LogFile.prototype, 'append').mockImplementation(() => {
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    });
    const held = client.send('FS.OBSERVE', 'd', 'a', 'b');
    // A question before the write fails, and one after it.
    const questions = [early.send('FS.TEST', 'd', 'a', 'c')];
    await expect.poll(() => append.mock.calls.length).toBeGreaterThan(0);
    expect(await late.send('FS.OBSERVE', 'd', 'c')).toMatch(/^-MISCONF the log cannot be written \(ENOSPC/);
    questions.push(asking.send('FS.TEST', 'd', 'a', 'c'));
    let answers = 0;
    for (const question of questions) question.then(() => answers++);
    for (const _ of [1, 2, 3]) expect(await late.send('INFO', 'persistence')).toMatch(/log_writable:0/);
    expect(answers).toBe(0);
    append.mockRestore();
    expect(await held).toEqual(['+distinct', '+distinct']);
    for (const question of questions) expect(await question).toEqual(['+duplicate', '+distinct']);
    expect(await late.send('FS.OBSERVE', 'd', 'b', 'c')).toEqual(['+duplicate', '+distinct']);
    await withFolder(killedNow(folder), async (again) => {
      expect(await again.send('FS.TEST', 'd', 'a', 'b', 'c', 'd')).toEqual([
        ...['+duplicate', '+duplicate', '+duplicate', '+distinct'],
      ]);
    });
    for (const other of [asking, early, late]) other.close();
  });
});

test('while a change cannot be logged, no question tells of it, of Redis or of HTTP', async () => {
  const server = await serve({
    ...testServer,
    httpPort: 0,
    data: dataIn(newFolder()),
    detectors: [
      { name: 'd', request: { options: { memory: '64KiB' } }, origin: 'here' },
      { name: 'c', request: { options: { memory: '64KiB' }, claims: {} }, origin: 'here' },
    ],
    maps: ['claim:*=c,claim'],
  });
  const httpPort = server.httpPort as number;
  const [client, diagnosing] = await Promise.all([Client.open(server.port), Client.open(server.port)]);
  await diagnosing.send('PING');
  const append = vi.spyOn(LogFile.prototype, 'append').mockImplementation(() => {
    throw Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' });
  });
  const held = client.send('FS.OBSERVE', 'd', 'a');
  await expect.poll(() => append.mock.calls.length).toBeGreaterThan(0);
  const questions = [
    ['FS.TEST', 'd', 'a'],
    ['BF.EXISTS', 'd', 'a'],
    ['BF.MEXISTS', 'd', 'a'],
    ['EXISTS', 'claim:a'],
    ['GET', 'claim:a'],
    ['PTTL', 'claim:a'],
  ];
  const clients = await Promise.all(questions.map(() => Client.open(server.port)));
  let answers = 0;
  const note = <Answer>(answer: Answer) => {
    answers++;
    return answer;
  };
  const replies = questions.map((question, i) => (clients[i] as Client).send(...question).then(note));
  const tested = ask(httpPort, 'POST', '/detectors/d/test', { body: 'a\n', type: 'text/plain' }).then(note);
  for (const _ of [1, 2, 3]) {
    expect((await ask(httpPort, 'GET', '/metrics')).text).toMatch(/\nfirstseen_log_writable 0/);
    expect(await diagnosing.send('FS.STATS', 'd')).toBeInstanceOf(Array);
  }
  // Memory may have the only copy of what was acknowledged.
  expect((await ask(httpPort, 'GET', '/detectors/d/snapshot')).status).toBe(200);
  expect(answers).toBe(0);
  append.mockRestore();
  expect(await held).toEqual(['+distinct']);
  expect((await tested).text).toBe('duplicate\n');
  expect(await Promise.all(replies)).toEqual([['+duplicate'], 1, [1], 0, null, -2]);
  for (const other of [client, diagnosing, ...clients]) other.close();
  await server.close();
});

test('a change for which the disk has no space is refused before it is made, and what was accepted fits', async () => {
  const folder = newFolder();
  await withFolder(folder, async (client) => {
    await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '8MiB');
    const reserve = vi.spyOn(LogFile.prototype, 'reserve').mockImplementation(() => {
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    });
    const accepted: string[] = [];
    let reply: Read | undefined;
    let batch: string[] = [];
    for (let round = 0; !String(reply).startsWith('-'); round++) {
      accepted.push(...batch);
      batch = keys(5000, `r${round}-`);
      reply = await client.send('FS.OBSERVE', 'd', ...batch);
    }
    expect(reply).toMatch(/^-MISCONF the log cannot be written \(ENOSPC/);
    expect(accepted.length).toBeGreaterThan(0);
    const verdictsOf = async (asking: Client, elements: string[]) => {
      const verdicts = new Set<string>();
      for (let i = 0; i < elements.length; i += 5000) {
        const answers = (await asking.send('FS.TEST', 'd', ...elements.slice(i, i + 5000))) as string[];
        for (const verdict of answers) verdicts.add(verdict);
      }
      return verdicts;
    };
    expect(await verdictsOf(client, batch)).toEqual(new Set(['+distinct']));
    expect(await verdictsOf(client, accepted)).toEqual(new Set(['+duplicate']));
    const killed = killedNow(folder);
    reserve.mockRestore();
    await withFolder(killed, async (again) => {
      expect(await verdictsOf(again, batch)).toEqual(new Set(['+distinct']));
      expect(await verdictsOf(again, accepted)).toEqual(new Set(['+duplicate']));
    });
    await expect.poll(() => client.send('FS.OBSERVE', 'd', 'after')).toEqual(['+distinct']);
  });
});

/** Takes the place of the clock that looks at compactions, in servers that start from now on. */
function stillClock(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

test('a process that writes snapshots and stands still is given up: changes are refused, and another one goes on', async () => {
  const folder = newFolder();
  const warnings: string[] = [];
  const signals: AbortSignal[] = [];
  let progress = () => {};
  let isStill = true;
  const standingStill: Data['compactor'] = (task, { onProgress, signal }) => {
    if (!isStill) return compactor(task);
    signals.push(signal);
    progress = onProgress;
    return new Promise(() => undefined);
  };
  const data = dataIn(folder, { logLimitBytes: 2 ** 17, compactor: standingStill });
  stillClock();
  const server = await serve({ ...testServer, data, onWarning: (message) => warnings.push(message) });
  const [client, other] = await Promise.all([Client.open(server.port), Client.open(server.port)]);
  await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '64KiB');
  const waiting = Array.from({ length: 60 }, () => client.send('FS.OBSERVE', 'd', ...keys(1000)));
  await expect.poll(() => signals.length).toBe(1);
  vi.advanceTimersByTime(59_000);
  progress();
  vi.advanceTimersByTime(59_000);
  expect(signals[0]?.aborted).toBe(false);
  vi.advanceTimersByTime(1000);
  expect(await waiting.at(-1)).toMatch(/^-MISCONF .* made no progress for 60 seconds, and was killed/);
  expect(signals[0]?.aborted).toBe(true);
  expect(warnings).toEqual([
    expect.stringMatching(/^the log could not be compacted: .* made no progress/),
    expect.stringMatching(/^the log cannot be written \(it is full, .*: changes are refused$/),
  ]);
  expect(await other.send('INFO', 'persistence')).toMatch(/log_writable:0\r\nfailed_snapshots:1/);
  expect(await other.send('FS.TEST', 'd', 'k1')).toEqual(['+duplicate']);
  isStill = false;
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 2000);
  let answer: unknown;
  do answer = await other.send('FS.OBSERVE', 'd', 'k1');
  while (!Array.isArray(answer));
  expect(answer).toEqual(['+duplicate']);
  clock.mockRestore();
  for (const one of [client, other]) one.close();
  await server.close();
});

test('a server that stops does not wait for a process that stands still', async () => {
  const folder = newFolder();
  let tasks = 0;
  stillClock();
  const standingStill = () => {
    tasks++;
    return new Promise<void>(() => undefined);
  };
  const server = await serve({ ...testServer, data: dataIn(folder, { compactor: standingStill }) });
  const client = await Client.open(server.port);
  await client.send('FS.CREATE', 'd', 'memory', '64KiB');
  await client.send('FS.OBSERVE', 'd', 'a');
  void client.send('FS.SAVE');
  await expect.poll(() => tasks).toBe(1);
  client.close();
  let hasClosed = false;
  const closing = server.close().then(() => {
    hasClosed = true;
  });
  await expect
    .poll(
      () => {
        vi.advanceTimersByTime(1000);
        return hasClosed;
      },
      { timeout: 20_000 },
    )
    .toBe(true);
  await closing;
  await withFolder(folder, async (again) => {
    expect(await again.send('FS.TEST', 'd', 'a', 'b')).toEqual(['+duplicate', '+distinct']);
  });
});

test('a server that stops waits for a process that makes progress', async () => {
  const folder = newFolder();
  stillClock();
  let begun: { onProgress: () => void; end: () => void } | undefined;
  const slow: Data['compactor'] = async (task, { onProgress }) => {
    await new Promise<void>((end) => {
      begun = { onProgress, end };
    });
    await compactor(task);
  };
  const server = await serve({ ...testServer, data: dataIn(folder, { compactor: slow }) });
  const client = await Client.open(server.port);
  await client.send('FS.CREATE', 'd', 'memory', '64KiB');
  void client.send('FS.SAVE').catch(() => undefined);
  await expect.poll(() => begun).toBeDefined();
  client.close();
  const closing = server.close();
  for (let seconds = 0; seconds < 30; seconds++) {
    vi.advanceTimersByTime(1000);
    begun?.onProgress();
  }
  begun?.end();
  await closing;
  expect(readdirSync(folder).filter((name) => name.startsWith('snapshot'))).toHaveLength(1);
});

test('two servers cannot have one folder', async () => {
  const folder = newFolder();
  await withFolder(folder, async (client) => {
    expect(await client.send('PING')).toBe('+PONG');
    await expect(serve({ ...testServer, data: dataIn(folder) })).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  });
});

test('a folder on another file system fails the start', async () => {
  const folder = await killedFolder();
  const path = join(folder, 'firstseen.json');
  const marker = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...marker, fileSystem: marker.fileSystem + 1 }));
  const options = { ...testServer, data: dataIn(folder) };
  await expect(serve(options)).rejects.toMatchObject({ code: 'E_STATE_FILE' });
});
