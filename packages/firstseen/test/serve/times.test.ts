import { expect, test } from 'vitest';
import { Patience, type Seen, type TimeLimits } from '../../src/serve/patience.js';
import { encode } from './support/client.js';
import { type FakeClient, fakeClient, fakeServer, settled } from './support/fakesocket.js';
import { withServer } from './support/server.js';

const limits: TimeLimits = { requestMilliseconds: 100, idleMilliseconds: 1000 };
const nothing: Seen = { bytes: 0, commands: 0, isPartial: false, isUnknown: false, isServed: false };

/** The times at which the patience with a client is over. */
function timesOver(seen: readonly (readonly [now: number, seen: Partial<Seen>])[], asked = limits): number[] {
  const patience = new Patience(0);
  return seen.filter(([now, one]) => patience.isOver(now, { ...nothing, ...one }, asked)).map(([now]) => now);
}

test('a command has a time, however its bytes come', () => {
  const dripping = [10, 60, 110, 111].map((now) => [now, { isPartial: true, bytes: now }] as const);
  expect(timesOver(dripping)).toEqual([110, 111]);
  expect(timesOver([[0, {}], ...dripping])).toEqual([110, 111]);
  const next = [50, 100, 150, 200].map((now) => [now, { isPartial: true, bytes: now, commands: now }] as const);
  expect(timesOver(next)).toEqual([]);
  // The first command ends at 150, and the next one begins.
  expect(timesOver([...next.slice(0, 3), [251, { isPartial: true, bytes: 151, commands: 150 }]])).toEqual([251]);
});

test('a client that waits for the server has any time', () => {
  const waiting = [100, 900, 5000].map((now) => [now, { isPartial: true, isServed: true }] as const);
  expect(timesOver([...waiting, [5050, { isPartial: true }], [5101, { isPartial: true }]])).toEqual([5101]);
});

test('a client that sends nothing has any time, unless it is limited', () => {
  const quiet = [500, 1000, 1001].map((now) => [now, {}] as const);
  expect(timesOver(quiet)).toEqual([1001]);
  expect(timesOver(quiet, { ...limits, idleMilliseconds: undefined })).toEqual([]);
  expect(
    timesOver([
      [500, { bytes: 1 }],
      [1400, { bytes: 1 }],
      [1501, { bytes: 1 }],
    ]),
  ).toEqual([1501]);
});

test('a client that does not say its token has the time of a command', () => {
  expect(timesOver([50, 100, 101].map((now) => [now, { isUnknown: true, bytes: now, commands: now }]))).toEqual([101]);
});

/** Looks at a connection at a time after its beginning. */
function lookedAt({ connection, socket }: FakeClient, milliseconds: number): boolean {
  connection.checkTime(performance.now() + milliseconds, { requestMilliseconds: 1e6, idleMilliseconds: 1e7 });
  return socket.destroyed;
}

test('a connection ends in the middle of a command, and not between two', async () => {
  for (const [bytes, isOver] of [
    ['', false],
    [encode('PING'), false],
    ['PING\r\n', false],
    ['*1\r\n', true],
    ['*2\r\n$4\r\nECHO\r\n', true],
    ['*1\r\n$4\r\nPIN', true],
    ['PIN', true],
    ['PING\r\nPIN', true],
  ] as const) {
    const client = fakeClient();
    client.socket.send(bytes);
    await settled();
    expect(lookedAt(client, 1)).toBe(false);
    expect([String(bytes), lookedAt(client, 2e6)]).toEqual([String(bytes), isOver]);
    client.socket.destroy();
  }
});

test('a connection that says no token ends, and so does one that is idle', async () => {
  const unknown = fakeClient({ server: fakeServer({ authenticate: () => 'read' }) });
  expect(lookedAt(unknown, 2e6)).toBe(true);
  const known = fakeClient({ server: fakeServer({ authenticate: () => 'read' }) });
  known.socket.send('AUTH token\r\n');
  await settled();
  expect(lookedAt(known, 2e6)).toBe(false);
  expect(lookedAt(known, 13e6)).toBe(true);
});

test('a client that does not read its replies is idle, and not in the middle of a command', async () => {
  const client = fakeClient({ highWaterMark: 1 });
  client.socket.isFast = false;
  client.socket.send('PING\r\nPING\r\nPING\r\n');
  await settled();
  client.socket.send('PING\r\nPI');
  expect(lookedAt(client, 2e6)).toBe(false);
  expect(lookedAt(client, 13e6)).toBe(true);
});

test('the server ends connections that take too long', () =>
  withServer(
    async (client) => {
      expect(await client.send('PING')).toBe('+PONG');
      client.socket.write('*1\r\n$4\r\n');
      expect(await client.next()).toBeUndefined();
    },
    { requestMilliseconds: 50 },
  ));

test('a command has a limit of bytes, which is that of its arguments if it is small', () =>
  withServer(
    async (client) => {
      expect(await client.send('ECHO', 'x'.repeat(996))).toBe('x'.repeat(996));
      expect(await client.send('ECHO', 'x'.repeat(997))).toBe(
        '-ERR Protocol error: invalid bulk length: the command has more than 1000 bytes; send its keys in several commands, or start the server with a larger --max-request',
      );
    },
    { requestBytes: 1000 },
  ));
