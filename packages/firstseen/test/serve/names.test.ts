// The names of detectors, in each way to make one.

import { describe, expect, test } from 'vitest';
import { serve } from '../../src/serve/server.js';
import { DetectorStore } from '../../src/serve/store/store.js';
import { askJson, withHttp } from './support/http.js';
import { testServer, withServer } from './support/server.js';

const request = { options: { memory: '1KiB' } };

const refused: readonly [name: string, problem: RegExp][] = [
  [' ', /has only spaces/],
  ['\u00a0\u200b', /has only spaces/],
  ['a\nb', /has a control character/],
  ['a\u0000', /has a control character/],
  ['\u001b[31m', /has a control character/],
  ['a\u2028b', /has a control character/],
  ['.', /cannot be in the path/],
  ['..', /cannot be in the path/],
  ['x'.repeat(513), /has 513 bytes; give a name of 1 to 512 bytes/],
];

describe.each(refused)('the name %j', (name, problem) => {
  test('is refused of clients of Redis', () =>
    withServer(async (client) => {
      expect(await client.send('FS.CREATE', name, 'MEMORY', '1KiB')).toMatch(problem);
      expect(await client.send('BF.RESERVE', name, '0.01', '10')).toMatch(problem);
      expect(await client.send('FS.LIST')).toEqual([]);
    }));

  test('is refused of clients of HTTP', () =>
    withHttp(async (port) => {
      const { status, json } = await askJson(port, 'PUT', `/detectors/${encodeURIComponent(name)}`, { memory: '1KiB' });
      // A client that takes the words of a path out of it asks for another path.
      if (!['.', '..'].includes(name)) expect([status, json.detail]).toEqual([400, expect.stringMatching(problem)]);
    }));

  test('is refused in a declaration', async () => {
    const detectors = [{ name, request, origin: 'here' }];
    await expect(serve({ ...testServer, detectors })).rejects.toThrow(problem);
  });

  test('is taken from a log', async () => {
    const store = new DetectorStore({ memoryBytes: 2 ** 20, maxDetectors: 1, maxNameBytes: 512 });
    let snapshot: Uint8Array = new Uint8Array();
    const record = (_kind: unknown, _entry: unknown, saved: Uint8Array) => {
      snapshot = saved;
    };
    store.recorder = { record } as never;
    await store.create('other', request);
    store.recorder = undefined;
    store.drop('other');
    await store.restore({ number: 7, name, request, requests: [], held: [], snapshot });
    expect(store.find(name)?.name).toBe(name);
    store.close();
  });
});

test.each(['a b', ' a', 'dedup:*', 'a/b', '...', 'ключ', '鍵', '%20', 'x'.repeat(512), '👩‍🔬', '"'])(
  'the name %j is taken',
  (name) =>
    withHttp(async (port, server) => {
      const path = `/detectors/${encodeURIComponent(name)}`;
      expect((await askJson(port, 'PUT', path, { memory: '1KiB' })).status).toBe(201);
      expect(server.port).toBeGreaterThan(0);
    }),
);
