// A disk that is full, and has room again.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tell } from '../tools/report.mjs';
import { Client } from './support/client.mjs';
import { newFolder, remove, Server } from './support/server.mjs';

const DISK = '8m';
const KEYS = 1000;
const MOST_ROUNDS = 2000;

/** A small file system of its own, or why there is none. */
function mountDisk(folder) {
  if (process.platform !== 'linux' || process.getuid() !== 0) return { missing: 'a small disk needs Linux and root' };
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'firstseen-failures', folder]);
  return status === 0 ? {} : { missing: 'no disk can be mounted here' };
}

describe('a full disk', () => {
  const root = newFolder();
  const { missing } = mountDisk(root);
  const filler = join(root, 'filler');
  let server;
  let client;
  before(async () => {
    if (missing) return;
    const flags = ['--durability', 'always', '--log-limit', '1GiB'];
    server = await Server.start({ folder: join(root, 'data'), flags });
    client = await Client.open(server.port);
    await client.send('FS.CREATE', 'd', 'ALGORITHM', 'exact', 'MEMORY', '1MiB');
    const { bavail, bsize } = statfsSync(root);
    writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - 2 ** 18)));
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
    const acknowledged = [];
    const other = await Client.open(server.port);
    let reply;
    let keys;
    for (let round = 0; !(reply instanceof Error) && round < MOST_ROUNDS; round++) {
      keys = Array.from({ length: KEYS }, (_, i) => `${round}-${i}`);
      // What was changed can be written, so no reply waits for the disk.
      reply = await client.send('FS.OBSERVE', 'd', ...keys);
      if (Array.isArray(reply)) acknowledged.push(...keys);
    }
    assert.match(String(reply), /MISCONF the log cannot be written/);
    // Nothing of what was refused was made, so that who repeats it is told the truth.
    assert.deepEqual(new Set(await other.send('FS.TEST', 'd', ...keys)), new Set(['distinct']));
    assert.deepEqual(await other.send('FS.TEST', 'd', acknowledged[0], acknowledged.at(-1)), [
      'duplicate',
      'duplicate',
    ]);
    rmSync(filler);
    assert.ok(!existsSync(filler));
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
});
