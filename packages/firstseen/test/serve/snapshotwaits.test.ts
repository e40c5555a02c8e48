// Changes that wait for new snapshots, because the log is at twice its limit: what tells of them, and which snapshots are urgent.

import { expect, onTestFinished, test, vi } from 'vitest';
import { SnapshotWaits } from '../../src/serve/log/snapshotwaits.js';
import { Client } from './support/client.js';
import { compactor, type Data, dataIn, newFolder } from './support/folder.js';
import { withServer } from './support/server.js';

const REMEDY = 'give a larger --log-limit, or the machine more processor time or a faster disk';
const waited = (seconds: number) =>
  `changes have waited for new snapshots for ${seconds} seconds, because the log is at twice its limit; ${REMEDY}`;
const ENDED = 'new snapshots were written: changes no longer wait';

/** Waits whose messages are gathered, with a clock of the test. */
function scene(): { waits: SnapshotWaits; messages: string[]; wait(milliseconds: number): void } {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const messages: string[] = [];
  const waits = new SnapshotWaits((message) => messages.push(message));
  const wait = (milliseconds: number) => {
    waits.begin();
    vi.advanceTimersByTime(milliseconds);
    waits.end();
  };
  return { waits, messages, wait };
}

test('a long wait is told once, and once that it has ended', () => {
  const { waits, messages } = scene();
  waits.begin();
  vi.advanceTimersByTime(4999);
  waits.begin();
  expect([messages, waits.longSeconds]).toEqual([[], undefined]);
  vi.advanceTimersByTime(1);
  expect(messages).toEqual([waited(5)]);
  vi.advanceTimersByTime(60_000);
  expect([waits.longSeconds, waits.seconds]).toEqual([65, 65]);
  waits.end();
  waits.end();
  expect(messages).toEqual([waited(5), ENDED]);
  expect([waits.longSeconds, waits.seconds]).toEqual([undefined, 65]);
});

test('of waits that follow one another, one a minute is told, and all are counted', () => {
  const { waits, messages, wait } = scene();
  for (let i = 0; i < 4; i++) {
    wait(10_000);
    vi.advanceTimersByTime(4000);
  }
  expect(messages).toEqual([waited(5), ENDED]);
  waits.begin();
  vi.advanceTimersByTime(10_000);
  // A minute after the first line.
  expect(messages).toEqual([waited(5), ENDED, waited(9)]);
  waits.end();
  expect(messages).toHaveLength(4);
  expect(waits.seconds).toBe(50);
});

test('short waits are not told, and nothing is told after the close', () => {
  const { waits, messages, wait } = scene();
  for (let i = 0; i < 100; i++) wait(4999);
  waits.begin();
  waits.close();
  vi.advanceTimersByTime(100_000);
  expect(messages).toEqual([]);
});

test('snapshots are urgent while changes wait for them, and for ten minutes after', () => {
  const { waits, wait } = scene();
  expect(waits.areUrgent(1)).toBe(false);
  waits.begin();
  expect(waits.areUrgent(1)).toBe(true);
  wait(1000);
  vi.advanceTimersByTime(599_999);
  expect(waits.areUrgent(1)).toBe(true);
  vi.advanceTimersByTime(1);
  expect(waits.areUrgent(1)).toBe(false);
});

test('the process that writes snapshots has low priority until changes have waited for it, or a client does', async () => {
  const urgencies: boolean[] = [];
  let begin: () => void = () => undefined;
  let release: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held: Data['compactor'] = async (task) => {
    urgencies.push(task.isUrgent);
    begin();
    await released;
    await compactor(task);
  };
  const keys = Array.from({ length: 1000 }, (_, i) => `k${i}`);
  const data = dataIn(newFolder(), { logLimitBytes: 2 ** 16, compactor: held });
  await withServer(
    async (client, server) => {
      const other = await Client.open(server.port);
      onTestFinished(() => other.close());
      const waitedSeconds = async () =>
        Number(/log_waiting_seconds:([\d.]+)/.exec((await other.send('INFO', 'persistence')) as string)?.[1]);
      await client.send('FS.CREATE', 'd', 'algorithm', 'bloom', 'memory', '1KiB');
      const observe = () => client.send('FS.OBSERVE', 'd', ...keys);
      // The last one may wait already.
      while (urgencies.length === 0) await Promise.race([observe(), begun]);
      const replies = Array.from({ length: 20 }, observe);
      await expect.poll(waitedSeconds, { timeout: 10_000 }).toBeGreaterThan(0);
      release();
      await Promise.all(replies);
      while (urgencies.length === 1) await observe();
      expect(urgencies.slice(0, 2)).toEqual([false, true]);
      await client.send('FS.SAVE');
      expect(urgencies.at(-1)).toBe(true);
    },
    { data },
  );
});
