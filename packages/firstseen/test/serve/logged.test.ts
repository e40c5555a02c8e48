// The space that is asked for before a change: no command logs more, also one that is a record for each of its keys.

import { expect, test, vi } from 'vitest';
import { DataFolder } from '../../src/serve/log/datafolder.js';
import type { Client } from './support/client.js';
import { dataIn, newFolder } from './support/folder.js';
import { withServer } from './support/server.js';

const ACQUIRE =
  "for i, key in ipairs(KEYS) do if redis.call('exists', key) == 1 then return 0 end end " +
  "for i, key in ipairs(KEYS) do redis.call('set', key, ARGV[1], 'PX', ARGV[2]) end return #KEYS";
/** The longest token, each of whose characters is six in JSON. */
const TOKEN = '\x01'.repeat(256);
const keys = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}:${i}`);

async function logBytes(client: Client): Promise<number> {
  return Number(/log_bytes:(\d+)/.exec((await client.send('INFO', 'persistence')) as string)?.[1]);
}

test.each([
  ['holds many keys', ['EVAL', ACQUIRE, '128', ...keys('lock', 128), TOKEN, '60000'], 128],
  ['holds keys and gives them back', ['EVAL', ACQUIRE, '128', ...keys('few', 128), TOKEN, '60000'], /E_CLAIMS_FULL/],
  ['frees many keys', ['DEL', ...keys('held', 500)], 500],
  ['removes detectors', ['DEL', ...keys('d', 40)], 40],
] as const)('a command that %s', async (_, command, reply) => {
  const asked = vi.spyOn(DataFolder.prototype, 'problemOfChange');
  await withServer(
    async (client) => {
      await client.send('FS.CREATE', 'locks', 'CLAIMS', 'LEASE', '60s', 'MEMORY', '64KiB');
      await client.send('FS.CREATE', 'few', 'CLAIMS', 'LEASE', '60s', 'MEMORY', '64KiB', 'PENDING', '120');
      for (const name of keys('d', 40)) await client.send('FS.CREATE', name, 'ALGORITHM', 'exact', 'MEMORY', '1KiB');
      for (const key of keys('held', 500)) await client.send('SET', key, 't', 'NX', 'PX', '60000');
      const before = await logBytes(client);
      const answer = await client.send(...command);
      if (reply instanceof RegExp) expect(answer).toMatch(reply);
      else expect(answer).toBe(reply);
      expect((await logBytes(client)) - before).toBeGreaterThan(0);
      expect((await logBytes(client)) - before).toBeLessThanOrEqual(asked.mock.lastCall?.[0] as number);
    },
    { maps: ['lock:*=locks,claim', 'held:*=locks,claim', 'few:*=few,claim'], data: dataIn(newFolder()) },
  );
  asked.mockRestore();
});
