// A wall clock that goes forward and back, while the server runs and between two starts.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tell } from '../../tools/report.mjs';
import { Client } from './support/client.mjs';
import { tokenIsNotCompared } from './support/defects.mjs';
import { newFolder, remove, Server, withDefect } from './support/server.mjs';

const HOUR = 3_600_000;
const LEASE = 60_000;
const clockModule = new URL('./support/clock.mjs', import.meta.url).href;

describe('a clock that is changed', () => {
  let root;
  let server;
  let client;
  const setClock = (milliseconds) => writeFileSync(join(root, 'clock'), String(milliseconds));
  const start = async () => {
    const environment = { FAILURES_CLOCK: join(root, 'clock'), NODE_OPTIONS: `--import=${clockModule}` };
    const flags = ['--durability', 'always'];
    server = await Server.start({ folder: join(root, 'data'), flags, environment });
    client = await Client.open(server.port);
  };
  const restart = async () => {
    client.close();
    await server.kill();
    await start();
  };

  before(async () => {
    root = newFolder();
    setClock(0);
    await start();
    await client.send('FS.CREATE', 'window', 'ALGORITHM', 'exactwindow', 'WINDOW', '1h', 'MEMORY', '64KiB');
    await client.send('FS.CREATE', 'work', 'CLAIMS', 'LEASE', String(LEASE), 'MEMORY', '64KiB');
  });
  after(async () => {
    client.close();
    await server.kill();
    remove(root);
  });

  const observe = (...keys) => client.send('FS.OBSERVE', 'window', ...keys);

  test('moves a window forward, and not back', async () => {
    assert.deepEqual(await observe('a', 'a'), ['distinct', 'duplicate']);
    setClock(2 * HOUR);
    assert.deepEqual(await observe('a', 'b'), ['distinct', 'distinct']);
    setClock(0);
    assert.deepEqual(await observe('a', 'b', 'c'), ['duplicate', 'duplicate', 'distinct']);
    await restart();
    assert.deepEqual(await observe('a', 'b', 'c'), ['duplicate', 'duplicate', 'duplicate']);
    setClock(4 * HOUR);
    await restart();
    assert.deepEqual(await observe('a'), ['distinct']);
    setClock(0);
  });

  test('does not end leases of a server that runs', async () => {
    await client.send('FS.CLAIM', 'work', 'k', 'TOKEN', 'one');
    for (const clock of [HOUR, -HOUR, 0]) {
      setClock(clock);
      const [verdict, left] = await client.send('FS.CLAIM', 'work', 'k', 'TOKEN', 'other');
      assert.equal(verdict, 'pending');
      assert.ok(left <= LEASE, `${left} ms are left`);
    }
  });

  test('never makes a lease longer than it was asked for, also after a start', async () => {
    await client.send('FS.CLAIM', 'work', 'later', 'TOKEN', 'one');
    setClock(-HOUR);
    await restart();
    const [verdict, left] = await client.send('FS.CLAIM', 'work', 'later', 'TOKEN', 'other');
    assert.equal(verdict, 'pending');
    assert.ok(left <= LEASE, `${left} ms are left`);
    assert.equal(await client.send('FS.COMMIT', 'work', 'later', 'one'), 1);
    setClock(0);
  });
});

/** What a commit of a holder whose lease has ended is answered, after another one has claimed the key. */
async function lateCommit(program) {
  const server = await Server.start(program ? { program } : {});
  const client = await Client.open(server.port);
  await client.send('FS.CREATE', 'work', 'CLAIMS', 'MEMORY', '64KiB');
  await client.send('FS.CLAIM', 'work', 'k', 'TOKEN', 'late', 'LEASE', '20');
  await sleep(50);
  await client.send('FS.CLAIM', 'work', 'k', 'TOKEN', 'next', 'LEASE', '60000');
  const committed = await client.send('FS.COMMIT', 'work', 'k', 'late');
  const [verdict] = await client.send('FS.CLAIM', 'work', 'k', 'TOKEN', 'third');
  client.close();
  await server.kill();
  return { committed, verdict };
}

describe('a holder that is late', () => {
  test('commits nothing after another one has claimed', async () => {
    const late = await lateCommit();
    assert.deepEqual(late, { committed: 0, verdict: 'pending' });
    tell('a late commit', `answers ${late.committed}, and the key is ${late.verdict}`);
  });

  test('would commit if tokens were not compared', async () => {
    const program = withDefect(tokenIsNotCompared);
    try {
      assert.notDeepEqual(await lateCommit(program), { committed: 0, verdict: 'pending' });
    } finally {
      remove(program);
    }
  });
});
