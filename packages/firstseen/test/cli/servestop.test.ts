// How the built command ends as a server, also as the first process of a namespace, as in a container.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Client } from '../serve/support/client.js';
import { freePort } from '../serve/support/freeport.js';
import { mainPath, startFirstseen, temporaryFolder } from './support/command.js';
import { start, started } from './support/server.js';

async function untilDraining(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}readyz`);
    const text = await response.text();
    if (response.status === 503) {
      expect(text).toBe('draining\n');
      return;
    }
    await sleep(10);
  }
}

test('a server that is asked to stop is not ready, and serves until the delay is over', async () => {
  const server = await start(temporaryFolder(), '--drain-delay', '1s');
  expect((await fetch(`${server.url}readyz`)).status).toBe(200);
  const ended = server.kill('SIGTERM');
  await untilDraining(server.url);
  const client = await Client.open(server.port);
  expect(await client.send('FS.CREATE', 'd', 'memory', '1KiB')).toBe('+OK');
  expect(await client.send('FS.OBSERVE', 'd', 'a')).toEqual(['+distinct']);
  expect((await fetch(`${server.url}detectors`)).status).toBe(200);
  expect(await client.next()).toBeUndefined();
  expect((await ended).code).toBe(0);
});

test('a second signal ends a server at once', async () => {
  const server = await start(temporaryFolder(), '--drain-delay', '1h');
  server.signal('SIGTERM');
  await untilDraining(server.url);
  expect((await server.kill('SIGTERM')).signal).toBe('SIGTERM');
});

test('a server whose greeting nobody reads stops when it is asked to', async () => {
  const port = await freePort();
  const child = startFirstseen(['serve', '--port', '0', '--http-port', String(port)], { cwd: temporaryFolder() });
  (child.stdout as Readable).destroy();
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) await sleep(10);
  child.kill('SIGTERM');
  const [code, signal] = await once(child, 'exit');
  expect({ code, signal }).toEqual({ code: 0, signal: null });
});

/** Starts a program as the first process of a namespace. */
const namespace = ['unshare', '--pid', '--fork', '--kill-child'] as const;

function canMakeNamespace(): boolean {
  try {
    const [command, ...args] = namespace;
    execFileSync(command, [...args, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!canMakeNamespace())('as the first process', () => {
  /** A server, and a signal to it by its number outside of the namespace. */
  async function startFirst(cwd: string, ...flags: string[]) {
    const [command, ...args] = namespace;
    const program = [process.execPath, mainPath, 'serve', '--port', '0', '--http-port', '0', ...flags];
    const child = spawn(command, [...args, ...program], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    const server = await started(child);
    const first = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'latin1'));
    const ended = new Promise((resolve) => child.on('close', resolve));
    return { ...server, ended, signalFirst: (signal: NodeJS.Signals) => process.kill(first, signal) };
  }

  test('a server ends at SIGTERM, and has what it answered', async () => {
    const cwd = temporaryFolder();
    const { port, ended, signalFirst } = await startFirst(cwd, '--durability', 'snapshot');
    const client = await Client.open(port);
    await client.send('FS.CREATE', 'd', 'memory', '1KiB');
    await client.send('FS.OBSERVE', 'd', 'a');
    signalFirst('SIGTERM');
    expect(await ended).toBe(0);
    const again = await startFirst(cwd);
    const other = await Client.open(again.port);
    expect(await other.send('FS.OBSERVE', 'd', 'a')).toEqual(['+duplicate']);
    other.close();
    again.signalFirst('SIGINT');
    expect(await again.ended).toBe(0);
  });

  test('a second signal ends it at once', async () => {
    const { url, ended, signalFirst } = await startFirst(temporaryFolder(), '--drain-delay', '1h');
    signalFirst('SIGTERM');
    await untilDraining(url);
    signalFirst('SIGTERM');
    expect(await ended).toBe(143);
  });
});
