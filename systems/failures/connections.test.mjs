// Clients that do not do what clients do: they send half a command, a byte at a time, or do not read. The others are answered, and the
// memory of the server stays what it is.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tell } from '../../tools/report.mjs';
import { Client, encoded } from './support/client.mjs';
import { asked, onlyLinux } from './support/options.mjs';
import { Server } from './support/server.mjs';

const MEBIBYTE = 2 ** 20;
/** What a connection with half a command may take. */
const MAX_CONNECTION_BYTES = 24 * 1024;
/** What a client that does not read may take: what is sent to it, and what it has sent. */
const MAX_UNREAD_BYTES = MEBIBYTE;
/** What the collector of garbage may leave, and what the second round may add to the memory of the first one. */
const MAX_GROWTH_BYTES = 24 * MEBIBYTE;
const SETTLE_MILLISECONDS = 300;

function opened(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(socket));
    socket.on('error', reject);
  });
}

async function openMany(port, count) {
  const sockets = [];
  while (sockets.length < count) {
    const some = Math.min(200, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: some }, () => opened(port)))));
  }
  return sockets;
}

function closeAll(sockets) {
  return Promise.all(
    sockets.map((socket) => {
      socket.destroy();
      return new Promise((resolve) => socket.once('close', resolve));
    }),
  );
}

describe('clients that misbehave', { skip: onlyLinux }, () => {
  let server;
  let client;
  before(async () => {
    server = await Server.start({ flags: ['--max-connections', '20000'], collects: true });
    client = await Client.open(server.port);
    await client.send('FS.CREATE', 'd', 'ALGORITHM', 'bloom', 'MEMORY', '1MiB');
  });
  after(async () => {
    client.close();
    await server.kill();
  });

  const answers = async () => assert.equal(await client.send('PING'), 'PONG');
  /** The memory while connections are open that have sent all they send. They are closed then, and others are answered in both cases. */
  const settled = async (sockets) => {
    await sleep(SETTLE_MILLISECONDS);
    await answers();
    const bytes = await server.memoryBytes();
    await closeAll(sockets);
    await answers();
    return bytes;
  };

  /** The memory before a round, in it, and how much more the round takes once more. One before takes what a program takes once, such as compiled code. */
  const memoryOf = async (round) => {
    const once = await round();
    const before = await server.memoryBytes();
    const first = await round();
    // Otherwise what the first round has left would be beside what the second one takes.
    await server.memoryBytes();
    const second = await round();
    // What the system has not taken back yet differs from round to round.
    return { before, first, more: second - Math.max(once, first) };
  };

  test(`${asked.halfOpen} connections with half a command take little memory, and no more the second time`, async () => {
    const half = encoded(['FS.OBSERVE', 'd', 'key']).subarray(0, 20);
    const { before, first, more } = await memoryOf(async () => {
      const sockets = await openMany(server.port, asked.halfOpen);
      for (const socket of sockets) socket.write(half);
      return settled(sockets);
    });
    const each = Math.round((first - before) / asked.halfOpen);
    tell(
      `${asked.halfOpen} half-open connections`,
      `${each} bytes each; ${Math.round(more / MEBIBYTE)} MiB more the second time`,
    );
    assert.ok(each < MAX_CONNECTION_BYTES, `${each} bytes for each connection`);
    assert.ok(more < MAX_GROWTH_BYTES, `${more} bytes more the second time`);
  });

  test(`${asked.slow} clients that send a byte at a time are answered, and so are the others`, async () => {
    const sockets = await openMany(server.port, asked.slow);
    const command = encoded(['FS.TEST', 'd', 'slow']);
    const replies = sockets.map(
      (socket) => new Promise((resolve) => socket.once('data', (data) => resolve(String(data)))),
    );
    for (const byte of command) {
      for (const socket of sockets) socket.write(Buffer.of(byte));
      await answers();
    }
    for (const reply of await Promise.all(replies)) assert.equal(reply, '*1\r\n+distinct\r\n');
    await closeAll(sockets);
  });

  test(`${asked.slow} clients that do not read are not read from, and take no more memory the second time`, async () => {
    const command = Buffer.concat(Array(500).fill(encoded(['ECHO', 'x'.repeat(1000)])));
    const { before, first, more } = await memoryOf(async () => {
      const sockets = await openMany(server.port, asked.slow);
      for (const socket of sockets) {
        socket.pause();
        // More than the buffers of the system and of the server take together.
        for (let i = 0; i < 40; i++) socket.write(command);
      }
      return settled(sockets);
    });
    const grown = first - before;
    tell(
      `${asked.slow} clients that do not read`,
      `${Math.round(grown / MEBIBYTE)} MiB for all; ${Math.round(more / MEBIBYTE)} MiB more the second time`,
    );
    assert.ok(grown < MAX_GROWTH_BYTES + asked.slow * MAX_UNREAD_BYTES, `${grown} bytes for all`);
    assert.ok(more < MAX_GROWTH_BYTES, `${more} bytes more the second time`);
  });
});
