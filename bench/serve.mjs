// Servers that hold detectors: ours, Redis with RedisBloom, and a server in Node that only finds the commands. `redis-benchmark` is the load.

import { median } from '../tools/support/median.mjs';
import { processorSeconds, residentBytes } from './lib/processgroups.mjs';
import { takeAsyncTurns } from './lib/rounds.mjs';
import { ask, findRedis, hasProgram, load, openSocket, tell, withServers } from './lib/servers.mjs';
import { row } from './lib/table.mjs';
import { CLAIMS, claimRows, durabilityRows, syncsPerSecond } from './servedurability.mjs';
import { httpRows, POSTED } from './servehttp.mjs';

const [OURS, PEER, EMPTY] = ['firstseen', 'Redis', 'empty server'];
const CLIENTS = 50;
/** Keys of a filter that is in the caches of the processor, drawn evenly. */
const KEYS = 1_000_000;
/** Keys of a filter that is not. */
const MANY_KEYS = 50_000_000;
const KEY = 'key:__rand_int__';
const KEYS_OF_MANY = 100;
const manyKeys = Array(KEYS_OF_MANY).fill(KEY);

/** Bytes of each of many detectors, and the filter of Redis that takes as many. */
const SMALL = { create: 'memory 64KiB', reserve: '0.001 36464 NONSCALING' };
const MANY = 'detectors of 64 KiB';
const CONNECTIONS = 1000;
const RESIDENT = 'RSS with';
/** The most MiB that the server takes besides its detectors. */
const MAX_BESIDE = 150;

/** The loads. `least` is how many times the requests of the peer are enough. */
const loads = [
  { name: 'BF.ADD, pipeline 1', command: ['BF.ADD', 'filter', KEY], pipeline: 1, requests: 100_000, least: 0.9 },
  { name: 'BF.ADD, pipeline 16', command: ['BF.ADD', 'filter', KEY], pipeline: 16, requests: 1_000_000, least: 1.8 },
  { name: 'BF.ADD, pipeline 100', command: ['BF.ADD', 'filter', KEY], pipeline: 100, requests: 3_000_000, least: 3.5 },
  {
    name: `BF.MADD of ${KEYS_OF_MANY} keys`,
    command: ['BF.MADD', 'filter', ...manyKeys],
    ...{ pipeline: 1, requests: 30_000, least: 2.2 },
  },
  {
    name: `FS.OBSERVE of ${KEYS_OF_MANY} keys`,
    command: ['FS.OBSERVE', 'filter', ...manyKeys],
    ...{ pipeline: 1, requests: 30_000, isOurs: true },
  },
];

/** The same question in the words of Redis: keys of a map, each with a time. */
const DAY_SECONDS = 86_400;
const setLoads = [
  { pipeline: 1, requests: 100_000, least: 0.7 },
  { pipeline: 16, requests: 1_000_000, least: 1.6 },
  { pipeline: 100, requests: 3_000_000 },
].map(({ pipeline, requests, least }) => ({
  name: `SET NX EX, pipeline ${pipeline}`,
  command: ['SET', 'set:__rand_int__', '1', 'NX', 'EX', String(DAY_SECONDS)],
  ...{ pipeline, requests, least },
}));

/** The same for a filter that is larger than the caches, as filters in use are. */
const largeLoads = loads
  .filter(({ isOurs }) => !isOurs)
  .map((load) => ({ ...load, name: `${load.name}, ${MANY_KEYS / KEYS} times as many keys`, range: MANY_KEYS }));

/** Sends a command to the servers that have filters. */
async function tellFilters(running, commandFor) {
  for (const server of running.filter(({ name }) => name !== EMPTY)) await tell([server], commandFor(server));
}

/** Makes a filter with room for all keys: none grows. */
function reserve(running, keys) {
  return tellFilters(running, () => `BF.RESERVE filter 0.001 ${2 * keys} NONSCALING`);
}

function drop(running) {
  return tellFilters(running, ({ name }) => (name === OURS ? 'FS.DROP filter' : 'DEL filter'));
}

/** Makes what the map of the server names: it has room for all keys, and is exact as Redis is. */
async function createWindow(server) {
  await tell([server], `FS.CREATE events algorithm exactwindow window ${DAY_SECONDS}s memory 64MiB`);
}

/** Runs a load on servers in turns. The first round is not counted. */
async function takeRounds(running, { rounds, ...asked }) {
  const contenders = running.map((server) => ({ name: server.name, turn: () => load(server, asked) }));
  const turns = await takeAsyncTurns(contenders, rounds + 1);
  return Object.fromEntries(Object.entries(turns).map(([name, all]) => [name, all.slice(1)]));
}

/** How many times as long as the first the second takes. */
function ratioOf(turns, others) {
  return median(turns.map(({ secondsPerRequest }, round) => others[round].secondsPerRequest / secondsPerRequest));
}

/** What the clients saw. */
function besideOf(turns) {
  const medianOf = (member) => median(turns.map((turn) => turn[member]));
  return { 'requests/s': medianOf('perSecond'), 'p50, ms': medianOf('p50'), 'p99, ms': medianOf('p99') };
}

async function loadRows(running, { name, least, isOurs = false, range = KEYS, ...asked }) {
  const turns = await takeRounds(isOurs ? running.filter((server) => server.name !== PEER) : running, {
    ...asked,
    ...{ range, clients: CLIENTS },
  });
  const peer = turns[PEER];
  return Object.entries(turns).map(([server, own]) =>
    row({
      name: `${name}, ${server}`,
      measured: 1 / median(own.map(({ secondsPerRequest }) => secondsPerRequest)) / 1000,
      unit: 'k/CPU-s',
      compared: peer && server !== PEER ? { to: `of ${PEER}`, value: ratioOf(own, peer) } : null,
      target: peer && server === OURS && least !== undefined ? { bound: 'least', value: least } : null,
      beside: besideOf(own),
    }),
  );
}

/** Makes many detectors, and asks a random one with each command. */
async function manyRows(server, { count, requests, rounds }) {
  const socket = await openSocket(server);
  const names = Array.from({ length: count }, (_, i) => `small:${String(i).padStart(12, '0')}`);
  const making = (name) =>
    server.name === OURS ? `FS.CREATE ${name} ${SMALL.create}` : `BF.RESERVE ${name} ${SMALL.reserve}`;
  const seconds = await processorSeconds(server, () => ask(socket, names.map(making)));
  socket.destroy();
  const asked = { pipeline: 16, requests, range: count, clients: CLIENTS, rounds };
  const detector = 'small:__rand_int__';
  const turns = (await takeRounds([server], { ...asked, command: ['BF.ADD', detector, KEY] }))[server.name];
  const title = `${count} ${MANY}`;
  return [
    row({ name: `${title}, to make one, ${server.name}`, measured: (1e6 * seconds) / count, unit: 'µs' }),
    row({
      name: `${title}, BF.ADD to a random one, ${server.name}`,
      measured: 1e6 * median(turns.map(({ secondsPerRequest }) => secondsPerRequest)),
      unit: 'µs',
      beside: besideOf(turns),
    }),
  ];
}

/** The resident memory with connections that have all sent something. */
async function memoryRow(server, count) {
  const sockets = await Promise.all(Array.from({ length: count }, () => openSocket(server)));
  await Promise.all(sockets.map((socket, i) => ask(socket, [`BF.ADD filter connection:${i}`])));
  const mebibytes = residentBytes(server) / 2 ** 20;
  const information = (await ask(sockets[0], ['INFO memory'])).join('\n');
  const [, detectorBytes] = /detectors_memory:(\d+)/.exec(information);
  for (const socket of sockets) socket.destroy();
  const compared = { to: 'MiB more than the detectors', value: mebibytes - Number(detectorBytes) / 2 ** 20 };
  const target = { bound: 'most', value: MAX_BESIDE };
  return row({ name: `${RESIDENT} ${count} connections`, measured: mebibytes, unit: 'MiB', compared, target });
}

async function rowsOf(running, some, { rounds, share }) {
  const rows = [];
  for (const { requests, ...asked } of some)
    rows.push(...(await loadRows(running, { ...asked, rounds, requests: requests * share })));
  return rows;
}

/** The rows of servers in memory. @param isAsked whether rows of a name are wanted */
async function memoryRows(running, isAsked, { small, connections, ...scale }) {
  const [asked, askedLarge, askedSets] = [loads, largeLoads, setLoads].map((all) => all.filter(isAsked));
  await reserve(running, KEYS);
  const rows = await rowsOf(running, asked, scale);
  await createWindow(running[0]);
  rows.push(...(await rowsOf(running, askedSets, scale)));
  if (isAsked({ name: RESIDENT })) rows.push(await memoryRow(running[0], connections));
  if (askedLarge.length > 0) {
    await drop(running);
    await reserve(running, MANY_KEYS);
  }
  rows.push(...(await rowsOf(running, askedLarge, scale)));
  if (!isAsked({ name: MANY })) return rows;
  for (const server of running.filter(({ name }) => name !== EMPTY))
    rows.push(...(await manyRows(server, { ...small, rounds: scale.rounds })));
  return rows;
}

async function withMemory(redis, isAsked, scale) {
  const all = [...loads, ...setLoads, ...largeLoads, { name: RESIDENT }, { name: MANY }];
  if (!all.some(isAsked)) return [];
  const names = [OURS, ...(redis ? [PEER] : []), EMPTY];
  return withServers(names, redis, (running) => memoryRows(running, isAsked, scale));
}

/**
 * @param {{ isQuick: boolean, rows?: string }} asked `rows` is in the names of the loads that are wanted
 * @returns {Promise<import('./lib/table.mjs').Section>}
 */
export async function measureServe({ isQuick, rows: part = '' }) {
  const title = 'The server';
  if (!hasProgram('redis-benchmark')) return { title, text: 'Not measured: there is no `redis-benchmark`.', rows: [] };
  const redis = findRedis();
  const scale = isQuick
    ? { rounds: 1, share: 0.05, small: { count: 100, requests: 20_000 }, connections: 100 }
    : { rounds: 5, share: 1, small: { count: 10_000, requests: 200_000 }, connections: CONNECTIONS };
  const isAsked = ({ name }) => name.includes(part);
  const rows = await withMemory(redis, isAsked, scale);
  if (isAsked({ name: CLAIMS })) rows.push(...(await claimRows(redis, scale)));
  rows.push(...(await durabilityRows(redis, isAsked, { ...scale, range: KEYS })));
  if (isAsked({ name: POSTED })) rows.push(...(await httpRows({ ...scale, range: KEYS })));
  const peer = redis ? redis.description : 'without Redis and RedisBloom, which are not installed';
  return {
    title,
    text:
      `Requests for a second of the processor, of the whole process group, in thousands; beside ${PEER}: ${peer}. \`redis-benchmark\` ` +
      `with ${CLIENTS} clients is on the other core. Keys are ${KEYS} of 16 bytes, drawn evenly, and most were seen before. The empty ` +
      'server is one in Node that finds the commands and answers them all with 1. A latency is that of a whole pipeline. ' +
      `Medians of ${scale.rounds} rounds after one that is not counted. Rates in k/s are those that the clients see, with logs on a disk that ` +
      `syncs 4 KiB ${Math.round(syncsPerSecond())} times a second.`,
    rows,
  };
}
