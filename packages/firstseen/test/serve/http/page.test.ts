// What the page gets from the server: its files, the stream of figures, and plans.

import { expect, test } from 'vitest';
import type { PlannedDetector, WatchMessage } from '../../../src/serve/http/watch/messages.js';
import type { Role } from '../../../src/serve/session.js';
import { Client } from '../support/client.js';
import { EventReader } from '../support/events.js';
import { dataIn, newFolder } from '../support/folder.js';
import { ask, askJson, withHttp } from '../support/http.js';

const tokens: Record<string, Role> = { reader: 'read' };
const authenticate = (_user: string, password: string) => tokens[password];

/** Sends commands on a connection of their own. */
async function command(port: number, ...commands: readonly (readonly string[])[]): Promise<void> {
  const client = await Client.open(port);
  for (const words of commands) await client.send(...words);
  client.close();
}

/** The first message for a query. */
async function firstMessage(port: number, query = ''): Promise<WatchMessage> {
  const reader = await EventReader.open(port, query);
  const message = await reader.next();
  reader.close();
  if (message === undefined) throw new Error('the stream has no message');
  return message;
}

function namesIn({ list }: WatchMessage): string[] {
  return list.rows.map(({ name }) => name);
}

test('the files of the page need no token, and may load nothing from elsewhere', () =>
  withHttp(
    async (port) => {
      for (const [path, type] of [
        ['/', 'text/html'],
        ['/page/main.js', 'text/javascript'],
        ['/page/style.css', 'text/css'],
        ['/page/icon.svg', 'image/svg+xml'],
      ] as const) {
        const { status, headers, text } = await ask(port, 'GET', path, { headers: { 'Sec-Fetch-Site': 'cross-site' } });
        expect([status, headers['content-type']?.split(';')[0]]).toEqual([200, type]);
        expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/);
        expect(headers['content-security-policy']).not.toContain('unsafe');
        expect(text.length).toBeGreaterThan(100);
      }
      expect((await ask(port, 'GET', '/page/none.js')).status).toBe(404);
    },
    { authenticate },
  ));

test('the figures need a token with the role read', () =>
  withHttp(
    async (port) => {
      expect((await ask(port, 'GET', '/page/events')).status).toBe(401);
      expect((await ask(port, 'POST', '/plan')).status).toBe(401);
      const reader = await EventReader.open(port, '', { Authorization: 'Bearer reader' });
      expect([reader.reply.statusCode, reader.reply.headers['content-type']]).toEqual([200, 'text/event-stream']);
      expect(await reader.next()).toMatchObject({ server: { version: '1.2.3' } });
      reader.close();
    },
    { authenticate },
  ));

test('a page of another site gets no figures', () =>
  withHttp(async (port) => {
    const { status } = await ask(port, 'GET', '/page/events', { headers: { 'Sec-Fetch-Site': 'cross-site' } });
    expect(status).toBe(403);
  }));

test('the first message has the whole history, and those after it what is new', () =>
  withHttp(async (port, server) => {
    await command(server.port, ['FS.CREATE', 'd', 'memory', '64KiB'], ['FS.OBSERVE', 'd', 'a', 'b', 'a']);
    const reader = await EventReader.open(port, 'detector=d');
    const [first, second] = [await reader.next(), await reader.next()];
    expect([first?.totals.isWhole, first?.history?.isWhole]).toEqual([true, true]);
    expect([second?.totals.isWhole, second?.totals.times.recent.length]).toEqual([
      first?.totals.times.recent.length === 0,
      1,
    ]);
    expect(second?.history?.points.recent.records).toHaveLength(1);
    expect(second?.detector).toMatchObject({
      name: 'd',
      observed: 3,
      duplicates: 1,
      plan: { falseNegatives: 'stream' },
    });
    reader.close();
  }));

test('the list is sorted, filtered and cut by the server', () =>
  withHttp(
    async (port, server) => {
      const make = Array.from({ length: 30 }, (_, i) => ['FS.CREATE', `d${i}`, 'algorithm', 'bloom', 'memory', '4KiB']);
      await command(server.port, ...make, ['FS.OBSERVE', 'd7', 'a', 'b', 'a'], ['FS.OBSERVE', 'd8', 'a']);
      await command(server.port, ['FS.CREATE', 'Orders', 'claims', 'memory', '8KiB']);
      expect(namesIn(await firstMessage(port, 'sort=observed&order=descending&limit=2'))).toEqual(['d7', 'd8']);
      expect(namesIn(await firstMessage(port, 'sort=memory&order=descending&limit=1'))).toEqual(['Orders']);
      const part = await firstMessage(port, 'filter=D1&offset=5&limit=5');
      expect(part.list).toMatchObject({ matched: 11, offset: 5 });
      expect(namesIn(part)).toEqual(['d14', 'd15', 'd16', 'd17', 'd18']);
      const beyond = await firstMessage(port, 'filter=d1&offset=500&limit=5');
      expect([beyond.list.offset, namesIn(beyond)]).toEqual([10, ['d19']]);
      expect(namesIn(await firstMessage(port, 'filter=exact'))).toEqual(['Orders']);
      expect((await firstMessage(port, 'filter=nothing')).list).toMatchObject({ matched: 0, offset: 0, rows: [] });
      expect(part.list).toMatchObject({ sorting: 'name', isDescending: false });
      const wrong = await ask(port, 'GET', '/page/events?limit=201');
      expect([wrong.status, wrong.json.detail]).toEqual([400, 'limit is 201; give a whole number from 1 to 200']);
      expect((await ask(port, 'GET', '/page/events?sort=size')).status).toBe(400);
    },
    { maxDetectors: 100 },
  ));

test('a detector is told with its plan, its fullness, its window and its claims', () =>
  withHttp(async (port, server) => {
    await command(
      server.port,
      ['BF.RESERVE', 'f', '0.01', '10'],
      ['BF.MADD', 'f', 'a', 'b', 'c', 'd', 'e'],
      ['FS.CREATE', 'w', 'window', '1d', 'memory', '64KiB', 'fpr', '0.001'],
      ['FS.CREATE', 'c', 'claims', 'memory', '64KiB'],
      ['FS.CLAIM', 'c', 'k'],
    );
    const told = async (name: string) => (await firstMessage(port, `detector=${name}`)).detector;
    expect(await told('f')).toMatchObject({
      plan: { falsePositiveRate: 0.01, falseNegatives: 'never' },
      ...{ fullness: 0.5, whenFull: 'misreports', planned: 0.5, distinct: 5, plannedElements: 10, window: null },
    });
    expect(await told('w')).toMatchObject({
      plan: { falsePositiveRate: 0.001, falseNegatives: 'window' },
      ...{ fullness: 0, planned: null, plannedElements: null, window: '1d' },
    });
    expect(await told('c')).toMatchObject({ claims: { pending: 1, committed: 0, late: 0, expired: 0 }, pending: 1 });
    expect(await told('none')).toBeNull();
  }));

test('the log is told, and a server in memory has none', async () => {
  await withHttp(
    async (port, server) => {
      await command(server.port, ['FS.CREATE', 'd', 'memory', '64KiB'], ['FS.SAVE']);
      const { log } = (await firstMessage(port)).server;
      expect(log).toMatchObject({ durability: 'always', problem: null, snapshotAt: expect.any(Number) });
      expect(log?.syncSeconds).toBeGreaterThan(0);
    },
    { data: dataIn(newFolder(), { durability: 'always' }) },
  );
  await withHttp(async (port) => expect((await firstMessage(port)).server.log).toBeNull());
});

test('a server that stops ends the streams at once', async () => {
  let reader: EventReader | undefined;
  await withHttp(async (port) => {
    reader = await EventReader.open(port, '');
    await reader.next();
  });
  let message = await reader?.next();
  while (message !== undefined) message = await reader?.next();
  expect(reader?.reply.complete).toBe(true);
});

test('a plan tells what a detector would be, and makes none', () =>
  withHttp(async (port) => {
    const plan = (options: object) => askJson(port, 'POST', '/plan', options);
    const described = await plan({ 'expect-distinct': 1000, memory: '64KiB', witness: '32KiB' });
    expect([described.status, described.json]).toEqual([
      200,
      {
        ...{ algorithm: expect.any(String), layout: expect.any(String), memoryBytes: 65536 },
        falsePositiveRate: 1e-6,
        falseNegatives: 'stream',
        predicted: {
          falsePositiveRate: expect.any(Number),
          falseNegativeRate: expect.any(Number),
          stream: expect.stringMatching(/^2,000 elements, 50.0 % of them new; /),
        },
      },
    ]);
    const ratesIn = ({ json }: typeof described) => (json as unknown as PlannedDetector).predicted;
    expect(ratesIn(described)?.falsePositiveRate).toBeLessThan(1e-6);
    expect(ratesIn(described)?.falseNegativeRate).toBeLessThan(1e-3);
    // A detector that is too small forgets, and the model of the planner says how much.
    const small = await plan({ algorithm: 'qht', 'expect-distinct': 1e6, 'expect-length': 1e7, memory: '64KiB' });
    expect(ratesIn(small)?.falseNegativeRate).toBeGreaterThan(0.5);
    for (const options of [{ memory: '64KiB' }, { memory: '64KiB', window: '1d', 'expect-distinct': 1e4 }]) {
      expect((await plan(options)).json.predicted).toBeNull();
    }
    expect((await plan({ window: '1d', memory: '64KiB' })).json).toMatchObject({ falseNegatives: 'window' });
    const made = await askJson(port, 'PUT', '/detectors/d', { 'expect-distinct': 1000, memory: '64KiB' });
    expect(made.json).toMatchObject({ algorithm: described.json.algorithm, layout: described.json.layout });
    const wrong = await plan({ memroy: '64KiB' });
    expect([wrong.status, wrong.json.code]).toEqual([400, 'E_USAGE']);
    expect((await ask(port, 'GET', '/detectors')).json.detectors).toHaveLength(1);
  }));
