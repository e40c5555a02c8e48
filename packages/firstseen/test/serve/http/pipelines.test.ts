// Requests that a client sends without waiting for replies, and replies that it does not read.

import { expect, test } from 'vitest';
import { ClientMemory } from '../../../src/serve/clientmemory.js';
import { createHttpServer } from '../../../src/serve/http/listener.js';
import { FakeSocket, fakeServer, settled } from '../support/fakesocket.js';
import { RawClient, withHttp } from '../support/http.js';

const GET = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n';
/** More than a reply, and less than two. */
const REPLY_BYTES = 25_000;

/** A server, how many requests it has begun, and clients that do not read. */
function slowServer(limitBytes: number) {
  const clientMemory = new ClientMemory(limitBytes);
  const server = fakeServer({ clientMemory });
  let begun = 0;
  const counted = new Proxy(server, {
    get(target, name) {
      if (name === 'version') begun++;
      return Reflect.get(target, name);
    },
  });
  const times = { requestMilliseconds: 60_000, idleMilliseconds: undefined };
  const http = createHttpServer(counted, { ...times, isOpen: true, maxConnections: 100 });
  const connect = (sent: string): FakeSocket => {
    const socket = new FakeSocket(2 ** 14);
    socket.isFast = false;
    http.server.emit('connection', socket);
    socket.send(sent);
    return socket;
  };
  return { clientMemory, connect, begun: () => begun };
}

/** Lets a client read all. */
async function read(socket: FakeSocket): Promise<string> {
  socket.isFast = true;
  socket.flush();
  for (let i = 0; i < 20; i++) await settled();
  return socket.written;
}

function countIn(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

test('requests of a pipeline are answered in turn: each sees what those before it changed', () =>
  withHttp(async (port) => {
    const client = await RawClient.open(port);
    const options = '{"memory":"64KiB"}';
    const lines = 'Content-Type: text/plain\r\nContent-Length: 4';
    client.socket.write(
      [
        `PUT /detectors/d HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${options.length}\r\n\r\n${options}`,
        `POST /detectors/d/observe HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines}\r\n\r\none\n`,
        `POST /detectors/d/observe HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines}\r\n\r\none\n`,
        'DELETE /detectors/d HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
        'GET /detectors/d HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
      ].join(''),
    );
    const replies = await client.untilEnd();
    expect(replies.match(/HTTP.1.1 \d+/g)).toEqual([201, 200, 200, 204, 404].map((status) => `HTTP/1.1 ${status}`));
    expect(replies.match(/^(distinct|duplicate)$/gm)).toEqual(['distinct', 'duplicate']);
  }));

test('a request is begun once the client has read the reply before it', async () => {
  const { connect, begun, clientMemory } = slowServer(2 ** 20);
  const socket = connect(GET.repeat(100));
  await settled();
  expect(begun()).toBe(1);
  expect(countIn(await read(socket), /HTTP.1.1 200 OK/g)).toBe(100);
  expect(begun()).toBe(100);
  expect(clientMemory.evicted).toBe(0);
});

test('while many requests wait, no more are read', async () => {
  const { connect } = slowServer(2 ** 20);
  const socket = connect(GET.repeat(200));
  await settled();
  expect(socket.isPaused()).toBe(true);
  socket.send(GET.repeat(200));
  await settled();
  expect(socket.readableLength).toBe(GET.length * 200);
  expect(countIn(await read(socket), /HTTP.1.1 200 OK/g)).toBe(400);
  expect(socket.isPaused()).toBe(false);
});

test('replies that are not read count, and beyond the limit of all clients a connection is ended', async () => {
  const { connect, clientMemory } = slowServer(3 * REPLY_BYTES);
  const sockets = Array.from({ length: 20 }, () => connect(GET));
  await settled();
  expect(clientMemory.evicted).toBeGreaterThan(10);
  const open = sockets.filter(({ destroyed }) => !destroyed);
  expect(open).toHaveLength(20 - clientMemory.evicted);
  for (const socket of open) expect(countIn(await read(socket), /HTTP.1.1 200 OK/g)).toBe(1);
  // What was read does not count any more.
  const before = clientMemory.evicted;
  for (let i = 0; i < 20; i++) await read(connect(GET));
  expect(clientMemory.evicted).toBe(before);
});

test('requests that wait count with their headers, and those of a connection that is ended are not begun', async () => {
  const { connect, begun, clientMemory } = slowServer(8 * REPLY_BYTES);
  const many = connect(GET.repeat(150));
  await settled();
  expect([many.destroyed, clientMemory.evicted]).toEqual([true, 1]);
  const headers = Array.from({ length: 120 }, (_, i) => `${i}:\r\n`).join('');
  const long = connect(`${GET}${GET.replace('\r\n\r\n', `\r\n${headers}\r\n`).repeat(45)}`);
  await settled();
  expect([long.destroyed, clientMemory.evicted]).toEqual([true, 2]);
  expect(begun()).toBe(2);
});
