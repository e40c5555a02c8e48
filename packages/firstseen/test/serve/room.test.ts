// The memory of a server, beside which another process loads the detectors whose snapshots it writes.

import { expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../../src/serve/server.js';
import { Room } from '../../src/serve/store/room.js';
import { DetectorStore } from '../../src/serve/store/store.js';
import { Client } from './support/client.js';
import { type Data, dataIn, newFolder } from './support/folder.js';
import { testServer, withServer } from './support/server.js';

const MEBIBYTE = 2 ** 20;

test('the process that writes snapshots has room for the largest detector, or for a group', () => {
  const room = new Room({ memoryBytes: 2 ** 40, maxDetectors: 100, machineBytes: 2 ** 30 });
  const lacks = (mebibytes: number) => room.shortage(mebibytes * MEBIBYTE) !== undefined;
  expect([386, 388].map(lacks)).toEqual([false, true]);
  // Small ones are loaded in groups of 64 MiB.
  for (let i = 0; i < 16; i++) room.take(40 * MEBIBYTE);
  expect([10, 66, 67].map(lacks)).toEqual([false, false, true]);
  room.take(65 * MEBIBYTE);
  room.giveBack(65 * MEBIBYTE);
  expect(lacks(66)).toBe(false);
  expect(() => room.check(80 * MEBIBYTE)).toThrow(
    /^with this detector, the server takes 870MiB, and the process that writes its snapshots takes 180.12MiB, but .* has 1GiB;/,
  );
});

test('the process that writes snapshots has room for what it keeps of each detector', () => {
  const room = new Room({ memoryBytes: 2 ** 40, maxDetectors: 100_000, machineBytes: 512 * MEBIBYTE });
  const small = 1024 + 4096;
  for (let i = 0; i < 10_000; i++) room.take(small);
  expect(room.shortage(small)).toBeUndefined();
  for (let i = 0; i < 10_000; i++) room.take(small);
  expect(() => {
    for (let i = 0; i < 10_000; i++) {
      room.check(small);
      room.take(small);
    }
  }).toThrow(
    /^with this detector, the server takes .*, and the process that writes its snapshots takes .* has 512MiB;/,
  );
});

test('the detectors of a group take 64 MiB with what they have besides the cells', async () => {
  const groups: [detectors: number, mebibytes: number][] = [];
  const { close } = DetectorStore.prototype;
  const spy = vi.spyOn(DetectorStore.prototype, 'close').mockImplementation(function (this: DetectorStore) {
    groups.push([this.count, Math.round(this.usedBytes / MEBIBYTE)]);
    close.call(this);
  });
  onTestFinished(() => spy.mockRestore());
  await onMachine(2 ** 12, dataIn(newFolder()), async (send) => {
    // Each has a kernel of its own, which takes 1 MiB.
    const create = async (name: string) => {
      expect(await send('FS.CREATE', name, 'algorithm', 'bloom', 'memory', '2MiB')).toBe('+OK');
    };
    for (let i = 0; i < 23; i++) await create(`d${i}`);
    await send('FS.DROP', 'd3');
    for (const name of ['d0', 'd22']) await send('FS.OBSERVE', name, 'key');
    expect(await send('FS.SAVE')).toBe(0);
    expect(groups.splice(0)).toEqual([
      [21, 63],
      [1, 3],
    ]);
    // The next ones begin with these snapshots, and with a part of the log.
    await create('last');
    for (const name of ['d1', 'last']) await send('FS.OBSERVE', name, 'key');
    expect(await send('FS.SAVE')).toBe(0);
    expect(groups.splice(0)).toEqual([
      [21, 63],
      [2, 6],
    ]);
  });
});

/** Runs with a server of a machine that has little memory. @returns what the server warned of */
async function onMachine(
  mebibytes: number,
  data: Data | undefined,
  run: (send: Client['send']) => Promise<void>,
): Promise<string[]> {
  const warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);
  const server = await serve({ ...testServer, data, onWarning, machineBytes: mebibytes * MEBIBYTE });
  const client = await Client.open(server.port);
  await run((...command) => client.send(...command));
  client.close();
  await server.close();
  return warnings;
}

test('a detector without room for that process is refused, and one that is there is told at the start', async () => {
  const folder = newFolder();
  const first = await onMachine(300, dataIn(folder), async (send) => {
    expect(await send('FS.CREATE', 'large', 'memory', '40MiB')).toMatch(/^-ERR with this detector, .*\[E_MEMORY\]$/);
    expect(await send('FS.CREATE', 'd', 'memory', '16MiB')).toBe('+OK');
  });
  expect(first).toEqual([]);
  const idle = async () => undefined;
  expect(await onMachine(260, dataIn(folder), idle)).toEqual([
    expect.stringMatching(/has 260MiB; give it more memory/),
  ]);
});

test('without a log there is no such process', async () => {
  for (const data of [undefined, dataIn(newFolder(), { durability: 'snapshot' })]) {
    await onMachine(300, data, async (send) => {
      expect(await send('FS.CREATE', 'large', 'memory', '40MiB')).toBe('+OK');
    });
  }
});

test('a detector is counted with its objects, its claims, and the kernel that those of its settings share', () =>
  withServer(async (client) => {
    const memory = async () => Number(/detectors_memory:(\d+)/.exec(String(await client.send('INFO')))?.[1]);
    const counted = async (...command: string[]) => {
      const before = await memory();
      await client.send(...command);
      return (await memory()) - before;
    };
    const small = ['ALGORITHM', 'bloom', 'MEMORY', '1KiB'];
    expect(await counted('FS.CREATE', 'a', ...small)).toBe(1024 + 4096 + 81_920);
    expect(await counted('FS.CREATE', 'b', ...small)).toBe(1024 + 4096);
    expect(await counted('FS.CREATE', 'c', ...small, 'CLAIMS', 'LEASE', '30s')).toBe(1024 + 4096 + 2048);
    expect(await counted('FS.CREATE', 'seed', ...small, 'SEED', '1')).toBe(1024 + 4096 + 81_920);
    expect(await client.send('MEMORY', 'USAGE', 'c')).toBe(7168);
    // The kernel of the others stays.
    expect(await counted('FS.DROP', 'seed')).toBe(-(1024 + 4096 + 81_920));
    expect(await counted('FS.DROP', 'a')).toBe(-(1024 + 4096));
    for (const name of ['b', 'c']) await client.send('FS.DROP', name);
    expect(await memory()).toBe(0);
  }));

test('detectors of different settings are refused before their kernels take more than the memory', () =>
  withServer(
    async (client) => {
      const replies: unknown[] = [];
      for (let seed = 0; seed < 13; seed++)
        replies.push(
          await client.send('FS.CREATE', `d${seed}`, 'ALGORITHM', 'bloom', 'MEMORY', '1KiB', 'SEED', `${seed}`),
        );
      expect(replies).toEqual([
        ...Array(12).fill('+OK'),
        expect.stringMatching(/^-ERR the detector takes .*\[E_MEMORY\]$/),
      ]);
    },
    { memoryBytes: 2 ** 20 },
  ));
