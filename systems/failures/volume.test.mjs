// A volume that is not mounted when the server starts.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { tell } from '../../tools/report.mjs';
import { Client } from './support/client.mjs';
import { dataIsNotRequired } from './support/defects.mjs';
import { mountDisk } from './support/mount.mjs';
import { newFolder, remove, Server, withDefect } from './support/server.mjs';

const flags = ['--require-data', '--durability', 'always'];

describe('a volume that is not mounted', () => {
  const [volume, mountPoint] = [newFolder(), newFolder()];
  const folder = join(mountPoint, 'data');
  const { missing } = mountDisk(volume);
  const mount = () => spawnSync('mount', ['--bind', volume, mountPoint]);
  const unmount = () => spawnSync('umount', [mountPoint]);
  after(() => {
    if (!missing) {
      unmount();
      spawnSync('umount', [volume]);
    }
    for (const path of [volume, mountPoint]) remove(path);
  });

  const ask = async (...command) => {
    const server = await Server.start({ folder, flags });
    const client = await Client.open(server.port);
    const replies = [];
    for (const words of command) replies.push(await client.send(...words));
    client.close();
    await server.kill();
    return replies;
  };

  test('fails the start, which goes on where it was when the volume is mounted again', {
    skip: missing ?? false,
  }, async () => {
    mount();
    await assert.rejects(Server.start({ folder, flags }), /has no data of a server.*E_STATE_FILE/);
    Server.initialize(folder);
    await ask(['FS.CREATE', 'd', 'ALGORITHM', 'exact', 'MEMORY', '1MiB'], ['FS.OBSERVE', 'd', 'a']);
    unmount();
    await assert.rejects(Server.start({ folder, flags }), /has no data of a server.*E_STATE_FILE/);
    mount();
    assert.deepEqual(await ask(['FS.OBSERVE', 'd', 'a', 'b']), [['duplicate', 'distinct']]);
    tell('a volume that is not mounted', 'the start fails, and has all elements when it is mounted again');
  });

  test('is found out to be missed if nothing is required', { skip: missing ?? false }, async () => {
    unmount();
    const program = withDefect(dataIsNotRequired);
    try {
      const server = await Server.start({ folder: mountPoint, flags, program });
      await server.kill();
      tell('defect: data is not required', 'found: the server starts empty');
    } finally {
      remove(program);
    }
  });
});
