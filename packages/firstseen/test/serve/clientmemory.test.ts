// What clients have sent and the server has not answered is limited for all of them together.

import { describe, expect, test } from 'vitest';
import { ClientMemory, clientMemoryLimit } from '../../src/serve/clientmemory.js';
import type { ServerState } from '../../src/serve/session.js';
import { encode } from './support/client.js';
import { type FakeSocket, fakeClient, fakeServer, settled } from './support/fakesocket.js';

/** A command that is not whole: half of a key of so many bytes. */
function half(bytes: number): Buffer {
  return Buffer.concat([Buffer.from(`*3\r\n$7\r\nFS.TEST\r\n$1\r\nd\r\n$${bytes}\r\n`), Buffer.alloc(bytes / 2, 'a')]);
}

const REFUSAL =
  /^-ERR requests and replies of all clients together take more than 100KiB, and those of this client take most of it; send smaller/;

function serverWith(limitBytes: number) {
  const clientMemory = new ClientMemory(limitBytes);
  return { clientMemory, server: fakeServer({ clientMemory }) };
}

test('beyond the limit, the client that has sent most is ended, and the others go on', async () => {
  const { clientMemory, server } = serverWith(102_400);
  const clients = [80_000, 100_000, 60_000].map((bytes) => {
    const client = fakeClient({ server });
    client.socket.send(half(bytes));
    return client.socket;
  });
  await settled();
  expect(clients.map(({ written }) => written)).toEqual(['', expect.stringMatching(REFUSAL), '']);
  expect(clients[1]?.writableEnded).toBe(true);
  expect(clientMemory.evicted).toBe(1);
  clients[2]?.send(Buffer.concat([Buffer.alloc(30_000, 'a'), Buffer.from('\r\n'), encode('PING')]));
  await settled();
  expect(clients[2]?.written).toMatch(/^-ERR.*\r\n\+PONG\r\n$/s);
});

test('commands of a transaction count, and whole commands that were answered do not', async () => {
  const { clientMemory, server } = serverWith(102_400);
  const [queueing, sending] = [fakeClient({ server }), fakeClient({ server })];
  queueing.socket.send(Buffer.concat([encode('MULTI'), encode('ECHO', 'a'.repeat(60_000))]));
  for (let i = 0; i < 5; i++) sending.socket.send(encode('ECHO', 'a'.repeat(20_000)));
  await settled();
  expect(clientMemory.evicted).toBe(0);
  for (let i = 0; i < 2; i++) queueing.socket.send(encode('ECHO', 'a'.repeat(30_000)));
  await settled();
  expect(queueing.socket.written).toMatch(/\r\n-ERR requests and replies of all clients together/);
  expect(sending.socket.writableEnded).toBe(false);
  expect(clientMemory.evicted).toBe(1);
});

describe('replies that are not read', () => {
  /** Clients that do not read, each with the reply to a command of so many bytes. */
  function unread(server: ServerState, ...bytes: number[]) {
    return bytes.map((count) => {
      const { socket } = fakeClient({ server });
      socket.isFast = false;
      socket.send(encode('ECHO', 'a'.repeat(count)));
      return socket;
    });
  }

  test('count, and the connection that takes most is ended at once: an error would not be read either', async () => {
    const { clientMemory, server } = serverWith(409_600);
    // What was sent stays in memory with the reply.
    const sockets = unread(server, 70_000, 90_000, 80_000);
    await settled();
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
    expect(sockets[1]?.written).not.toContain('-ERR');
    expect(clientMemory.evicted).toBe(1);
  });

  test('count after the last command of a client, and no more once they are read', async () => {
    const { clientMemory, server } = serverWith(204_800);
    for (let i = 0; i < 5; i++) {
      const [socket] = unread(server, 90_000) as [FakeSocket];
      socket.send(encode('QUIT'));
      await settled();
      socket.isFast = true;
      socket.flush();
      await settled();
      expect(socket.writableFinished).toBe(true);
    }
    expect(clientMemory.evicted).toBe(0);
    const [one, other] = unread(server, 70_000, 80_000) as [FakeSocket, FakeSocket];
    for (const socket of [one, other]) socket.send(Buffer.concat([encode('QUIT'), Buffer.alloc(10_000)]));
    await settled();
    expect([one.destroyed, other.destroyed]).toEqual([false, true]);
  });

  test('of a transaction count while it runs, and its other commands are not run', async () => {
    const { clientMemory, server } = serverWith(409_600);
    const { socket } = fakeClient({ server });
    socket.isFast = false;
    const text = 'a'.repeat(30_000);
    const echoes = Array.from({ length: 5 }, () => encode('ECHO', text));
    for (const command of [encode('MULTI'), ...echoes]) socket.send(command);
    for (let i = 0; i < 100; i++) socket.send(encode('COMMAND', 'DOCS'));
    await settled();
    const before = server.counts.commands;
    socket.send(encode('EXEC'));
    await settled();
    expect(socket.destroyed).toBe(true);
    expect(clientMemory.evicted).toBe(1);
    expect(server.counts.commands - before).toBeLessThan(100);
  });
});

test('a client that leaves takes nothing any more', async () => {
  const { clientMemory, server } = serverWith(102_400);
  for (let i = 0; i < 5; i++) {
    const { socket } = fakeClient({ server });
    socket.send(half(140_000));
    await settled();
    socket.destroy();
    await settled();
  }
  expect(clientMemory.evicted).toBe(0);
});

test('the limit is a share of the memory beside the detectors, and holds 16 MiB and two commands at least', () => {
  const requestBytes = 2 ** 25;
  expect(clientMemoryLimit({ machineBytes: 2 ** 34, memoryBytes: 2 ** 33, requestBytes })).toBe(2 ** 31);
  expect(clientMemoryLimit({ machineBytes: 2 ** 29, memoryBytes: 2 ** 28, requestBytes })).toBe(2 ** 26);
  expect(clientMemoryLimit({ machineBytes: undefined, memoryBytes: 2 ** 28, requestBytes })).toBe(2 ** 26);
  expect(clientMemoryLimit({ memoryBytes: 2 ** 28, requestBytes: 4096 })).toBe(2 ** 24);
});

test('a large answer is told to one of those who wait for it in each turn of the event loop', async () => {
  const server = fakeServer();
  const { socket } = fakeClient({ server });
  const ask = (one: FakeSocket, ...words: string[]) => one.send(encode(...words));
  ask(socket, 'FS.CREATE', 'd', 'CLAIMS', 'MEMORY', '64KiB');
  await settled();
  ask(socket, 'FS.CLAIM', 'd', 'k', 'TOKEN', 'a');
  const waiting = [1, 2, 3].map(() => fakeClient({ server }).socket);
  for (const one of waiting) ask(one, 'FS.CLAIM', 'd', 'k', 'WAIT', '1h');
  await settled();
  ask(socket, 'FS.COMMIT', 'd', 'k', 'a', 'ANSWER', 'x'.repeat(2 ** 16));
  const toldIn = () => waiting.filter(({ written }) => written.includes('duplicate')).length;
  const told = [0];
  while (told.at(-1) !== waiting.length) {
    await new Promise((resolve) => setImmediate(resolve));
    told.push(toldIn());
  }
  expect(told.filter((count, i) => count - (told[i - 1] ?? 0) > 1)).toEqual([]);
});
