// A process that writes snapshots and stands still, as it does with a disk that stands still.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hasEnded, signal } from '../../tools/processes.mjs';
import { tell } from '../../tools/report.mjs';
import { Client } from './support/client.mjs';
import { standsStillForEver } from './support/defects.mjs';
import { asked, onlyLinux } from './support/options.mjs';
import { newFolder, remove, Server, withDefect } from './support/server.mjs';
import { beginSave } from './support/waiting.mjs';

const skip = onlyLinux || (asked.stalls ? false : 'takes two minutes; left out by --quick');

/** Runs with a server whose process that writes snapshots is stopped. */
async function withStopped(program, run) {
  const folder = newFolder();
  const server = await Server.start({ folder, flags: ['--durability', 'always'], program });
  const client = await Client.open(server.port);
  let child;
  try {
    await client.send('FS.CREATE', 'd', 'ALGORITHM', 'exact', 'MEMORY', '1MiB');
    await client.send('FS.OBSERVE', 'd', 'a');
    const begun = await beginSave(server);
    child = begun.child;
    signal(child, 'SIGSTOP');
    await run({ folder, server, client, child, reply: begun.reply });
  } finally {
    client.close();
    await server.kill();
    if (child) signal(child, 'SIGKILL');
    remove(folder);
  }
}

describe('a process that writes snapshots and is stopped', { skip }, () => {
  test('is killed after a minute, and another one writes them', () =>
    withStopped(undefined, async ({ server, client, child, reply }) => {
      assert.match(String(await reply), /made no progress for 60 seconds, and was killed/);
      assert.equal(hasEnded(child), true);
      assert.match(String(await client.send('INFO', 'persistence')), /failed_snapshots:1\r/);
      assert.deepEqual(await client.send('FS.OBSERVE', 'd', 'a', 'b'), ['duplicate', 'distinct']);
      assert.equal(await client.send('FS.SAVE'), 0);
      assert.equal(await server.stop(), 0);
      tell(
        'a process that writes snapshots and is stopped',
        'it is killed after 60 seconds, and the next one writes them',
      );
    }));

  test('does not keep a server that stops', () =>
    withStopped(undefined, async ({ folder, server, child }) => {
      assert.equal(await server.stop(), 0);
      assert.equal(hasEnded(child), true);
      const again = await Server.start({ folder });
      const client = await Client.open(again.port);
      assert.deepEqual(await client.send('FS.OBSERVE', 'd', 'a', 'b'), ['duplicate', 'distinct']);
      client.close();
      await again.kill();
    }));

  test('is found out if it is not killed', async () => {
    const program = withDefect(standsStillForEver);
    try {
      await withStopped(program, async ({ child, reply }) => {
        await reply;
        assert.equal(hasEnded(child), false);
        tell('defect: a process that stands still is not killed', 'found: it is there after 60 seconds');
      });
    } finally {
      remove(program);
    }
  });
});
