// Requests for a detector that exists, which expect something else.

import { expect, test } from 'vitest';
import type { Client } from './support/client.js';
import { dataIn, newFolder } from './support/folder.js';
import { withServer } from './support/server.js';

async function expectedOf(client: Client, name: string): Promise<unknown> {
  const info = (await client.send('FS.INFO', name)) as unknown[];
  const requested = info[info.indexOf('asked') + 1] as unknown[];
  return requested[requested.indexOf('distinctElements') + 1];
}

const create = (client: Client, ...options: string[]) =>
  client.send('FS.CREATE', 'd', 'ALGORITHM', 'bloom', 'MEMORY', '64KiB', ...options);

test('a later request for a detector changes what is expected of it, also after a restart', async () => {
  const folder = newFolder();
  const within = (run: (client: Client) => Promise<void>) => withServer(run, { data: dataIn(folder) });
  await within(async (client) => {
    expect(await create(client, 'EXPECT-DISTINCT', '1000')).toBe('+OK');
    await client.send('FS.OBSERVE', 'd', 'key');
    expect(await create(client, 'EXPECT-DISTINCT', '100000')).toBe('+OK');
    expect(await expectedOf(client, 'd')).toBe(100_000);
    expect(await create(client)).toBe('+OK');
    expect(await expectedOf(client, 'd')).toBe(100_000);
  });
  // From the log, and then from the snapshot that the log is replaced by.
  await within(async (client) => {
    expect(await expectedOf(client, 'd')).toBe(100_000);
    await client.send('FS.SAVE');
  });
  await within(async (client) => {
    expect(await expectedOf(client, 'd')).toBe(100_000);
    expect(await client.send('FS.OBSERVE', 'd', 'key')).toEqual(['+duplicate']);
  });
});

test('a request that is repeated is not logged again', async () => {
  const logBytes = async (client: Client) =>
    Number(/log_bytes:(\d+)/.exec((await client.send('INFO', 'persistence')) as string)?.[1]);
  await withServer(
    async (client) => {
      const request = ['FS.CREATE', 'd', 'ALGORITHM', 'sbf', 'MEMORY', '64KiB', 'GAPS', '100,200'];
      expect(await client.send(...request)).toBe('+OK');
      const before = await logBytes(client);
      expect(await client.send(...request)).toBe('+OK');
      expect(await logBytes(client)).toBe(before);
    },
    { data: dataIn(newFolder()) },
  );
});
