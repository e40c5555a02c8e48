// What it takes to keep what was answered: claims and their commits, and the durabilities of the log.

import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../tools/support/median.mjs';
import { takeAsyncTurns } from './lib/rounds.mjs';
import { load, loadClaims, tell, withServers } from './lib/servers.mjs';
import { row } from './lib/table.mjs';

const FORM_OF = { 'firstseen, map': 'redis', firstseen: 'own', Redis: 'redis' };
export const CLAIMS = 'a claim and its commit';
const CLAIM_LOAD = { clients: 50, pipeline: 16, keys: 100_000 };
/** Of what Redis does for each second of the processor. */
const MIN_CLAIMS = 0.8;

const SYNCS = 300;
const SYNCED = Buffer.alloc(4096, 1);

/** The rates of rounds, but for the first. */
async function ratesOf(servers, rounds, rate) {
  const contenders = servers.map((server) => ({ name: server.name, turn: () => rate(server) }));
  const turns = await takeAsyncTurns(contenders, rounds + 1);
  return Object.fromEntries(Object.entries(turns).map(([name, all]) => [name, all.slice(1)]));
}

/** How many times the rate of the second the first has, in the rounds in which both ran. */
const ratioOf = (rates, others) => median(rates.map((rate, round) => rate / others[round]));

/** Claims and commits beside SET NX PX and SET EX. */
export async function claimRows(redis, { rounds, share }) {
  const names = ['firstseen', 'firstseen, map', 'Redis'].filter((name) => name !== 'Redis' || redis);
  return withServers(names, redis, async (servers) => {
    const own = servers.filter(({ name }) => name !== 'Redis');
    await tell(own, 'FS.CREATE requests CLAIMS LEASE 30s WINDOW 1d MEMORY 256MiB');
    let run = 0;
    const rates = await ratesOf(servers, rounds, async (server) => {
      const keys = CLAIM_LOAD.keys * share;
      return 1 / (await loadClaims(server, { ...CLAIM_LOAD, keys, form: FORM_OF[server.name], name: String(run++) }));
    });
    return servers.map(({ name }) =>
      row({
        name: `${CLAIMS}, pipeline ${CLAIM_LOAD.pipeline}, ${name}`,
        measured: median(rates[name]) / 1000,
        unit: 'k/CPU-s',
        compared: redis && name !== 'Redis' ? { to: 'of Redis', value: ratioOf(rates[name], rates.Redis) } : null,
        target: redis && name !== 'Redis' ? { bound: 'least', value: MIN_CLAIMS } : null,
      }),
    );
  });
}

/** How often a disk syncs 4 KiB, a second. */
export function syncsPerSecond() {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-bench-'));
  const file = openSync(join(folder, 'synced'), 'w');
  const before = performance.now();
  for (let i = 0; i < SYNCS; i++) {
    writeSync(file, SYNCED);
    fdatasyncSync(file);
  }
  const seconds = (performance.now() - before) / 1000;
  closeSync(file);
  rmSync(folder, { recursive: true });
  return SYNCS / seconds;
}

/** Loads on logs: which servers, and what the first is compared with. */
const logLoads = [
  {
    ...{ clients: 50, pipeline: 16, requests: 1_000_000 },
    ...{ own: 'firstseen, interval', other: 'firstseen, snapshot', least: 0.75 },
  },
  {
    ...{ clients: 64, pipeline: 1, requests: 60_000 },
    ...{ own: 'firstseen, always', other: 'firstseen, snapshot', least: 0.5 },
  },
  {
    ...{ clients: 50, pipeline: 16, requests: 300_000 },
    ...{ own: 'firstseen, always', other: 'Redis, always', least: 1 },
  },
];

const titleOf = ({ clients, pipeline }) => `BF.ADD, ${clients} clients, pipeline ${pipeline}`;

async function logLoadRows({ own, other, least, requests, ...asked }, redis, { rounds, share, range }) {
  return withServers([own, other], redis, async (servers) => {
    await tell(servers, `BF.RESERVE filter 0.001 ${2 * range} NONSCALING`);
    const command = ['BF.ADD', 'filter', 'key:__rand_int__'];
    const rates = await ratesOf(servers, rounds, async (server) => {
      const { perSecond } = await load(server, { ...asked, range, command, requests: requests * share });
      return perSecond;
    });
    return servers.map(({ name }) =>
      row({
        name: `${titleOf(asked)}, ${name}`,
        measured: median(rates[name]) / 1000,
        unit: 'k/s',
        compared: name === own ? { to: `of ${other}`, value: ratioOf(rates[own], rates[other]) } : null,
        target: name === own ? { bound: 'least', value: least } : null,
      }),
    );
  });
}

/** The durabilities beside each other, and `always` beside Redis with a sync for each change. */
export async function durabilityRows(redis, isAsked, scale) {
  const rows = [];
  const possible = logLoads.filter(({ other }) => redis || !other.startsWith('Redis'));
  for (const asked of possible.filter((one) => isAsked({ name: `${titleOf(one)}, ${one.own}` })))
    rows.push(...(await logLoadRows(asked, redis, scale)));
  return rows;
}
