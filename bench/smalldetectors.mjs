// What a server takes with many small detectors, beside what it counts for its memory limit. Needs Linux.
// Run: node bench/smalldetectors.mjs

import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { firstseen } from './lib/commands.mjs';
import { ask, openSocket, startProgram, stopServer } from './lib/servers.mjs';
import { tableText } from './lib/table.mjs';

const COUNTS = [1000, 2000, 5000];
const BATCH = 250;
const REST_MILLISECONDS = 3000;
const MIB = 2 ** 20;

/** The detectors by name: the options of the one of a number. */
const kinds = {
  bloom: () => 'ALGORITHM bloom MEMORY 1KiB',
  qht: () => 'ALGORITHM qht MEMORY 1KiB',
  exact: () => 'ALGORITHM exact MEMORY 1KiB',
  'exactwindow of an hour': () => 'ALGORITHM exactwindow MEMORY 1KiB WINDOW 1h',
  claims: () => 'ALGORITHM exact MEMORY 1KiB CLAIMS',
  'claims, each holds a key': () => 'ALGORITHM exact MEMORY 1KiB CLAIMS',
  'bloom, a seed each': (number) => `ALGORITHM bloom MEMORY 1KiB SEED ${number}`,
};

/** The command that uses a detector once. */
const useOf = (kind) => (kind.endsWith('holds a key') ? 'FS.CLAIM' : kind.startsWith('claims') ? 'FS.TEST' : 'FS.ADD');

/** Starts a server with a data folder, or without. */
function startServer(isLogging, ...flags) {
  return startProgram('firstseen', ({ port, httpPort, folder }) => {
    const data = isLogging ? ['--data', `${folder}/data`] : ['--in-memory'];
    return firstseen('serve', '--port', String(port), '--http-port', String(httpPort), ...data, ...flags);
  });
}

/** The memory of a process: what it has, and the most that it had. */
function residentBytes({ group }) {
  const status = readFileSync(`/proc/${group}/status`, 'utf8');
  const bytesOf = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)[1]) * 1024;
  return { now: bytesOf('VmRSS'), peak: bytesOf('VmHWM') };
}

/** Waits until a server has read its data folder. */
async function untilReady({ httpPort }) {
  while (!(await fetch(`http://127.0.0.1:${httpPort}/readyz`)).ok) await delay(50);
}

async function countedBytes({ httpPort }) {
  const text = await (await fetch(`http://127.0.0.1:${httpPort}/metrics`)).text();
  return Number(/^firstseen_detectors_memory_bytes (\d+)/m.exec(text)[1]);
}

/** Makes detectors, and uses each once. */
async function fill(socket, kind, from, to) {
  for (let at = from; at < to; at += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, to - at) }, (_, i) => at + i);
    await ask(
      socket,
      numbers.map((number) => `FS.CREATE d${number} ${kinds[kind](number + 1)}`),
    );
    const uses = numbers.map((number) => `${useOf(kind)} d${number} k`);
    // The reply to a claim has several lines, in one chunk.
    if (kind.endsWith('holds a key')) for (const use of uses) await ask(socket, [use]);
    else await ask(socket, uses);
  }
}

async function measured(server) {
  await delay(REST_MILLISECONDS);
  return { ...residentBytes(server), counted: await countedBytes(server) };
}

const shown = (bytes) => (bytes / MIB).toFixed(1);

/** The cells of a kind: for each number of detectors, the bytes that are counted, and what they add to an empty server at rest and at most. */
async function cellsOf(kind, isLogging) {
  const server = await startServer(isLogging, '--memory', '1GiB');
  const cells = [];
  try {
    await untilReady(server);
    const socket = await openSocket(server);
    // Compiles what every server has compiled after its first requests.
    await fill(socket, 'exact', 0, BATCH);
    await ask(
      socket,
      Array.from({ length: BATCH }, (_, i) => `DEL d${i}`),
    );
    const empty = await measured(server);
    let made = 0;
    for (const count of COUNTS) {
      await fill(socket, kind, made, count);
      made = count;
      const { now, peak, counted } = await measured(server);
      cells.push([counted, now - empty.now, Math.max(0, peak - empty.peak)].map(shown).join(', '));
    }
    socket.destroy();
  } finally {
    await stopServer(server);
  }
  return cells;
}

const rows = [];
for (const kind of Object.keys(kinds)) {
  for (const isLogging of [false, true]) {
    rows.push([`${kind}${isLogging ? ', logged' : ''}`, ...(await cellsOf(kind, isLogging))]);
  }
}
console.log('MiB that are counted, that are taken at rest, and at most:');
console.log(tableText(['detectors of 1 KiB', ...COUNTS.map((count) => count.toLocaleString('en'))], rows));
