// Connections that read into one buffer answer as if each had its own.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { sharingReads } from '../../src/serve/security/sharedreads.js';
import { Client, encode } from './support/client.js';
import { withServer } from './support/server.js';

/** A pipeline with commands of each form, and its replies. All have the letter. */
function pipelineOf(letter: string) {
  const [short, long] = [letter, letter.repeat(12)];
  const commands = [
    encode('ECHO', long),
    encode('ECHO', short),
    Buffer.from(`ECHO "${letter}\\x41"\r\n`),
    encode('MULTI'),
    encode('ECHO', long),
    encode('EXEC'),
  ];
  return { bytes: Buffer.concat(commands), replies: [long, short, `${letter}A`, '+OK', '+QUEUED', [long]] };
}

test('two clients whose pipelines are cut at any byte get their own replies', () =>
  withServer(async (one, { port }) => {
    const other = await Client.open(port);
    const pipelines = [pipelineOf('a'), pipelineOf('b')] as const;
    const clients = [one, other] as const;
    for (let at = 1; at < pipelines[0].bytes.length; at++) {
      for (const [i, { socket }] of clients.entries()) socket.write(pipelines[i]?.bytes.subarray(0, at) as Buffer);
      // A third client is answered after what came before it was read.
      const last = await Client.open(port);
      expect(await last.send('ECHO', 'c'.repeat(200))).toBe('c'.repeat(200));
      last.close();
      for (const [i, { socket }] of clients.entries()) socket.write(pipelines[i]?.bytes.subarray(at) as Buffer);
      for (const [i, client] of clients.entries()) {
        expect(await client.take(6), `cut at ${at}`).toEqual(pipelines[i]?.replies);
      }
    }
    other.close();
  }));

test('commands after one that takes time are not overwritten', () =>
  withServer(async (one, { port }) => {
    const other = await Client.open(port);
    const made = Array.from({ length: 10 }, (_, i) => [
      encode('FS.CREATE', `d${i}`, 'MEMORY', '64KiB'),
      encode('ECHO', `after ${i}`),
    ]).flat();
    one.socket.write(Buffer.concat(made));
    const replies = one.take(20);
    for (let i = 0; i < 20; i++) expect(await other.send('ECHO', 'b'.repeat(1000))).toBe('b'.repeat(1000));
    expect(await replies).toEqual(Array.from({ length: 10 }, (_, i) => ['+OK', `after ${i}`]).flat());
    other.close();
  }));

/** Lets a server of the system answer what a client sends, and end as the client does. */
async function echoed(text: string, accepted: (socket: Socket) => void = () => undefined): Promise<string> {
  const sharing = sharingReads((socket) => {
    socket.on('data', (chunk: Buffer) => socket.write(chunk.toString('latin1'), 'latin1'));
    socket.on('end', () => socket.end());
  });
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    accepted(socket);
    sharing(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  client.end(text);
  let answer = '';
  client.on('data', (chunk) => {
    answer += chunk;
  });
  await once(client, 'close');
  // Only once the connection is no longer counted.
  await new Promise((resolve) => server.close(resolve));
  return answer;
}

test('a socket that shares its reads gets what is sent, and its server ends', async () => {
  expect(await echoed('a'.repeat(300_000))).toBe('a'.repeat(300_000));
});

test('sockets of this Node share their reads', async () => {
  const handles: unknown[] = [];
  const note = (socket: Socket) => {
    handles.push((socket as unknown as { _handle: { useUserBuffer: unknown } })._handle.useUserBuffer);
  };
  await echoed('a', note);
  expect(handles).toEqual([expect.any(Function)]);
});

test('a socket that cannot have a buffer reads as before', async () => {
  const withhold = (socket: Socket) => {
    (socket as unknown as { _handle: { useUserBuffer: unknown } })._handle.useUserBuffer = undefined;
  };
  expect(await echoed('a'.repeat(300_000), withhold)).toBe('a'.repeat(300_000));
});

test('what comes while a socket is paused is kept, and the end of the client is seen', async () => {
  let chunks = '';
  const sharing = sharingReads((socket) => {
    socket.pause();
    socket.on('data', (chunk: Buffer) => {
      chunks += chunk.toString('latin1');
    });
    socket.on('end', () => socket.end());
    setTimeout(() => socket.resume(), 10);
  });
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, sharing);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clients = ['a', 'b'].map((letter) => connect({ port, host: '127.0.0.1' }).end(letter.repeat(1000)));
  await Promise.all(clients.map((client) => once(client.resume(), 'close')));
  await new Promise((resolve) => server.close(resolve));
  expect([...chunks].sort().join('')).toBe('a'.repeat(1000) + 'b'.repeat(1000));
});
