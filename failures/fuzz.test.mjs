// Random commands and bytes on the ports of a running server: it does not end, it does not hang, and its memory stays what it is.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from './support/client.mjs';
import { fuzz, httpInput, redisInput } from './support/fuzzing.mjs';
import { asked, onlyLinux, tell } from './support/options.mjs';
import { randomOf } from './support/random.mjs';
import { newFolder, remove, Server } from './support/server.mjs';

const MEBIBYTE = 2 ** 20;
/** What the memory may grow after the first fifth of the inputs, when the detectors are there. */
const MOST_GROWTH_BYTES = 96 * MEBIBYTE;

const ports = {
  'the protocol of Redis': { portOf: ({ port }) => port, inputOf: redisInput },
  HTTP: { portOf: ({ httpPort }) => httpPort, inputOf: httpInput },
};

describe('a server that gets random inputs', { skip: onlyLinux }, () => {
  let folder;
  let server;
  before(async () => {
    folder = newFolder();
    server = await Server.start({ folder, flags: ['--max-detectors', '50'] });
  });
  after(async () => {
    await server.kill();
    remove(folder);
  });

  for (const [name, { portOf, inputOf }] of Object.entries(ports)) {
    test(`goes on: ${asked.fuzzInputs} inputs of ${name}`, async () => {
      const port = portOf(server);
      let [first, most] = [0, 0];
      const onConnection = (sent) => {
        const bytes = server.residentBytes;
        if (sent <= asked.fuzzInputs / 5) first = Math.max(first, bytes);
        most = Math.max(most, bytes);
      };
      const random = randomOf(asked.seed);
      const hanging = await fuzz({ port, inputs: asked.fuzzInputs, inputOf, random, onConnection });
      assert.equal(hanging, undefined, 'the server does not close the connection');
      const client = await Client.open(server.port);
      assert.equal(await client.send('PING'), 'PONG');
      client.close();
      const [before, after] = [first, most].map((bytes) => Math.round(bytes / MEBIBYTE));
      tell(
        `${asked.fuzzInputs} inputs of ${name}`,
        `at most ${before} MiB after a fifth of them, and ${after} MiB after all`,
      );
      assert.ok(most - first < MOST_GROWTH_BYTES, `${before} MiB became ${after} MiB`);
    });
  }

  test('stops when it is asked', async () => {
    assert.equal(await server.stop(), 0);
    assert.doesNotMatch(server.output, /unexpected|Warning/);
  });
});
