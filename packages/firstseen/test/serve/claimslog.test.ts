// What the log and the snapshots say of claims, when a server starts again whose detectors are full, or have windows.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Client, type Read } from './support/client.js';
import { dataIn, killedNow, newFolder } from './support/folder.js';
import { withServer } from './support/server.js';

/** Runs a test with a server, and another one with a server that starts from what the first one has left. */
async function overKill(
  before: (client: Client, port: number) => Promise<void>,
  after: (client: Client) => Promise<void>,
): Promise<void> {
  const folder = newFolder();
  await withServer(
    async (client, { port }) => {
      await before(client, port);
      await withServer(after, { data: dataIn(killedNow(folder)) });
      await client.send('FS.SAVE');
      await withServer(after, { data: dataIn(killedNow(folder)) });
    },
    { data: dataIn(folder) },
  );
}

async function fill(client: Client): Promise<void> {
  for (let i = 0; ; i++) {
    const [answer] = (await client.send('FS.OBSERVE', 'd', `${i}`)) as Read[];
    if (answer !== '+distinct') return expect(answer).toMatch(/E_FULL/);
  }
}

const isHeld = async (client: Client) => {
  expect(((await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'other')) as Read[])[0]).toBe('+pending');
  expect(await client.send('FS.EXTEND', 'd', 'k', 't')).toBe(1);
};

/** Runs a test whose clock goes ahead by as many seconds as it says. */
async function withClock(run: (at: (seconds: number) => void) => Promise<void>): Promise<void> {
  const now = Date.now;
  try {
    await run((seconds) => {
      Date.now = () => now() + 1000 * seconds;
    });
  } finally {
    Date.now = now;
  }
}

test('a key that was claimed again after its window is held after a kill, and after new snapshots', () =>
  withClock((at) =>
    overKill(async (client) => {
      await client.send('FS.CREATE', 'd', 'CLAIMS', 'WINDOW', '1h', 'MEMORY', '64KiB');
      await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 's');
      expect(await client.send('FS.COMMIT', 'd', 'k', 's')).toBe(1);
      at(3700);
      expect(await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 't')).toEqual(['+distinct', 't']);
    }, isHeld),
  ));

test('claims of a detector without other room hold their keys after a kill, and their room', () =>
  overKill(
    async (client) => {
      await client.send('FS.CREATE', 'd', 'CLAIMS', 'MEMORY', '1KiB');
      expect(await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 't')).toEqual(['+distinct', 't']);
      await fill(client);
    },
    async (client) => {
      await isHeld(client);
      expect(((await client.send('FS.OBSERVE', 'd', '0', 'new')) as Read[])[1]).toMatch(/E_FULL/);
      expect(await client.send('FS.COMMIT', 'd', 'k', 't')).toBe(1);
      expect(await client.send('FS.CLAIM', 'd', 'k')).toEqual(['+duplicate']);
    },
  ));

test('a claim in a window that was full before holds its key after a kill', () =>
  withClock((at) =>
    overKill(async (client) => {
      await client.send('FS.CREATE', 'd', 'CLAIMS', 'WINDOW', '1h', 'MEMORY', '1KiB');
      await fill(client);
      at(3700);
      expect(await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 't')).toEqual(['+distinct', 't']);
    }, isHeld),
  ));

test('who waited for a key that was aborted holds it after a kill', () =>
  overKill(async (client, port) => {
    // It forgets the last element, so a key that is committed is free for the next one.
    await client.send('FS.CREATE', 'd', 'CLAIMS', 'ALGORITHM', 'buffer', 'MEMORY', '1KiB');
    const waiting = await Client.open(port);
    await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 's');
    const answer = waiting.send('FS.CLAIM', 'd', 'k', 'TOKEN', 't', 'WAIT', '10s');
    await sleep(50);
    expect(await client.send('FS.ABORT', 'd', 'k', 's')).toBe(1);
    expect(await answer).toEqual(['+distinct', 't']);
    waiting.close();
  }, isHeld));

test('a claim that was extended holds its key after a kill for as long as it was told', () =>
  withClock((at) =>
    overKill(async (client) => {
      await client.send('FS.CREATE', 'd', 'CLAIMS', 'LEASE', '60s', 'MEMORY', '64KiB');
      await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 't');
      at(50);
      expect(await client.send('FS.EXTEND', 'd', 'k', 't')).toBe(1);
      at(70);
    }, isHeld),
  ));

test('a key that was observed after the end of its lease is not held after a kill, also if the clock was set back', () =>
  overKill(
    async (client) => {
      await client.send('FS.CREATE', 'd', 'CLAIMS', 'MEMORY', '64KiB');
      const now = Date.now;
      // The clock of leases does not go back.
      Date.now = () => now() + 3_600_000;
      try {
        await client.send('FS.CLAIM', 'd', 'k', 'LEASE', '20', 'TOKEN', 't');
        await sleep(40);
      } finally {
        Date.now = now;
      }
      expect(await client.send('FS.OBSERVE', 'd', 'k')).toEqual(['+distinct']);
    },
    async (client) => {
      expect(await client.send('FS.OBSERVE', 'd', 'k')).toEqual(['+duplicate']);
      expect(await client.send('FS.EXTEND', 'd', 'k', 't')).toBe(0);
    },
  ));

test('a cleared detector holds nothing, also after a kill: a token from before is unknown, and who waits gets the key', () =>
  overKill(
    async (client, port) => {
      await client.send('FS.CREATE', 'd', 'CLAIMS', 'PENDING', '2', 'MEMORY', '64KiB');
      await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'old');
      await client.send('FS.CLAIM', 'd', 'awaited', 'TOKEN', 'old');
      const waiting = await Client.open(port);
      const answer = waiting.send('FS.CLAIM', 'd', 'awaited', 'TOKEN', 'waited', 'WAIT', '10s');
      await sleep(50);
      expect(await client.send('FS.CLEAR', 'd')).toBe('+OK');
      expect(await answer).toEqual(['+distinct', 'waited']);
      waiting.close();
      for (const command of ['FS.COMMIT', 'FS.EXTEND', 'FS.ABORT']) {
        expect(await client.send(command, 'd', 'k', 'old')).toBe(0);
      }
      expect(await client.send('FS.TEST', 'd', 'k')).toEqual(['+distinct']);
      expect(await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 't')).toEqual(['+distinct', 't']);
      expect((await client.send('FS.CLAIM', 'd', 'third')) as string).toMatch(/E_CLAIMS_FULL/);
    },
    async (client) => {
      expect(await client.send('FS.COMMIT', 'd', 'awaited', 'old')).toBe(0);
      expect(await client.send('FS.EXTEND', 'd', 'awaited', 'waited')).toBe(1);
      expect(await client.send('FS.COMMIT', 'd', 'k', 'old')).toBe(0);
      await isHeld(client);
    },
  ));

test('what a cleared detector held is not held after a kill', () =>
  overKill(
    async (client) => {
      await client.send('FS.CREATE', 'd', 'CLAIMS', 'MEMORY', '64KiB');
      await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 'old');
      await client.send('FS.CLEAR', 'd');
    },
    async (client) => {
      expect(await client.send('FS.EXTEND', 'd', 'k', 'old')).toBe(0);
      expect(await client.send('FS.CLAIM', 'd', 'k', 'TOKEN', 't')).toEqual(['+distinct', 't']);
      expect(await client.send('FS.ABORT', 'd', 'k', 't')).toBe(1);
    },
  ));
