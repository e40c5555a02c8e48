// What clients have sent and the server has not answered is limited for all of them together.

import { expect, test } from 'vitest';
import { ClientMemory, clientMemoryLimit } from '../../src/serve/clientmemory.js';
import { encode } from './support/client.js';
import { fakeClient, fakeServer, settled } from './support/fakesocket.js';

/** A command that is not whole: half of a key of so many bytes. */
function half(bytes: number): Buffer {
  return Buffer.concat([Buffer.from(`*3\r\n$7\r\nFS.TEST\r\n$1\r\nd\r\n$${bytes}\r\n`), Buffer.alloc(bytes / 2, 'a')]);
}

const REFUSAL = /^-ERR the clients together have sent more than 100KiB that is not answered yet, .*; send smaller/;

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
  for (let i = 0; i < 5; i++) sending.socket.send(encode('ECHO', 'a'.repeat(90_000)));
  await settled();
  expect(clientMemory.evicted).toBe(0);
  for (let i = 0; i < 2; i++) queueing.socket.send(encode('ECHO', 'a'.repeat(30_000)));
  await settled();
  expect(queueing.socket.written).toMatch(/\r\n-ERR the clients together/);
  expect(sending.socket.writableEnded).toBe(false);
  expect(clientMemory.evicted).toBe(1);
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

test('the limit is a share of the memory beside the detectors, and holds two commands at least', () => {
  const requestBytes = 2 ** 25;
  expect(clientMemoryLimit({ machineBytes: 2 ** 34, memoryBytes: 2 ** 33, requestBytes })).toBe(2 ** 31);
  expect(clientMemoryLimit({ machineBytes: 2 ** 29, memoryBytes: 2 ** 28, requestBytes })).toBe(2 ** 26);
  expect(clientMemoryLimit({ machineBytes: undefined, memoryBytes: 2 ** 28, requestBytes })).toBe(2 ** 26);
});
