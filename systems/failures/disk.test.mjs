// A disk that is full, and has room again.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tell } from '../../tools/report.mjs';
import { Client } from './support/client.mjs';
import { noSpaceIsTaken } from './support/defects.mjs';
import { mountDisk } from './support/mount.mjs';
import { newFolder, remove, Server, withDefect } from './support/server.mjs';

const KEYS = 1000;
const MAX_ROUNDS = 2000;
/** Longer than any reply takes that does not wait for the disk. */
const HELD_MILLISECONDS = 5000;
const FILLER = 'filler';

/** A server on a small disk of which little is free, with a detector and a client. */
async function startOnSmallDisk(root, options = {}) {
  const flags = ['--durability', 'always', '--log-limit', '1GiB'];
  const server = await Server.start({ folder: join(root, 'data'), flags, ...options });
  const client = await Client.open(server.port);
  await client.send('FS.CREATE', 'd', 'ALGORITHM', 'exact', 'MEMORY', '4MiB');
  const { bavail, bsize } = statfsSync(root);
  writeFileSync(join(root, FILLER), Buffer.alloc(Math.max(0, bavail * bsize - 2 ** 18)));
  return { server, client };
}

/** Observes keys until they are not acknowledged. @returns those that were, and the last ones with the reply, which is `held` if there is none */
async function observeUntilFull(client) {
  const acknowledged = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const keys = Array.from({ length: KEYS }, (_, i) => `${round}-${i}`);
    const reply = await Promise.race([client.send('FS.OBSERVE', 'd', ...keys), sleep(HELD_MILLISECONDS, 'held')]);
    if (!Array.isArray(reply)) return { acknowledged, keys, reply };
    acknowledged.push(...keys);
  }
  throw new Error('the disk is not full');
}

describe('a full disk', () => {
  const root = newFolder();
  const { missing } = mountDisk(root);
  const filler = join(root, FILLER);
  let server;
  let client;
  before(async () => {
    if (missing) return;
    ({ server, client } = await startOnSmallDisk(root));
  });
  after(async () => {
    client?.close();
    await server?.kill();
    if (!missing) spawnSync('umount', [root]);
    remove(root);
  });

  test('refuses changes, answers questions, goes on by itself, and forgets nothing', {
    skip: missing ?? false,
  }, async () => {
    const other = await Client.open(server.port);
    const { acknowledged, keys, reply: refusal } = await observeUntilFull(client);
    assert.match(String(refusal), /MISCONF the log cannot be written/);
    // Nothing of what was refused was made, so that who repeats it is told the truth.
    assert.deepEqual(new Set(await other.send('FS.TEST', 'd', ...keys)), new Set(['distinct']));
    assert.deepEqual(await other.send('FS.TEST', 'd', acknowledged[0], acknowledged.at(-1)), [
      'duplicate',
      'duplicate',
    ]);
    rmSync(filler);
    assert.ok(!existsSync(filler));
    let reply;
    do reply = await other.send('FS.OBSERVE', 'd', 'after');
    while (reply instanceof Error && (await sleep(50, true)));
    acknowledged.push('after');
    other.close();
    client.close();
    await server.kill();
    server = await Server.start({ folder: join(root, 'data'), flags: ['--durability', 'always'] });
    client = await Client.open(server.port);
    for (let i = 0; i < acknowledged.length; i += KEYS) {
      const answers = await client.send('FS.TEST', 'd', ...acknowledged.slice(i, i + KEYS));
      assert.ok(answers.every((answer) => answer === 'duplicate'));
    }
    assert.deepEqual(new Set(await client.send('FS.TEST', 'd', ...keys)), new Set(['distinct']));
    tell('a full disk', `changes are refused, and ${acknowledged.length} keys that were acknowledged are there`);
  });

  test('is found out if no space is taken ahead', { skip: missing ?? false }, async () => {
    const folder = newFolder();
    mountDisk(folder);
    const program = withDefect(noSpaceIsTaken);
    const { server: defective, client: asking } = await startOnSmallDisk(folder, { program });
    try {
      const { reply } = await observeUntilFull(asking);
      assert.equal(reply, 'held');
      tell('defect: no space is taken ahead', 'found: a reply is held');
    } finally {
      asking.close();
      await defective.kill();
      spawnSync('umount', [folder]);
      remove(folder);
      remove(program);
    }
  });
});
