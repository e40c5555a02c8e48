// Servers for tests, each a process of its own on a free port.

import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../../tools/ports.mjs';
import { firstseen } from '../../../tools/support/paths.mjs';

const ATTEMPTS = 400;
const MILLISECONDS_BETWEEN = 25;

function canConnect(port) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** Starts a process and waits until it listens. @throws Error with its output if it ends before. */
async function started(command, args, port) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = new Promise((resolve) => child.on('close', resolve));
  for (let i = 0; i < ATTEMPTS; i++) {
    if (child.exitCode !== null) throw new Error(`${command} ended: ${output}`);
    if (await canConnect(port)) return { port, stop: () => stopped(child, ended) };
    await sleep(MILLISECONDS_BETWEEN);
  }
  throw new Error(`${command} does not listen: ${output}`);
}

async function stopped(child, ended) {
  child.kill('SIGKILL');
  await ended;
}

/** Starts `firstseen serve`, in memory only. */
export async function startFirstseen({ maps = [], memory = '256MiB', config } = {}) {
  const [port, httpPort] = await freePorts(2);
  const mapFlags = maps.flatMap((map) => ['--map', map]);
  const configFlags = config === undefined ? [] : ['--config', config];
  const own = ['--port', String(port), '--memory', memory, '--in-memory', '--http-port', String(httpPort)];
  const flags = [...own, ...configFlags, ...mapFlags];
  return { ...(await started(process.execPath, [firstseen, 'serve', ...flags], port)), httpPort };
}

/** Starts a server of the kind of Redis, in memory only. */
export async function startRedis(path, { module } = {}) {
  const [port] = await freePorts(1);
  const modules = module === undefined ? [] : ['--loadmodule', module];
  const inMemory = ['--save', '', '--appendonly', 'no', '--bind', '127.0.0.1', '--dir', '/'];
  return started(path, ['--port', String(port), ...inMemory, ...modules], port);
}
