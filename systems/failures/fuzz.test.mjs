// Random commands and bytes on the ports of a running server: it does not end, it does not hang, and its memory stays what it is.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { tell } from '../../tools/report.mjs';
import { randomOf } from '../support/random.mjs';
import { Client } from './support/client.mjs';
import { fuzz, httpInput, redisInput } from './support/fuzzing.mjs';
import { asked, onlyLinux } from './support/options.mjs';
import { newFolder, remove, Server } from './support/server.mjs';

const MEBIBYTE = 2 ** 20;
const FIRST_SHARE = 0.2;
/** What the memory may grow after the first fifth of the inputs, when the detectors are there. */
const MAX_GROWTH_BYTES = 48 * MEBIBYTE;

/** A server of HTTP closes the connection after a request that it does not understand, so few of them come together. */
const ports = {
  'the protocol of Redis': { portOf: ({ port }) => port, inputOf: redisInput, together: 50 },
  HTTP: { portOf: ({ httpPort }) => httpPort, inputOf: httpInput, together: 3 },
};

describe('a server that gets random inputs', { skip: onlyLinux }, () => {
  let folder;
  let server;
  before(async () => {
    folder = newFolder();
    server = await Server.start({ folder, flags: ['--max-detectors', '50'], collects: true });
  });
  after(async () => {
    await server.kill();
    remove(folder);
  });

  for (const [name, { portOf, inputOf, together }] of Object.entries(ports)) {
    test(`goes on: ${asked.fuzzInputs} inputs of ${name}`, async () => {
      const port = portOf(server);
      const random = randomOf(asked.seed);
      const send = (share) => fuzz({ port, inputs: Math.round(asked.fuzzInputs * share), inputOf, together, random });
      assert.equal(await send(FIRST_SHARE), undefined, 'the server does not close the connection');
      const first = await server.memoryBytes();
      assert.equal(await send(1 - FIRST_SHARE), undefined, 'the server does not close the connection');
      const last = await server.memoryBytes();
      const client = await Client.open(server.port);
      assert.equal(await client.send('PING'), 'PONG');
      client.close();
      const [before, after] = [first, last].map((bytes) => Math.round(bytes / MEBIBYTE));
      tell(`${asked.fuzzInputs} inputs of ${name}`, `${before} MiB after a fifth of them, and ${after} MiB after all`);
      assert.ok(last - first < MAX_GROWTH_BYTES, `${before} MiB became ${after} MiB`);
    });
  }

  test('stops when it is asked', async () => {
    assert.equal(await server.stop(), 0);
    assert.doesNotMatch(server.output, /unexpected|Warning/);
  });
});
