// The space that the log takes ahead: what is changed can be logged, and what has no space is refused.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Journal } from '../../src/serve/log/journal.js';
import { LogFile } from '../../src/serve/log/logfile.js';
import { LogProblems } from '../../src/serve/log/logproblems.js';
import { serve } from '../../src/serve/server.js';
import { Client } from './support/client.js';
import { checksum, dataIn, newFolder } from './support/folder.js';
import { ask } from './support/http.js';
import { testServer, withServer } from './support/server.js';

const LOG = 'log-000000000001';
const FULL =
  'the log cannot be written (ENOSPC: no space left on device): changes are refused, except those that fit into the space reserved before';
const WRITABLE = 'the log can be written again: changes are no longer refused';
const keys = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

/** A disk on which a log gets no space beyond a size. */
function smallDisk(maxBytes: number): { maxBytes: number } {
  const disk = { maxBytes };
  const { reserve } = LogFile.prototype;
  const limited = vi.spyOn(LogFile.prototype, 'reserve').mockImplementation(function (this: LogFile, bytes) {
    const leftBytes = disk.maxBytes - this.bytes;
    reserve.call(this, Math.min(bytes, leftBytes));
    if (bytes > leftBytes) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  });
  onTestFinished(() => limited.mockRestore());
  return disk;
}

async function openJournal(folder: string): Promise<Journal> {
  const options = { folder, durability: 'interval', checksum: await checksum, lastBlock: 0, sequence: 1 } as const;
  const onLoss = (error: unknown) => expect.unreachable(String(error));
  return Journal.open({
    ...options,
    earlierBytes: 0,
    checkLock: () => undefined,
    problems: new LogProblems(() => undefined),
    onGone: onLoss,
    onLoss,
  });
}

test('a log that is closed right after a change is not synced later', async () => {
  const journal = await openJournal(newFolder());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const sync = vi.spyOn(LogFile.prototype, 'sync');
  onTestFinished(() => {
    vi.useRealTimers();
    sync.mockRestore();
  });
  const entry = { number: 1, name: 'd', memoryBytes: 1024, timeMilliseconds: 0, request: { options: {} } };
  journal.record('observed', entry, new BigUint64Array(1));
  await journal.close();
  const syncs = sync.mock.calls.length;
  expect(syncs).toBeGreaterThan(0);
  vi.advanceTimersByTime(10_000);
  expect(sync.mock.calls.length).toBe(syncs);
});

test('a change without space leaves the space of those before it', async () => {
  const folder = newFolder();
  const journal = await openJournal(folder);
  const disk = smallDisk(2 ** 30);
  const elements = 2 ** 19;
  expect(journal.reserve(8 * elements)).toBe(undefined);
  const entry = { number: 1, name: 'd', memoryBytes: 1024, timeMilliseconds: 0, request: { options: {} } };
  journal.record('observed', entry, new BigUint64Array(elements));
  disk.maxBytes = 6 * 2 ** 20;
  expect(journal.reserve(2 ** 25)).toMatchObject({ code: 'ENOSPC' });
  expect(statSync(join(folder, LOG)).size).toBeGreaterThan(8 * elements);
  expect(journal.reserve(100)).toBe(undefined);
  await journal.close();
});

test.each(['append', 'reserve'] as const)(
  'a disk without space is told once, and once that it has some (%s)',
  async (method) => {
    const messages: string[] = [];
    const options = { data: dataIn(newFolder()), onWarning: (message: string) => messages.push(message) };
    await withServer(async (client) => {
      await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '8MiB');
      const full = vi.spyOn(LogFile.prototype, method).mockImplementation(() => {
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      });
      onTestFinished(() => full.mockRestore());
      const replies = Array.from({ length: 40 }, (_, i) => client.send('FS.OBSERVE', 'd', ...keys(5000, `${i}-`)));
      const problem =
        'the log cannot be written (ENOSPC: no space left on device, write): changes are refused, except those that fit into the space reserved before';
      await expect.poll(() => messages, { timeout: 5000 }).toEqual([problem]);
      full.mockRestore();
      expect(await replies.at(-1)).toBeDefined();
      await expect.poll(() => messages, { timeout: 5000 }).toEqual([problem, WRITABLE]);
    }, options);
  },
);

test('a change that does not fit on the disk is refused alone, and what is small fits', async () => {
  const folder = newFolder();
  const messages: string[] = [];
  const onWarning = (message: string) => messages.push(message);
  const server = await serve({ ...testServer, httpPort: 0, data: dataIn(folder), onWarning });
  const httpPort = server.httpPort as number;
  const client = await Client.open(server.port);
  const observe = (body: string) =>
    ask(httpPort, 'POST', '/detectors/d/observe?emit=counts', { body, type: 'text/plain' });
  await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '8MiB');
  const disk = smallDisk(1.25 * 2 ** 20);
  const large = keys(200_000, 'k').join('\n');
  for (let round = 0; round < 5; round++) {
    expect((await observe(large)).status).toBe(507);
    expect(await client.send('FS.OBSERVE', 'd', `redis ${round}`)).toEqual(['+distinct']);
    expect((await observe(`http ${round}`)).status).toBe(200);
    expect((await ask(httpPort, 'GET', '/metrics')).text).toMatch(/\nfirstseen_log_writable 0/);
  }
  expect(messages).toEqual([FULL]);
  expect(statSync(join(folder, LOG)).size).toBeLessThanOrEqual(1.25 * 2 ** 20);
  disk.maxBytes = 2 ** 30;
  expect((await observe(large)).status).toBe(200);
  expect(messages).toEqual([FULL, WRITABLE]);
  expect((await ask(httpPort, 'GET', '/metrics')).text).toMatch(/\nfirstseen_log_writable 1/);
  client.close();
  await server.close();
});

test('a change that did not fit counts for a minute, if no other one is refused', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const messages: string[] = [];
  const problems = new LogProblems((message) => messages.push(message));
  const refuse = (bytes: number) => {
    problems.refuse(new Error('ENOSPC: no space left on device'), bytes);
    problems.note(undefined);
  };
  refuse(2000);
  refuse(3000);
  vi.advanceTimersByTime(50_000);
  refuse(2000);
  vi.advanceTimersByTime(50_000);
  problems.fit(1999);
  problems.note(undefined);
  expect(messages).toEqual([FULL]);
  vi.advanceTimersByTime(10_000);
  expect(messages).toEqual([FULL, WRITABLE]);
  refuse(2000);
  problems.fit(2000);
  problems.note(undefined);
  vi.advanceTimersByTime(60_000);
  expect(messages).toEqual([FULL, WRITABLE, FULL, WRITABLE]);
});

test('while the space ahead cannot be renewed, the log counts as not writable, at every moment', async () => {
  const folder = newFolder();
  await withServer(
    async (client) => {
      const writable = async () => /log_writable:(\d)/.exec((await client.send('INFO', 'persistence')) as string)?.[1];
      await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '8MiB');
      const disk = smallDisk(2 ** 20);
      for (let round = 0; (await writable()) === '1' && round < 100; round++)
        await client.send('FS.OBSERVE', 'd', ...keys(5000, `${round}-`));
      expect(await writable()).toBe('0');
      // What fits into the rest is taken, and says nothing of the disk.
      expect(await client.send('FS.OBSERVE', 'd', 'small')).toEqual(['+distinct']);
      expect(await writable()).toBe('0');
      expect(await client.send('FS.OBSERVE', 'd', ...keys(60_000, 'large'))).toMatch(/^-MISCONF/);
      expect(await writable()).toBe('0');
      // A part of the space is no end of the shortage.
      disk.maxBytes = 1.375 * 2 ** 20;
      await expect.poll(() => statSync(join(folder, LOG)).size).toBe(disk.maxBytes);
      expect(await writable()).toBe('0');
      disk.maxBytes = 2 ** 30;
      await expect.poll(writable).toBe('1');
    },
    { data: dataIn(folder) },
  );
});
