// The built command as a server: what it prints, how it ends, and what is left when it is killed.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Client } from '../serve/support/client.js';
import { randomFrom } from '../support/random.js';
import { type CommandResult, finished, runFirstseen, startFirstseen, temporaryFolder } from './support/command.js';

interface Started {
  port: number;
  kill(signal: NodeJS.Signals): Promise<CommandResult>;
}

/** Starts a server on a free port. It has printed its address. */
async function start(cwd: string, ...flags: string[]): Promise<Started> {
  const child = startFirstseen(['serve', '--port', '0', ...flags], { cwd });
  const ended = finished(child);
  const port = await new Promise<number>((resolve, reject) => {
    let printed = '';
    child.stdout.on('data', (text) => {
      printed += text;
      const found = /redis protocol: [^:]+:(\d+)/.exec(printed)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    ended.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  return {
    port,
    kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** What a client was answered. */
interface Acknowledged {
  keys: Set<string>;
  /** The keys and the answers of requests with an id. */
  requests: Map<string, { keys: string[]; answers: unknown }>;
}

/** Observes random keys until the server is killed, and notes what was answered. */
async function load(port: number, random: () => number, { keys, requests }: Acknowledged): Promise<void> {
  const client = await Client.open(port);
  for (;;) {
    const batch = Array.from({ length: 1 + Math.floor(random() * 40) }, () => `k${Math.floor(random() * 1e6)}`);
    const id = random() < 0.2 ? `id${Math.floor(random() * 1e9)}` : undefined;
    const reply = id ? client.send('FS.OBSERVEID', 'd', id, ...batch) : client.send('FS.OBSERVE', 'd', ...batch);
    const answers = await reply;
    if (answers === undefined) break;
    expect(answers).toHaveLength(batch.length);
    for (const key of batch) keys.add(key);
    if (id) requests.set(id, { keys: batch, answers });
  }
  client.close();
}

/** Checks that a server has everything that was answered. */
async function check(port: number, { keys, requests }: Acknowledged): Promise<void> {
  const client = await Client.open(port);
  const all = [...keys];
  const answers = (await client.send('FS.TEST', 'd', ...all)) as string[];
  expect(all.filter((_, i) => answers[i] !== '+duplicate')).toEqual([]);
  for (const [id, { keys: batch, answers: first }] of requests) {
    expect(await client.send('FS.OBSERVEID', 'd', id, ...batch)).toEqual(first);
  }
  client.close();
}

describe.each(['always', 'interval'])('a server with the durability %s', (durability) => {
  test('that is killed under load starts with all that it answered', async () => {
    const cwd = temporaryFolder();
    const flags = ['--durability', durability, '--log-limit', '64KiB', '--memory', '16MiB'];
    const random = randomFrom(durability.length);
    const acknowledged: Acknowledged = { keys: new Set(), requests: new Map() };
    const first = await start(cwd, ...flags);
    const client = await Client.open(first.port);
    // Smaller than the limit of the log, so that it is compacted while the clients go on.
    expect(await client.send('FS.CREATE', 'd', 'algorithm', 'bloom', 'memory', '64KiB')).toBe('+OK');
    client.close();
    await first.kill('SIGKILL');
    for (let round = 0; round < 4; round++) {
      const { port, kill } = await start(cwd, ...flags);
      await check(port, acknowledged);
      acknowledged.requests.clear();
      const loads = [0, 1, 2].map(() => load(port, random, acknowledged));
      await sleep(100 + random() * 300);
      await kill('SIGKILL');
      await Promise.all(loads);
    }
    const { port, kill } = await start(cwd, ...flags);
    await check(port, acknowledged);
    const loading = load(port, random, acknowledged);
    const isCompacted = () => readdirSync(join(cwd, 'firstseen-data')).some((name) => name.startsWith('snapshot'));
    while (!isCompacted()) await sleep(10);
    expect((await kill('SIGTERM')).code).toBe(0);
    await loading;
  });
});

test('a server that is asked to stop answers what it has, and ends well', async () => {
  const cwd = temporaryFolder();
  const { port, kill } = await start(cwd, '--data', 'here', '--durability', 'snapshot');
  const client = await Client.open(port);
  await client.send('BF.RESERVE', 'f', '0.01', '100');
  await client.send('BF.ADD', 'f', 'a');
  const { code, stdout, stderr } = await kill('SIGTERM');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.toString()).toMatch(
    /^firstseen \S+\nredis protocol: 127\.0\.0\.1:\d+\ndata: here, durability snapshot, 0 detectors\n/,
  );
  const again = await start(cwd, '--data', 'here');
  const other = await Client.open(again.port);
  expect(await other.send('BF.EXISTS', 'f', 'a')).toBe(1);
  other.close();
  expect((await again.kill('SIGINT')).code).toBe(0);
});

test('snapshots are written by another process', async () => {
  const cwd = temporaryFolder();
  const { port, kill } = await start(cwd);
  const client = await Client.open(port);
  await client.send('FS.CREATE', 'd', 'memory', '1MiB');
  await client.send('FS.OBSERVE', 'd', 'a');
  expect(await client.send('FS.SAVE')).toBe(0);
  client.close();
  await kill('SIGKILL');
  expect(
    readdirSync(join(cwd, 'firstseen-data'))
      .filter((name) => /^(log|snapshot)/.test(name))
      .sort(),
  ).toEqual(['log-000000000002', 'snapshot-000000000002']);
});

test('wrong flags are refused before anything is made', async () => {
  const cwd = temporaryFolder();
  const run = async (...flags: string[]) => {
    const { code, stderr } = await runFirstseen(['serve', ...flags], { cwd });
    return [code, stderr];
  };
  expect(await run('--host', '0.0.0.0')).toEqual([
    2,
    expect.stringMatching(/can be reached from other machines.*E_USAGE/),
  ]);
  expect(await run('--port', '70000')).toEqual([
    2,
    expect.stringMatching(/--port is 70000; give a port from 0 to 65535/),
  ]);
  expect(await run('--in-memory', '--data', 'x')).toEqual([
    2,
    expect.stringMatching(/--data has no effect with --in-memory/),
  ]);
  expect(await run('--memory', 'lots')).toEqual([2, expect.stringMatching(/--memory is "lots"/)]);
  expect(await run('--durability', 'never')).toEqual([2, expect.stringMatching(/always, interval/)]);
  expect(readdirSync(cwd)).toEqual([]);
});
