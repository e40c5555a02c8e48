import { expect, test } from 'vitest';
import { serve } from '../../src/serve/server.js';
import { Client, type Read } from './support/client.js';
import { dataIn, newFolder } from './support/folder.js';
import { testServer, withServer } from './support/server.js';

/** Whether a detector is keyed, as FS.INFO tells it. */
async function isKeyed(client: Client, name: string): Promise<boolean> {
  const info = (await client.send('FS.INFO', name)) as Read[];
  return info[info.indexOf('keyed') + 1] === 1;
}

test('a server that makes keyed detectors does so unless they say otherwise', () =>
  withServer(
    async (client) => {
      const create = (name: string, ...words: string[]) => client.send('FS.CREATE', name, 'memory', '4KiB', ...words);
      expect(await create('said nothing')).toBe('+OK');
      expect(await create('with a secret', 'keyed')).toBe('+OK');
      expect(await create('siphash', 'fingerprint', 'siphash')).toBe('+OK');
      expect(await create('xxh64', 'fingerprint', 'xxh64')).toBe('+OK');
      expect(await client.send('BF.RESERVE', 'filter', '0.01', '100')).toBe('+OK');
      for (const name of ['said nothing', 'with a secret', 'siphash', 'filter'])
        expect(await isKeyed(client, name)).toBe(true);
      expect(await isKeyed(client, 'xxh64')).toBe(false);
      // The same options again.
      expect(await create('said nothing')).toBe('+OK');
      expect(await create('said nothing', 'keyed')).toBe('+OK');
      expect(await create('with a secret')).toBe('+OK');
      expect(await create('xxh64', 'fingerprint', 'xxh64')).toBe('+OK');
      expect(await create('xxh64', 'keyed')).toMatch(/exists with other options: .*no secret, not a secret/);
      expect(await create('said nothing', 'fingerprint', 'xxh64')).toMatch(/exists with other options/);
    },
    { keyed: 'always' },
  ));

test('a detector that did not say whether it is keyed stays what it is when the server changes', async () => {
  const data = dataIn(newFolder());
  const started = async (keyed: boolean, run: (client: Client) => Promise<void>) => {
    const server = await serve({ ...testServer, data, keyed: keyed ? 'always' : 'never' });
    const client = await Client.open(server.port);
    await run(client);
    client.close();
    await server.close();
  };
  const create = (client: Client, name: string, ...words: string[]) =>
    client.send('FS.CREATE', name, 'memory', '4KiB', ...words);
  await started(false, async (client) => {
    expect(await create(client, 'plain')).toBe('+OK');
    expect(await client.send('FS.OBSERVE', 'plain', 'a')).toEqual(['+distinct']);
  });
  await started(true, async (client) => {
    expect(await create(client, 'plain')).toBe('+OK');
    expect(await isKeyed(client, 'plain')).toBe(false);
    expect(await client.send('FS.OBSERVE', 'plain', 'a')).toEqual(['+duplicate']);
    expect(await create(client, 'made keyed')).toBe('+OK');
    expect(await create(client, 'asked keyed', 'keyed')).toBe('+OK');
    expect(await client.send('FS.OBSERVE', 'made keyed', 'a')).toEqual(['+distinct']);
  });
  await started(false, async (client) => {
    expect(await create(client, 'made keyed')).toBe('+OK');
    expect(await isKeyed(client, 'made keyed')).toBe(true);
    expect(await client.send('FS.OBSERVE', 'made keyed', 'a')).toEqual(['+duplicate']);
    expect(await create(client, 'made keyed', 'keyed')).toBe('+OK');
    expect(await create(client, 'asked keyed')).toMatch(/it has a secret, not no secret/);
  });
});
