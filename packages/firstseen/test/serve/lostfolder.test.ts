// A data folder that is not the server's any more: it was removed or moved away, or another process took it while this one was stopped.

import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serve } from '../../src/serve/server.js';
import { Client, type Read } from './support/client.js';
import { type Data, dataIn, elementsAfterStart, newFolder } from './support/folder.js';
import { ask } from './support/http.js';
import { testServer, withServer } from './support/server.js';

const losses: Readonly<Record<string, (folder: string) => void>> = {
  removed: (folder) => rmSync(folder, { recursive: true }),
  'moved away': (folder) => renameSync(folder, join(newFolder(), 'moved')),
  'without its lock': (folder) => rmSync(join(folder, 'firstseen.json.lock'), { recursive: true }),
};

/** Runs while the clock shows a later time. */
async function later(run: () => Promise<void>): Promise<void> {
  const now = Date.now;
  Date.now = () => now() + 5000;
  try {
    await run();
  } finally {
    Date.now = now;
  }
}

for (const [what, lose] of Object.entries(losses)) {
  test.each(['always', 'interval'] satisfies Data['durability'][])(
    `a server whose folder is ${what} acknowledges nothing any more, and says so (%s)`,
    async (durability) => {
      const folder = newFolder();
      await withServer(
        async (client, { failed, port }) => {
          await client.send('FS.CREATE', 'd', 'memory', '64KiB');
          lose(folder);
          let reply: Read | undefined;
          await later(async () => {
            client.send('FS.OBSERVE', 'd', 'a').then((answer) => {
              reply = answer;
            });
            await expect(failed).rejects.toMatchObject({
              code: 'E_STATE_FILE',
              message: expect.stringMatching(/lost the lock/),
            });
          });
          const other = await Client.open(port);
          expect(await other.send('FS.OBSERVE', 'd', 'b')).toMatch(/^-MISCONF/);
          other.close();
          expect(reply).toBe(undefined);
        },
        { data: dataIn(folder, { durability }) },
      );
    },
  );
}

test("no other log begins in a folder that is not the server's", async () => {
  const folder = newFolder();
  await withServer(
    async (client) => {
      await client.send('FS.CREATE', 'd', 'memory', '64KiB');
      rmSync(join(folder, 'firstseen.json.lock'), { recursive: true });
      expect(await client.send('FS.SAVE')).toMatch(/^-ERR lost the lock/);
    },
    { data: dataIn(folder) },
  );
});

/** The log that a server writes in a new folder. */
const FIRST_LOG = 'log-000000000001';

const replacements: Readonly<Record<string, (folder: string) => void>> = {
  'whose log is removed': (folder) => rmSync(join(folder, FIRST_LOG)),
  'that a copy replaces': (folder) => {
    renameSync(folder, `${folder}.old`);
    cpSync(`${folder}.old`, folder, { recursive: true });
  },
};

for (const [what, replace] of Object.entries(replacements)) {
  test(`a server with a folder ${what} makes no change, tells it, and gives what it has in memory`, async () => {
    const folder = newFolder();
    const warnings: string[] = [];
    const onWarning = (message: string) => warnings.push(message);
    const server = await serve({ ...testServer, httpPort: 0, onWarning, data: dataIn(folder) });
    const client = await Client.open(server.port);
    await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '64KiB');
    await client.send('FS.CREATE', 'large', 'algorithm', 'bloom', 'memory', '8MiB');
    await client.send('FS.ADD', 'd', 'a');
    replace(folder);
    // What changes until the log is looked for is not acknowledged, and the replies wait.
    await later(async () => {
      void client.send('FS.ADD', 'd', 'b').catch(() => undefined);
      const other = await Client.open(server.port);
      while ((await ask(server.httpPort as number, 'GET', '/metrics')).text.includes('\nfirstseen_log_writable 1'));
      expect(await other.send('FS.ADD', 'd', 'c')).toMatch(/^-MISCONF .*log-000000000001 was removed or replaced/);
      expect(await other.send('FS.TEST', 'd', 'a')).toEqual(['+duplicate']);
      expect(await other.send('FS.SAVE')).toMatch(/was removed or replaced.*GET \/detectors\/NAME\/snapshot/);
      for (const name of ['d', 'large']) {
        const { status } = await ask(server.httpPort as number, 'GET', `/detectors/${name}/snapshot`);
        expect([name, status]).toEqual([name, 200]);
      }
      other.close();
    });
    expect(warnings).toEqual([expect.stringMatching(/was removed or replaced while the server ran; memory has/)]);
    client.close();
    await expect(server.close()).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  });
}

test('a start tells whether what it cut off was acknowledged', async () => {
  const folder = newFolder();
  await withServer((client) => client.send('FS.CREATE', 'd', 'memory', '64KiB').then(() => undefined), {
    data: dataIn(folder),
  });
  rmSync(join(folder, FIRST_LOG));
  expect(await elementsAfterStart(folder)).toBe('E_STATE_FILE');
  await withServer(async (_client, { recovered }) => expect(recovered?.cut).toBe('acknowledged'), {
    data: dataIn(folder, { onDamage: 'cut' }),
  });
  await withServer(async (_client, { recovered }) => expect(recovered?.cut).toBe(undefined), { data: dataIn(folder) });
});
