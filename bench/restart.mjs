// How long a server with a detector of 512 MiB takes to start after it was killed, with a log of several lengths, and with a snapshot of
// what the log had; and to stop. Run: node bench/restart.mjs

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../packages/firstseen/dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'firstseen-restart-'));
const STARTS = 5;
const BATCH = 10_000;
const MILLION = 1_000_000;

/** Starts the server, and waits for what it prints when it serves. */
async function start() {
  const begin = performance.now();
  const args = [main, 'serve', '--port', '0', '--redis-only', '--data', folder, '--memory', '1GiB'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += chunk;
    if (printed.includes('memory for detectors')) break;
  }
  const milliseconds = performance.now() - begin;
  return { child, milliseconds, port: Number(/redis protocol: \S*:(\d+)/.exec(printed)[1]) };
}

async function end({ child }, signal) {
  const begin = performance.now();
  child.kill(signal);
  await once(child, 'exit');
  return performance.now() - begin;
}

function encoded(words) {
  return `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
}

/** Sends commands one after the other to a server, which is then killed. */
async function sendAndKill(commands) {
  const server = await start();
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  for (const command of commands) {
    socket.write(encoded(command));
    const [reply] = await once(socket, 'data');
    if (reply.toString().startsWith('-')) throw new Error(reply.toString());
  }
  await end(server, 'SIGKILL');
}

function* elements(from, count) {
  for (let at = from; at < from + count; at += BATCH) {
    yield ['FS.ADD', 'd', ...Array.from({ length: BATCH }, (_, i) => `key ${at + i}`)];
  }
}

async function report(what) {
  const times = [];
  for (let i = 0; i < STARTS; i++) {
    const server = await start();
    times.push(server.milliseconds);
    await end(server, 'SIGKILL');
  }
  times.sort((a, b) => a - b);
  const logs = readdirSync(folder).filter((name) => name.startsWith('log'));
  const bytes = logs.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const [least, middle, most] = [0, (STARTS - 1) / 2, STARTS - 1].map((i) => Math.round(times[i]));
  console.log(`${what}: log of ${bytes} bytes, start ${middle} ms (${least} to ${most})`);
}

try {
  await sendAndKill([['FS.CREATE', 'd', 'algorithm', 'bloom', 'memory', '512MiB'], ['FS.SAVE']]);
  await report('empty');
  await sendAndKill(elements(0, 4 * MILLION));
  await report('4 million elements in the log');
  await sendAndKill(elements(4 * MILLION, 4 * MILLION));
  await report('8 million elements in the log');
  await sendAndKill([['FS.SAVE']]);
  await report('8 million elements in the snapshot');
  console.log(`stop: ${Math.round(await end(await start(), 'SIGTERM'))} ms`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
