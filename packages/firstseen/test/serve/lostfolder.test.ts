// A data folder that is not the server's any more: it was removed or moved away, or another process took it while this one was stopped.

import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Client, type Read } from './support/client.js';
import { type Data, dataIn, newFolder } from './support/folder.js';
import { withServer } from './support/server.js';

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
