// A detector that moves: from one server to another, and to and from the library and the command.

import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as send } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { create, type Detector, load, save } from '../../../src/index.js';
import { createNear } from '../../../src/near.js';
import { split } from '../../../src/partitions.js';
import { type RunningServer, type ServeOptions, serve } from '../../../src/serve/server.js';
import { inLongForm, sampleNote, sampleOf } from '../../support/form.js';
import { Client, type Read } from '../support/client.js';
import { holdClock } from '../support/clock.js';
import { dataIn, killedNow, newFolder } from '../support/folder.js';
import { ask, askJson, type HttpReply } from '../support/http.js';
import { testServer } from '../support/server.js';

/** A server with both protocols, and a client of each. */
interface Running {
  client: Client;
  port: number;
  server: RunningServer;
}

async function withBoth<T>(run: (running: Running) => Promise<T>, options: Partial<ServeOptions> = {}): Promise<T> {
  const server = await serve({ ...testServer, httpPort: 0, ...options });
  const client = await Client.open(server.port);
  try {
    return await run({ client, port: server.httpPort as number, server });
  } finally {
    client.close();
    await server.close();
  }
}

/** The bytes of a snapshot. */
function download(port: number, name: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const path = `/detectors/${encodeURIComponent(name)}/snapshot`;
    const outgoing = send({ port, host: '127.0.0.1', path, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const bytes = Buffer.concat(chunks);
        expect([incoming.statusCode, Number(incoming.headers['content-length'])]).toEqual([200, bytes.length]);
        resolve(bytes);
      });
    });
    outgoing.on('error', reject).end();
  });
}

const SNAPSHOT = 'application/octet-stream';

function upload(
  port: number,
  name: string,
  body: Uint8Array,
  headers: Record<string, string> = {},
): Promise<HttpReply> {
  return ask(port, 'PUT', `/detectors/${encodeURIComponent(name)}/snapshot`, { body, type: SNAPSHOT, headers });
}

const keys = (count: number, prefix = 'k') => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

const creations: Readonly<Record<string, readonly string[]>> = {
  small: ['FS.CREATE', 'small', 'memory', '64KiB'],
  exact: ['FS.CREATE', 'exact', 'algorithm', 'exact', 'memory', '2MiB'],
  large: ['FS.CREATE', 'large', 'algorithm', 'bloom', 'memory', '8MiB', 'witness', '64KiB'],
  window: ['FS.CREATE', 'window', 'window', '1h', 'memory', '256KiB'],
  keyed: ['FS.CREATE', 'keyed', 'keyed', 'memory', '64KiB'],
  'a filter/1': ['BF.RESERVE', 'a filter/1', '0.001', '300', 'NONSCALING'],
};

async function fill(client: Client): Promise<void> {
  for (const [name, words] of Object.entries(creations)) {
    await client.send(...words);
    await client.send('FS.OBSERVE', name, ...keys(200), ...keys(50));
    await client.send('FS.OBSERVEID', name, 'id', 'k1', 'new');
  }
}

/** What clients can learn of a detector, without changing it. */
async function learn(client: Client, name: string): Promise<Read[]> {
  holdClock();
  const learned: Read[] = [];
  for (const command of ['FS.INFO', 'BF.INFO']) learned.push((await client.send(command, name)) as Read);
  learned.push((await client.send('FS.STATS', name, 'LOAD')) as Read);
  learned.push((await client.send('FS.TEST', name, ...keys(300), 'new')) as Read);
  return learned;
}

/** The options of a server that keeps its detectors somewhere, or nowhere. */
function placeOf(kind: 'memory' | 'always' | 'interval' | 'snapshot'): Partial<ServeOptions> {
  return kind === 'memory' ? {} : { data: dataIn(newFolder(), { durability: kind }) };
}

describe.each(sampleOf(['memory', 'always', 'interval', 'snapshot'] as const, 2))(
  `with the durability %s${sampleNote}`,
  (kind) => {
    test('a detector goes on at another server with the same answers', () =>
      withBoth(async (here) => {
        await fill(here.client);
        await withBoth(async (there) => {
          for (const name of Object.keys(creations)) {
            const { status, json } = await upload(there.port, name, await download(here.port, name));
            expect([status, json.name]).toEqual([201, name]);
            expect(await learn(there.client, name)).toEqual(await learn(here.client, name));
            expect(await there.client.send('FS.OBSERVEID', name, 'id', 'k1', 'new')).toEqual([
              '+duplicate',
              '+distinct',
            ]);
            expect(await there.client.send('FS.OBSERVE', name, 'k7', 'newer')).toEqual(['+duplicate', '+distinct']);
          }
        }, placeOf(kind));
      }, placeOf(kind)));

    test('claims go with their detector, and hold their keys for the rest of their leases', () =>
      withBoth(async (here) => {
        await here.client.send('FS.CREATE', 'c', 'CLAIMS', 'MEMORY', '64KiB', 'LEASE', '1h', 'PENDING', '50');
        await here.client.send('FS.CLAIM', 'c', 'held', 'TOKEN', 'mine');
        await here.client.send('FS.CLAIM', 'c', 'done', 'TOKEN', 'mine');
        await here.client.send('FS.COMMIT', 'c', 'done', 'mine');
        await withBoth(async (there) => {
          expect((await upload(there.port, 'c', await download(here.port, 'c'))).status).toBe(201);
          expect(await there.client.send('FS.CLAIM', 'c', 'held')).toEqual(['+pending', expect.any(Number)]);
          expect(await there.client.send('FS.CLAIM', 'c', 'done')).toEqual(['+duplicate']);
          expect(await there.client.send('FS.COMMIT', 'c', 'held', 'other')).toBe(0);
          expect(await there.client.send('FS.COMMIT', 'c', 'held', 'mine')).toBe(1);
          expect(
            await there.client.send('FS.CREATE', 'c', 'CLAIMS', 'MEMORY', '64KiB', 'LEASE', '1h', 'PENDING', '50'),
          ).toContain('exact');
        }, placeOf(kind));
      }, placeOf(kind)));

    test('a claim on a key that has left its window goes with its detector', () =>
      withBoth(async (here) => {
        await here.client.send('FS.CREATE', 'c', 'CLAIMS', 'WINDOW', '50ms', 'MEMORY', '8MiB');
        await here.client.send('FS.CLAIM', 'c', 'k', 'TOKEN', 'first');
        await here.client.send('FS.COMMIT', 'c', 'k', 'first');
        await sleep(80);
        expect(await here.client.send('FS.CLAIM', 'c', 'k', 'TOKEN', 'mine')).toEqual(['+distinct', 'mine']);
        await withBoth(async (there) => {
          expect((await upload(there.port, 'c', await download(here.port, 'c'))).status).toBe(201);
          expect(await there.client.send('FS.CLAIM', 'c', 'k')).toEqual(['+pending', expect.any(Number)]);
        }, placeOf(kind));
      }, placeOf(kind)));

    test('what was refused leaves nothing', () => {
      const place = placeOf(kind);
      return withBoth(async ({ client, port }) => {
        const detector = await create({ memory: '64KiB', algorithm: 'exact' });
        detector.observe('a');
        const snapshot = await save(detector);
        const used = async () => /detectors_memory:(\d+)/.exec(String(await client.send('INFO')))?.[1];
        const before = await used();
        expect(before).toBe('0');
        for (const cut of [0, 1, 64, 100, snapshot.length - 1]) {
          const { status, json } = await upload(port, 'd', snapshot.subarray(0, cut));
          expect([cut, status, json.code]).toEqual([cut, 400, 'E_SNAPSHOT']);
          expect(json.detail).toMatch(/; send the whole snapshot, and nothing else$/);
        }
        for (let at = 0; at < snapshot.length; at += Math.ceil(snapshot.length / inLongForm(40, 12))) {
          const flipped = snapshot.slice();
          flipped[at] = (flipped[at] as number) ^ 1;
          expect([at, (await upload(port, 'd', flipped)).status]).toEqual([at, 400]);
        }
        const longer = new Uint8Array(snapshot.length + 1);
        longer.set(snapshot);
        expect((await upload(port, 'd', longer)).json.code).toBe('E_SNAPSHOT');
        expect((await upload(port, 'd', longer, { 'Transfer-Encoding': 'chunked' })).json.code).toBe('E_SNAPSHOT');
        expect((await upload(port, '', snapshot)).status).toBe(400);
        expect(await client.send('FS.LIST')).toEqual([]);
        expect(await used()).toBe(before);
        const { folder } = place.data ?? {};
        if (folder) expect(readdirSync(folder).filter((name) => name.startsWith('import'))).toEqual([]);
        expect((await upload(port, 'd', snapshot, { 'Transfer-Encoding': 'chunked' })).status).toBe(201);
      }, place);
    });
  },
);

test('the library goes on with a snapshot of the server, and the server with one of the library', () =>
  withBoth(async ({ client, port }) => {
    await fill(client);
    for (const name of Object.keys(creations)) {
      const detector = await load(await download(port, name));
      expect(detector.observe('k7')).toBe('duplicate');
      expect(detector.observe('newer')).toBe('distinct');
      expect((await upload(port, `${name} 2`, await save(detector))).status).toBe(201);
      expect(await client.send('FS.OBSERVE', `${name} 2`, 'newer', 'newest')).toEqual(['+duplicate', '+distinct']);
    }
    // Nothing was asked for, and the settings are those of the detector.
    expect(await client.send('FS.CREATE', 'small 2', 'memory', '64KiB')).toBe('+OK');
    expect(await client.send('FS.CREATE', 'keyed 2', 'memory', '64KiB')).toBe('+OK');
    expect(await client.send('FS.CREATE', 'small 2', 'memory', '32KiB')).toMatch(/exists with other options: memory/);
    const noted = await create({ memory: '64KiB', keys: ['id'], format: 'ndjson' });
    expect((await upload(port, 'noted', await save(noted, new Uint8Array(100).fill(10)))).status).toBe(201);
  }));

test('a snapshot that no server has a detector for is refused', () =>
  withBoth(
    async ({ client, port }) => {
      const refused = async (snapshot: Uint8Array) => {
        const { status, json } = await upload(port, 'd', snapshot);
        return [status, json.code, json.detail];
      };
      const near = await createNear({ memory: '64KiB' });
      expect(await refused(await save(near))).toEqual([400, 'E_SNAPSHOT', expect.stringMatching(/near-duplicates/)]);
      const { value: piece } = await split(await create({ memory: '64KiB', partitions: 2 }), 2).next();
      expect(await refused(await save(piece as Detector))).toEqual([
        400,
        'E_SNAPSHOT',
        expect.stringMatching(/1 of the 2 part/),
      ]);
      const other = await save(await create({ memory: '64KiB' }));
      other[8] = 9;
      expect(await refused(other)).toEqual([400, 'E_SNAPSHOT', expect.stringMatching(/version 9/)]);
      const large = await save(await create({ memory: '8MiB' }));
      expect(await refused(large)).toEqual([400, 'E_MEMORY', expect.stringMatching(/takes 9MiB, but only 4MiB/)]);
      expect((await ask(port, 'PUT', '/detectors/d/snapshot', { body: other, type: 'text/plain' })).status).toBe(415);
      expect((await upload(port, 'd', other, { 'Content-Encoding': 'gzip' })).status).toBe(415);
      expect(await client.send('FS.LIST')).toEqual([]);
    },
    { ...placeOf('interval'), memoryBytes: 2 ** 22 },
  ));

test('a note that a server does not write is refused', () =>
  withBoth(async ({ port }) => {
    const detector = await create({ memory: '64KiB' });
    const head = { server: 1, request: { options: {} } };
    const claim = { fingerprint: '1', token: 't', leaseMilliseconds: 1, expiresAtMilliseconds: 1 };
    const status = async (...lines: object[]) => {
      const note = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      return (await upload(port, `d${JSON.stringify(lines)}`.slice(0, 200), await save(detector, note))).status;
    };
    expect(await status(head, { requests: [], held: [claim] })).toBe(201);
    expect(await status({ ...head, server: 2 })).toBe(400);
    for (const request of [1, {}, { options: { secret: 'mine' } }, { options: {}, filter: { capacity: 'many' } }]) {
      expect(await status({ ...head, request })).toBe(400);
    }
    for (const wrong of [
      { fingerprint: 'x' },
      { token: 1 },
      { leaseMilliseconds: -1 },
      { fingerprint: '9'.repeat(30) },
    ]) {
      expect(await status(head, { requests: [], held: [{ ...claim, ...wrong }] })).toBe(400);
    }
    for (const wrong of [1, { id: 'i', keys: '1', answers: '?' }, { id: '', keys: '1', answers: 'AA==' }]) {
      expect(await status(head, { requests: [wrong], held: [] })).toBe(400);
    }
  }));

/** A request whose body does not end yet. */
async function begun(port: number, name: string, snapshot: Uint8Array) {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  const lines = [
    `PUT /detectors/${name}/snapshot HTTP/1.1`,
    'Host: 127.0.0.1',
    `Content-Type: ${SNAPSHOT}`,
    `Content-Length: ${snapshot.length}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  socket.write(snapshot.subarray(0, snapshot.length - 1));
  return socket;
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5));
}

test.each(['memory', 'interval'] as const)('a name that is taken is refused, also while it is sent (%s)', (kind) =>
  withBoth(async ({ client, port }) => {
    const detector = await create({ memory: '8MiB', algorithm: 'exact' });
    detector.observe('sent');
    const snapshot = await save(detector);
    const socket = await begun(port, 'd', snapshot);
    const memory = async () => Number(/detectors_memory:(\d+)/.exec(String(await client.send('INFO')))?.[1]);
    await until(async () => (await memory()) > 2 ** 23);
    expect(await client.send('FS.CREATE', 'd', 'memory', '64KiB')).toBe('+OK');
    socket.write(snapshot.subarray(snapshot.length - 1));
    const [reply] = await once(socket, 'data');
    expect(String(reply)).toMatch(/^HTTP.1.1 409 .*E_EXISTS/s);
    socket.destroy();
    expect(await client.send('FS.TEST', 'd', 'sent')).toEqual(['+distinct']);
    expect(await memory()).toBeLessThan(5 * 2 ** 15);
    expect((await upload(port, 'd', snapshot)).json.code).toBe('E_EXISTS');
  }, placeOf(kind)),
);

test.each(['memory', 'interval'] as const)('a client that goes leaves nothing (%s)', (kind) => {
  const place = placeOf(kind);
  return withBoth(async ({ client, port }) => {
    const snapshot = await save(await create({ memory: '8MiB', algorithm: 'exact' }));
    const memory = async () => Number(/detectors_memory:(\d+)/.exec(String(await client.send('INFO')))?.[1]);
    const socket = await begun(port, 'd', snapshot);
    await until(async () => (await memory()) > 2 ** 23);
    socket.destroy();
    await until(async () => (await memory()) === 0);
    const { folder } = place.data ?? {};
    await until(() => !folder || readdirSync(folder).every((name) => !name.startsWith('import')));
    expect(await client.send('FS.LIST')).toEqual([]);
  }, place);
});

describe('after a kill', () => {
  const importsIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('import'));

  test('a server has what was sent, before and after new snapshots', async () => {
    const folder = newFolder();
    await withBoth(
      async (here) => {
        await fill(here.client);
        await here.client.send('FS.CREATE', 'c', 'CLAIMS', 'MEMORY', '64KiB', 'LEASE', '1h');
        await here.client.send('FS.CLAIM', 'c', 'held', 'TOKEN', 'mine');
        for (const name of [...Object.keys(creations), 'c']) {
          await upload(here.port, `${name} 2`, await download(here.port, name));
        }
        await here.client.send('FS.OBSERVE', 'large 2', 'later');
        await here.client.send('FS.DROP', 'exact 2');
        const check = async ({ client }: Running) => {
          for (const name of Object.keys(creations)) {
            if (name !== 'exact')
              expect(await learn(client, `${name} 2`)).toEqual(await learn(here.client, `${name} 2`));
          }
          expect(await client.send('FS.TEST', 'large 2', 'later')).toEqual(['+duplicate']);
          expect(await client.send('FS.OBSERVEID', 'large 2', 'id', 'k1', 'new')).toEqual(['+duplicate', '+distinct']);
          expect(await client.send('FS.CLAIM', 'c 2', 'held')).toEqual(['+pending', expect.any(Number)]);
          expect(await client.send('FS.LIST')).not.toContain('exact 2');
        };
        const files = importsIn(folder);
        expect(files.length).toBeGreaterThan(1);
        const killed = killedNow(folder);
        await withBoth(check, { data: dataIn(killed) });
        await withBoth(check, { data: dataIn(killed) });
        expect(importsIn(killed)).toEqual(files);
        await here.client.send('FS.SAVE');
        expect(importsIn(folder)).toEqual([]);
        await withBoth(check, { data: dataIn(killedNow(folder)) });
      },
      { data: dataIn(folder) },
    );
  });

  test('a file that no log refers to is removed, and one that is missing or damaged fails the start', async () => {
    const folder = newFolder();
    const snapshot = await save(await create({ memory: '64KiB' }));
    await withBoth(
      async ({ port }) => {
        expect((await upload(port, 'd', snapshot)).status).toBe(201);
        const [name = ''] = importsIn(folder);
        const killed = killedNow(folder);
        writeFileSync(join(killed, 'import-000000000009'), snapshot.subarray(0, 10));
        await withBoth(async ({ client }) => expect(await client.send('FS.LIST')).toEqual(['d']), {
          data: dataIn(killed),
        });
        expect(importsIn(killed)).toEqual([name]);
        const damaged = readFileSync(join(killed, name));
        damaged[damaged.length - 1] = (damaged.at(-1) as number) ^ 1;
        writeFileSync(join(killed, name), damaged);
        await expect(serve({ ...testServer, data: dataIn(killed) })).rejects.toThrow(/checksum/);
        const missing = killedNow(folder);
        writeFileSync(join(missing, name), '');
        await expect(serve({ ...testServer, data: dataIn(missing) })).rejects.toMatchObject({ code: 'E_SNAPSHOT' });
      },
      { data: dataIn(folder) },
    );
    expect(existsSync(folder)).toBe(true);
  });

  test('a file is kept as long as a log refers to it that is being compacted', async () => {
    const folder = newFolder();
    const snapshot = await save(await create({ memory: '64KiB' }));
    await withBoth(
      async ({ port, client }) => {
        await client.send('FS.CREATE', 'busy', 'memory', '64KiB');
        for (let round = 0; round < inLongForm(10, 4); round++) {
          const saving = client.send('FS.SAVE');
          await upload(port, `d${round}`, snapshot);
          await withBoth(async (again) => expect(await again.client.send('FS.LIST')).toContain(`d${round}`), {
            data: dataIn(killedNow(folder)),
          });
          await saving;
        }
        await client.send('FS.SAVE');
        await client.send('FS.SAVE');
        expect(importsIn(folder)).toEqual([]);
      },
      { data: dataIn(folder) },
    );
  });
});

test('a large snapshot has all that was acknowledged before, and is whole or noticed to be cut', () =>
  withBoth(async ({ client, port }) => {
    await client.send('FS.CREATE', 'd', 'memory', '8MiB', 'algorithm', 'exact');
    for (let round = 0; round < inLongForm(5, 2); round++) {
      await client.send('FS.OBSERVE', 'd', `r${round}`);
      const downloads = [download(port, 'd'), download(port, 'd')];
      void client.send('FS.OBSERVE', 'd', 'during');
      for (const bytes of await Promise.all(downloads)) {
        expect((await load(bytes)).test(`r${round}`)).toBe('duplicate');
        await expect(load(bytes.subarray(0, bytes.length - 1))).rejects.toMatchObject({ code: 'E_SNAPSHOT' });
      }
    }
    const { status, headers, text } = await ask(port, 'HEAD', '/detectors/d/snapshot');
    expect([status, Number(headers['content-length']) > 100, text]).toEqual([200, true, '']);
    // A client that goes away in the middle is noticed, and the server goes on.
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write('GET /detectors/d/snapshot HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    expect((await askJson(port, 'PUT', '/detectors/e', { memory: '64KiB' })).status).toBe(201);
  }, placeOf('interval')));

test('a copy of a detector takes memory only while it is sent', () =>
  withBoth(
    async ({ client, port }) => {
      await client.send('FS.CREATE', 'd', 'memory', '6MiB', 'algorithm', 'bloom');
      expect((await ask(port, 'GET', '/detectors/d/snapshot')).json.detail).toMatch(
        /a copy of the detector takes 6MiB/,
      );
      await client.send('FS.DROP', 'd');
      await client.send('FS.CREATE', 'd', 'memory', '3MiB', 'algorithm', 'bloom');
      for (let i = 0; i < 3; i++) await download(port, 'd');
    },
    { memoryBytes: 2 ** 23 },
  ));
