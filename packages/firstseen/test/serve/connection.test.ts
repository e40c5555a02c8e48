// What a connection does with clients that are slow, silent, gone or hostile.

import { connect } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { CommandParser } from '../../src/serve/resp/parser.js';
import { DetectorStore } from '../../src/serve/store/store.js';
import { Client, encode } from './support/client.js';
import { fakeClient, fakeServer, settled } from './support/fakesocket.js';
import { withServer } from './support/server.js';

/** A store whose new detectors wait until the test lets them be made. */
function storeThatWaits() {
  const server = fakeServer();
  const create = vi.spyOn(server.store, 'create');
  let makeIt: (error?: Error) => void = () => undefined;
  create.mockImplementation(
    () =>
      new Promise((resolve, reject) => {
        makeIt = (error) => (error ? reject(error) : resolve('created'));
      }),
  );
  return { server, create, make: (error?: Error) => makeIt(error) };
}

describe('a command that waits', () => {
  test('is not run again when the replies before it are away', async () => {
    const { server, create, make } = storeThatWaits();
    const { socket } = fakeClient({ highWaterMark: 10, server });
    socket.isFast = false;
    socket.send(
      Buffer.concat([encode('ECHO', 'more than ten bytes'), encode('FS.CREATE', 'd'), encode('ECHO', 'after')]),
    );
    await settled();
    socket.flush();
    await settled();
    expect(create).toHaveBeenCalledTimes(1);
    expect(socket.written).toBe('$19\r\nmore than ten bytes\r\n');
    socket.isFast = true;
    make();
    await settled();
    expect(socket.written).toBe('$19\r\nmore than ten bytes\r\n+OK\r\n$5\r\nafter\r\n');
    expect(create).toHaveBeenCalledTimes(1);
  });

  test('is answered before what the client sends while it waits', async () => {
    const { server, make } = storeThatWaits();
    const { socket } = fakeClient({ server });
    socket.send(encode('FS.CREATE', 'd'));
    await settled();
    socket.send(encode('PING'));
    await settled();
    expect(socket.written).toBe('');
    make();
    await settled();
    expect(socket.written).toBe('+OK\r\n+PONG\r\n');
  });

  test('ends with the connection, and the commands after it are not run', async () => {
    const { server, create, make } = storeThatWaits();
    const { socket } = fakeClient({ server });
    socket.send(Buffer.concat([encode('FS.CREATE', 'd'), encode('FS.CREATE', 'e')]));
    await settled();
    socket.destroy();
    make();
    await settled();
    expect(create).toHaveBeenCalledTimes(1);
  });

  test('is answered after the client has closed its side', async () => {
    const { server, make } = storeThatWaits();
    const { socket } = fakeClient({ server });
    socket.send(Buffer.concat([encode('FS.CREATE', 'd'), encode('PING')]));
    socket.push(null);
    await settled();
    make();
    await settled();
    expect(socket.written).toBe('+OK\r\n+PONG\r\n');
    expect(socket.writableEnded).toBe(true);
  });
});

describe('an error that no command expects', () => {
  const problem = new TypeError('out of the blue');

  test('is answered, ends the connection and no other', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const server = fakeServer();
    vi.spyOn(DetectorStore.prototype, 'find').mockImplementationOnce(() => {
      throw problem;
    });
    const { socket } = fakeClient({ server });
    socket.send(Buffer.concat([encode('PING'), encode('BF.EXISTS', 'f', 'a'), encode('PING')]));
    await settled();
    expect(socket.written).toBe('+PONG\r\n-ERR the server failed: out of the blue\r\n');
    expect(socket.writableEnded).toBe(true);
    expect(warn).toHaveBeenCalledWith(problem);
    warn.mockRestore();
  });

  test('of a command that took time, too', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const { server, make } = storeThatWaits();
    const { socket } = fakeClient({ server });
    socket.send(Buffer.concat([encode('FS.CREATE', 'd'), encode('PING')]));
    await settled();
    make(problem);
    await settled();
    expect(socket.written).toBe('-ERR the server failed: out of the blue\r\n');
    expect(socket.writableEnded).toBe(true);
    warn.mockRestore();
  });
});

describe('a client that does not close its side', () => {
  test('sends nothing that is kept after an error of the protocol', async () => {
    const push = vi.spyOn(CommandParser.prototype, 'push');
    const { socket } = fakeClient();
    socket.send('*1\r\n#');
    await settled();
    expect(socket.written).toBe("-ERR Protocol error: expected '$', got '#'\r\n");
    push.mockClear();
    for (let i = 0; i < 100; i++) socket.send(Buffer.alloc(1000));
    await settled();
    expect(push).not.toHaveBeenCalled();
    expect(socket.readableLength).toBe(0);
    push.mockRestore();
  });

  test('is closed after QUIT', () =>
    withServer(async (client, { port }) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => undefined);
      socket.write(encode('QUIT'));
      const ended = new Promise((resolve) => socket.on('end', resolve));
      socket.resume();
      await ended;
      const isAlone = async () => String(await client.send('INFO', 'clients')).includes('connected_clients:1');
      await vi.waitUntil(isAlone, { timeout: 60_000 });
      socket.destroy();
    }));

  test('does not keep the server from stopping, whether it reads or not', async () => {
    await withServer(async (client, { port }) => {
      const idle = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      idle.on('error', () => undefined);
      idle.pause();
      for (let i = 0; i < 200; i++) idle.write(encode('ECHO', 'x'.repeat(100_000)));
      const other = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      other.on('error', () => undefined);
      expect(await client.send('PING')).toBe('+PONG');
    });
  });
});

test('a client that ends in the middle of a command is closed', () =>
  withServer(async (_, { port }) => {
    for (const part of ['*2\r\n$4\r\nEC', '*', 'PI', '*1\r\n$4\r\nPING\r']) {
      const client = await Client.open(port);
      client.socket.end(part);
      expect(await client.next()).toBeUndefined();
    }
  }));
