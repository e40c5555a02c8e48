// The built command as a server: what it prints, how it ends, and what is left when it is killed.

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Client, encode } from '../serve/support/client.js';
import { inLongForm, sampleNote, sampleOf } from '../support/form.js';
import { randomFrom } from '../support/random.js';
import { startFirstseen, temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';
import { start, started } from './support/server.js';

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

// The tests of the log have each durability, with a server in their process.
describe.each(sampleOf(['always', 'interval'], 1))(`a server with the durability %s${sampleNote}`, (durability) => {
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
    for (let round = 0; round < inLongForm(4, 1); round++) {
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
    // On a slow machine, each of the earlier servers may have been killed before its snapshots were whole.
    const hasSnapshot = () => readdirSync(join(cwd, 'firstseen-data')).some((name) => name.startsWith('snapshot'));
    const last = await Client.open(port);
    for (let i = 0; !hasSnapshot(); i++) await last.send('BF.ADD', 'd', `more:${i}`);
    last.close();
    expect((await kill('SIGTERM')).code).toBe(0);
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
    /^firstseen \S+\nredis protocol: 127\.0\.0\.1:\d+\nhttp: http:\/\/127\.0\.0\.1:\d+\/\nclients: of this machine\ndata: here, durability snapshot, 0 detectors\n/,
  );
  const again = await start(cwd, '--data', 'here');
  const other = await Client.open(again.port);
  expect(await other.send('BF.EXISTS', 'f', 'a')).toBe(1);
  other.close();
  expect((await again.kill('SIGINT')).code).toBe(0);
});

test('a server counts the detectors that it has, and names those that were declared and are empty', async () => {
  const cwd = temporaryFolder();
  const declared = { seen: { memory: '64KiB' }, other: { memory: '64KiB' } };
  writeFileSync(join(cwd, 'serve.json'), JSON.stringify({ detectors: declared }));
  const first = await (await start(cwd, '--config', 'serve.json')).kill('SIGTERM');
  expect(first.stdout.toString()).toMatch(
    /, 2 detectors\nempty: seen, other \(declared, but not in the data folder\)\nmade data folder: firstseen-data, id [0-9a-f-]{36}\nmemory/,
  );
  const second = await (await start(cwd, '--config', 'serve.json')).kill('SIGTERM');
  expect(second.stdout.toString()).toContain(', 2 detectors\nmemory');
});

test('a server prints its maps', async () => {
  const { kill } = await start(temporaryFolder(), '--in-memory', '--map', 'a:*=events', '--map', 'b:*=work,claim');
  expect((await kill('SIGTERM')).stdout.toString()).toContain('\nmap: a:*=events\nmap: b:*=work,claim\nclients: ');
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

test('a server that stops while snapshots are written ends well, and has everything after it', async () => {
  const cwd = temporaryFolder();
  const { port, kill } = await start(cwd);
  const client = await Client.open(port);
  await client.send('FS.CREATE', 'd', 'memory', '1MiB');
  await client.send('FS.OBSERVE', 'd', 'a');
  client.socket.write(Buffer.concat([encode('FS.SAVE'), encode('PING')]));
  // The log that follows has begun, so the snapshots are being written.
  while (readdirSync(join(cwd, 'firstseen-data')).filter((name) => name.startsWith('log')).length < 2) await sleep(1);
  const { code, stderr } = await kill('SIGTERM');
  expect([code, stderr]).toEqual([0, '']);
  // On a busy machine it may have given up the process that writes them (log.test.ts).
  const again = await start(cwd);
  const other = await Client.open(again.port);
  expect(await other.send('FS.TEST', 'd', 'a', 'b')).toEqual(['+duplicate', '+distinct']);
  other.close();
  await again.kill('SIGTERM');
});

test('wrong flags are refused before anything is made', async () => {
  const cwd = temporaryFolder();
  const run = async (...flags: string[]) => {
    const { code, stderr } = await runCommand(['serve', ...flags], { cwd });
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
  expect(await run('--port', '7001', '--http-port', '7001')).toEqual([
    2,
    expect.stringMatching(
      /--port and --http-port are both 7001, but each protocol needs its own port; give another --http-port/,
    ),
  ]);
  expect(await run('--in-memory', '--data', 'x')).toEqual([
    2,
    expect.stringMatching(/--data has no effect with --in-memory/),
  ]);
  expect(await run('--memory', 'lots')).toEqual([2, expect.stringMatching(/--memory is "lots"/)]);
  expect(await run('--durability', 'never')).toEqual([2, expect.stringMatching(/always, interval/)]);
  expect(await run('--max-request', '10')).toEqual([
    2,
    expect.stringMatching(/--max-request is 10B, but commands need 4KiB; give 4KiB or more/),
  ]);
  expect(await run('--max-request', '4095')).toEqual([
    2,
    expect.stringMatching(/--max-request is 4095B, but commands need 4KiB; give 4KiB or more/),
  ]);
  expect(await run('--durability', 'snapshot', '--log-limit', '1MiB')).toEqual([
    2,
    expect.stringMatching(/--log-limit has no effect with --durability snapshot/),
  ]);
  expect(await run('--redis-only', '--http-port', '5')).toEqual([
    2,
    expect.stringMatching(/--http-port has no effect with --redis-only/),
  ]);
  expect(await run('--memory', '0')).toEqual([
    2,
    expect.stringMatching(/--memory is 0B, but the smallest detector takes 85KiB; give 85KiB or more/),
  ]);
  expect(readdirSync(cwd)).toEqual([]);
});

test('a filter that is made by itself has room, besides the detectors that are declared', async () => {
  const cwd = temporaryFolder();
  const refused = async (...flags: string[]) =>
    (await runCommand(['serve', '--in-memory', '--port', '0', '--http-port', '0', ...flags], { cwd })).stderr;
  expect(await refused('--auto-create', '16MiB', '--memory', '8MiB')).toMatch(
    /^firstseen: a filter of --auto-create takes 17MiB, but --memory is 8MiB; give a smaller --auto-create, or a larger --memory \[E_MEMORY\]/,
  );
  writeFileSync(join(cwd, 'serve.json'), JSON.stringify({ detectors: { a: { memory: '10MiB' } } }));
  expect(await refused('--auto-create', '16MiB', '--memory', '20MiB', '--config', 'serve.json')).toMatch(
    /takes 17MiB, but --memory is 20MiB, of which declared detectors take 11MiB; give/,
  );
  expect(await refused('--auto-create', '1')).toMatch(/E_MEMORY/);
});

test('options come from flags, variables and a file, and errors say from where', async () => {
  const cwd = temporaryFolder();
  const file = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  file(
    'serve.json',
    JSON.stringify({ 'in-memory': true, memory: '32MiB', 'max-detectors': 1, port: 1, 'redis-only': true }),
  );
  const env = { FIRSTSEEN_CONFIG: 'serve.json', FIRSTSEEN_PORT: '2', FIRSTSEEN_MAX_DETECTORS: '2' };
  const { port, kill } = await started(startFirstseen(['serve', '--port', '0'], { cwd, env }));
  const client = await Client.open(port);
  expect(await client.send('FS.CREATE', 'a', 'memory', '1KiB')).toBe('+OK');
  expect(await client.send('FS.CREATE', 'b', 'memory', '64MiB')).toMatch(/of 32MiB are left/);
  expect(await client.send('FS.CREATE', 'b', 'memory', '1KiB')).toBe('+OK');
  expect(await client.send('FS.CREATE', 'c', 'memory', '1KiB')).toMatch(/has 2 detectors, the maximum/);
  client.close();
  const { code, stdout } = await kill('SIGTERM');
  expect([code, stdout.toString()]).toEqual([0, expect.not.stringContaining('http')]);
  const refused = async (flags: string[], variables: Readonly<Record<string, string>> = {}) =>
    (await runCommand(['serve', ...flags], { cwd, env: variables })).stderr;
  expect(await refused([], { FIRSTSEEN_DURABILITY: 'never' })).toMatch(
    /^firstseen: FIRSTSEEN_DURABILITY: --durability is "never"/,
  );
  expect(await refused(['--config', 'serve.json', '--data', 'x'])).toMatch(
    /--data has no effect with in-memory in serve.json; leave one of them out/,
  );
  expect(await refused([], { FIRSTSEEN_CONFIG: 'serve.json', FIRSTSEEN_DATA: 'x', FIRSTSEEN_IN_MEMORY: '1' })).toMatch(
    /^firstseen: FIRSTSEEN_DATA has no effect with FIRSTSEEN_IN_MEMORY; leave one of them out/,
  );
  expect(await refused(['--request-timeout', 'soon'])).toMatch(/--request-timeout is "soon", but must be/);
  expect(await refused(['--idle-timeout', '30d'])).toMatch(/--idle-timeout is "30d", but must be .*at most 2147483647/);
  file('list.json', '[]');
  file('cut.json', '{"port":');
  expect(await refused(['--config', 'list.json'])).toMatch(/list.json is not an object of options/);
  expect(await refused(['--config', 'cut.json'])).toMatch(/cut.json is not JSON: /);
  expect(await refused(['--config', 'none.json'])).toMatch(
    /cannot read none.json, which --config names: there is no such file \[E_INPUT\]/,
  );
});

test('a file declares detectors, and a changed one fails the start', async () => {
  const cwd = temporaryFolder();
  const declare = (detectors: unknown) => writeFileSync(join(cwd, 'serve.json'), JSON.stringify({ detectors }));
  const refused = async () =>
    (await runCommand(['serve', '--port', '0', '--http-port', '0', '--config', 'serve.json'], { cwd })).stderr;
  const clicks = { algorithm: 'bloom', memory: '64KiB', param: ['k=3'] };
  declare({ clicks, orders: { Claims: true, lease: 1000, window: '1d', memory: '1MiB' } });
  const first = await start(cwd, '--config', 'serve.json');
  let client = await Client.open(first.port);
  expect(await client.send('FS.LIST')).toEqual(['clicks', 'orders']);
  expect(await client.send('FS.CREATE', 'clicks', 'algorithm', 'bloom', 'memory', '64KiB', 'param', 'k=3')).toBe('+OK');
  expect(await client.send('FS.OBSERVE', 'clicks', 'a')).toEqual(['+distinct']);
  expect(await client.send('FS.CLAIM', 'orders', 'a', 'TOKEN', 't')).toEqual(['+distinct', 't']);
  client.close();
  await first.kill('SIGKILL');
  const second = await start(cwd, '--config', 'serve.json');
  client = await Client.open(second.port);
  expect(await client.send('FS.OBSERVE', 'clicks', 'a')).toEqual(['+duplicate']);
  client.close();
  expect((await second.kill('SIGTERM')).code).toBe(0);
  declare({ clicks: { ...clicks, memory: '128KiB' } });
  expect(await refused()).toMatch(
    /^firstseen: detectors.clicks in serve.json: the detector "clicks" exists with other options: memory is 65536, not 131072; declare it as it is.*FS.DROP.*E_USAGE/,
  );
  declare({ clicks: { ...clicks, fpr: 2 } });
  expect(await refused()).toMatch(/^firstseen: detectors.clicks in serve.json: .*fpr is 2, but must be .*E_PARAMETER/i);
  declare({ clicks: { memori: '1KiB' } });
  expect(await refused()).toMatch(
    /^firstseen: detectors.clicks in serve.json: "memori" is not an option of a detector/,
  );
  declare({ clicks: { memory: '1KiB', MEMORY: '2KiB' } });
  expect(await refused()).toMatch(/detectors.clicks in serve.json: MEMORY is given twice; leave one of them out/);
  writeFileSync(join(cwd, 'serve.json'), '{"detectors":\n{"clicks":{"memory":"1KiB",\n"memory":"2KiB"}}}');
  expect(await refused()).toMatch(
    /^firstseen: "detectors.clicks.memory" is given twice in serve.json, again in line 3; leave one of them out/,
  );
  declare({ clicks: { memory: { bytes: 1 } } });
  expect(await refused()).toMatch(/detectors.clicks in serve.json: memory is .*, but must be a text/);
  declare({ clicks: 'bloom' });
  expect(await refused()).toMatch(/detectors.clicks in serve.json: it is not an object of options/);
  declare(['clicks']);
  expect(await refused()).toMatch(/detectors in serve.json is not an object/);
  declare({ big: { memory: '64TiB' } });
  expect(await refused()).toMatch(/detectors.big in serve.json: .*E_MEMORY/);
  writeFileSync(join(cwd, 'serve.json'), JSON.stringify({ memory: '1MiB', detectors: { big: { memory: '2MiB' } } }));
  expect(await refused()).toMatch(
    /detectors.big in serve.json: .* start the server with a larger --memory \[E_MEMORY\]/,
  );
});
