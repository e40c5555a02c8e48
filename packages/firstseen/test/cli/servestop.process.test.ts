// How the built command ends as a server, also as the first process of a namespace, as in a container.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, cpSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Client, encode } from '../serve/support/client.js';
import { freePort } from '../serve/support/freeport.js';
import { sampleOf } from '../support/form.js';
import { requiresPosix } from '../support/platform.js';
import { mainPath, startFirstseen, temporaryFolder } from './support/command.js';
import { start, started } from './support/server.js';

const binPath = fileURLToPath(new URL('../../bin/firstseen.js', import.meta.url));

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

/** Waits for a server that does not tell its port. */
async function untilReady(port: number): Promise<void> {
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) await sleep(10);
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

test('a server that stops answers clients that wait for claims, and does not wait for the claims', async () => {
  const server = await start(temporaryFolder());
  const client = await Client.open(server.port);
  await client.send('FS.CREATE', 'd', 'claims', 'lease', '1h', 'memory', '64KiB');
  expect(await client.send('FS.CLAIM', 'd', 'a', 'TOKEN', 't')).toEqual(['+distinct', 't']);
  client.socket.write(encode('FS.CLAIM', 'd', 'a', 'WAIT', '3600000'));
  const body = JSON.stringify({ key: 'a', wait: '1h' });
  const headers = { 'Content-Type': 'application/json' };
  const waiting = fetch(`${server.url}detectors/d/claim`, { method: 'POST', headers, body }).then((response) =>
    response.json(),
  );
  const other = await Client.open(server.port);
  expect(await other.send('PING')).toBe('+PONG');
  expect((await server.kill('SIGTERM')).code).toBe(0);
  expect(await waiting).toMatchObject({ verdict: 'pending' });
});

test('a server whose greeting nobody reads stops when it is asked to', async () => {
  const port = await freePort();
  const child = startFirstseen(['serve', '--port', '0', '--http-port', String(port)], { cwd: temporaryFolder() });
  (child.stdout as Readable).destroy();
  await untilReady(port);
  child.kill('SIGTERM');
  const [code, signal] = await once(child, 'exit');
  expect({ code, signal }).toEqual({ code: 0, signal: null });
});

/** A pipe that is full. @returns the descriptor to write to; nothing reads the other end before the test is over */
function fullPipe(): number {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writing = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  onTestFinished(() => {
    for (const descriptor of [reading, writing]) closeSync(descriptor);
  });
  const fill = () => {
    for (;;) writeSync(writing, Buffer.alloc(512));
  };
  expect(fill).toThrow(/EAGAIN/);
  return writing;
}

test('a server whose messages nobody reads from a full pipe stops when it is asked to', async () => {
  requiresPosix('named pipes in folders');
  const port = await freePort();
  const pipe = fullPipe();
  const words = [binPath, 'serve', '--port', '0', '--http-port', String(port)];
  const child = spawn(process.execPath, words, { cwd: temporaryFolder(), stdio: ['ignore', pipe, pipe] });
  await untilReady(port);
  child.kill('SIGTERM');
  const [code, signal] = await once(child, 'exit');
  expect({ code, signal }).toEqual({ code: 0, signal: null });
});

/** A folder that a run has locked of which nobody can see whether it is alive. A server waits for 15 seconds. */
function lockedFolder(): string {
  const cwd = temporaryFolder();
  const entry = join(cwd, 'firstseen-data', 'firstseen.json.lock', randomUUID());
  mkdirSync(entry, { recursive: true });
  writeFileSync(join(entry, 'renewed'), 'holds 1\n');
  return cwd;
}

const WAITS = /is locked by an unknown process, which cannot be seen from here; waiting up to 15 seconds/;

/** Resolves once a process has written a text to standard error, and gives all that it writes up to its end. @param begin makes it write */
async function untilSaid(
  child: ChildProcess,
  said: RegExp,
  begin: () => void = () => undefined,
): Promise<{ ended: Promise<[unknown, string]> }> {
  let text = '';
  const ended = once(child, 'close').then(([code]): [unknown, string] => [code, text]);
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      text += chunk;
      if (said.test(text)) resolve();
    });
    child.on('close', () => reject(new Error(text)));
    begin();
  });
  return { ended };
}

/** Opens a named pipe to write once a process waits to read from it, which goes on waiting. */
async function openedByReader(path: string): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
      await sleep(50);
    }
  }
}

test.each(['SIGTERM', 'SIGHUP'] as const)('a server that starts ends at %s', async (signal) => {
  const child = startFirstseen(['serve', '--port', '0', '--http-port', '0'], { cwd: lockedFolder() });
  const { ended } = await untilSaid(child, WAITS);
  child.kill(signal);
  expect(await ended).toEqual([0, expect.stringMatching(`firstseen: stopped by ${signal} before it served\n$`)]);
});

test.each(sampleOf(['SIGTERM', 'SIGHUP'] as const, 1))(
  'a server whose start waits for a named pipe ends at %s',
  async (signal) => {
    const cwd = temporaryFolder();
    for (const name of ['cert', 'key']) execFileSync('mkfifo', [join(cwd, name)]);
    const child = startFirstseen(['serve', '--tls-cert', 'cert', '--tls-key', 'key', '--port', '0'], { cwd });
    const writer = await openedByReader(join(cwd, 'cert'));
    try {
      const { ended } = await untilSaid(child, new RegExp(`stopped by ${signal}`), () => child.kill(signal));
      expect((await ended)[0]).not.toBe(0);
    } finally {
      closeSync(writer);
    }
  },
);

/** Starts a program as the first process of a namespace. */
const namespace = ['unshare', '--pid', '--fork', '--kill-child'] as const;

/** The number of the first process, outside of its namespace. */
function firstOf({ pid }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1'));
}

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
    const first = firstOf(child);
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

  test('a server that starts ends at SIGTERM', async () => {
    const [command, ...args] = namespace;
    const program = [process.execPath, binPath, 'serve', '--port', '0', '--http-port', '0'];
    const child = spawn(command, [...args, ...program], { cwd: lockedFolder(), stdio: ['pipe', 'pipe', 'pipe'] });
    const { ended } = await untilSaid(child, WAITS);
    process.kill(firstOf(child), 'SIGTERM');
    expect(await ended).toEqual([0, expect.stringMatching(/stopped by SIGTERM before it served\n$/)]);
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('a command ends at %s while its modules are loaded', async (signal, exitCode) => {
    // In place of the modules, one that takes for ever.
    const folder = temporaryFolder();
    cpSync(dirname(binPath), join(folder, 'bin'), { recursive: true });
    mkdirSync(join(folder, 'dist/cli'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'dist/cli/main.js'), "console.error('loading'); setInterval(() => {}, 1000);");
    const [command, ...args] = namespace;
    const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
    const child = spawn(command, [...args, process.execPath, join(folder, 'bin/firstseen.js')], { env });
    const { ended } = await untilSaid(child, /loading/);
    process.kill(firstOf(child), signal);
    expect(await ended).toEqual([exitCode, 'loading\n']);
  });

  test('a command that waits for a named pipe ends at SIGTERM, though its thread is blocked', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a'), 'the quick brown fox jumps over the lazy dog');
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    const [command, ...args] = namespace;
    const near = [process.execPath, mainPath, 'near', '--memory', '64KiB', '--format', 'files', 'a', 'pipe'];
    const child = spawn(command, [...args, ...near], { cwd });
    // What is written is flushed before the run waits for the pipe.
    await once(child.stdout, 'data');
    const { ended } = await untilSaid(child, /stopped by SIGTERM/, () => process.kill(firstOf(child), 'SIGTERM'));
    const [exitCode, text] = await ended;
    expect(exitCode).not.toBe(0);
    expect(text).toBe('firstseen: stopped by SIGTERM after 1 record\n');
  });

  test('a second signal ends it at once', async () => {
    const { url, ended, signalFirst } = await startFirst(temporaryFolder(), '--drain-delay', '1h');
    signalFirst('SIGTERM');
    await untilDraining(url);
    signalFirst('SIGTERM');
    expect(await ended).toBe(143);
  });
});
