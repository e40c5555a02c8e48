// Servers for tests, each a process of its own.

import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

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

async function stopped(child, ended) {
  child.kill('SIGKILL');
  await ended;
}

/**
 * Starts a process and waits until it listens. @throws Error with its output if it ends before.
 * @param attempts the number of times to try a connection
 */
export async function started(command, args, port, { attempts = ATTEMPTS, ...options } = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = new Promise((resolve) => child.on('close', resolve));
  for (let i = 0; i < attempts; i++) {
    if (child.exitCode !== null) throw new Error(`${command} ended: ${output}`);
    if (await canConnect(port)) return { port, stop: () => stopped(child, ended) };
    await sleep(MILLISECONDS_BETWEEN);
  }
  throw new Error(`${command} does not listen: ${output}`);
}
