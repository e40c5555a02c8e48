// The rows in which two commits are compared: each has a turn in the built files of either.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { runMeasuringMemory } from './commands.mjs';
import { csvEvent, csvHeader, jsonEvent, url, writeRepeatingLines } from './data.mjs';
import { documentSource } from './documents.mjs';
import { secondsOf } from './processortime.mjs';
import { ask, loadClaims, openSocket, startProgram, stopServer } from './servers.mjs';

const callsPath = fileURLToPath(new URL('./calls.mjs', import.meta.url));
const MEBIBYTE = 2 ** 20;
const SEED = 20_120_326;
const DOCUMENT_WORDS = 150;
const CLAIMS = { form: 'own', clients: 50, pipeline: 16, name: 'key' };

/**
 * @typedef {{bin: string, index: string, env: Record<string, string>, folder: string}} Contender the command and the
 *   library of a commit, what its processes have in their environment, and a folder for what they write
 */

/** The seconds of processor time of the command from start to end. */
function seconds({ bin, env }, args, count = 1) {
  return secondsOf([process.execPath, bin, ...args], { count, env }).processor;
}

function secondsOfCalls({ index, env }, name, count) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [callsPath, index, name, String(count)], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(`calls of ${name} fail in ${index}: ${stderr}`);
  return Number(stdout);
}

function peakMebibytes({ bin, env, folder }, args) {
  const program = { command: process.execPath, args: [bin, ...args], env };
  return runMeasuringMemory(program, join(folder, 'output')).peakBytes / MEBIBYTE;
}

async function secondsOfServer({ bin }, keys) {
  const programFor = ({ port }) => ({
    command: process.execPath,
    args: [bin, 'serve', '--port', String(port), '--redis-only', '--in-memory'],
  });
  const server = await startProgram(bin, programFor);
  try {
    const socket = await openSocket(server);
    await ask(socket, ['FS.CREATE requests CLAIMS LEASE 30s WINDOW 1d MEMORY 64MiB']);
    socket.destroy();
    return await loadClaims(server, { ...CLAIMS, keys });
  } finally {
    await stopServer(server);
  }
}

/** Documents, of which every third repeats the one before it with some words replaced. */
function writeDocuments(path, count) {
  const source = documentSource(SEED);
  let words = [];
  const lines = Array.from({ length: count }, (_, i) => {
    words = i % 3 === 2 ? source.edited(words, 0.02) : source.words(DOCUMENT_WORDS);
    return JSON.stringify({ id: i, text: words.join(' ') });
  });
  writeFileSync(path, `${lines.join('\n')}\n`);
}

/**
 * The rows by their names. `make` writes the input and returns the arguments of the command; `turn` returns seconds of
 * processor time, or MiB.
 * @param {{folder: string, scale: number}} options `scale` is the share of the usual number of records
 */
export function commitRows({ folder, scale }) {
  const counted = (count) => Math.ceil(count * scale);
  /** The path of an input. Rows share inputs. */
  const input = (name, write) => {
    const path = join(folder, name);
    if (!existsSync(path)) write(path);
    return path;
  };
  const repeating = (name, count, format) =>
    input(name, (path) => writeRepeatingLines(path, { count: counted(count), ...format }));
  const lines = () => repeating('lines.txt', 2_000_000, { line: url });
  const documents = () => input('documents.ndjson', (path) => writeDocuments(path, counted(20_000)));
  const ndjson = { line: jsonEvent };
  const csv = { line: csvEvent, header: csvHeader };
  const calls = (name) => ({
    make: () => [],
    turn: (contender) => secondsOfCalls(contender, name, counted(2_000_000)),
  });
  return {
    'lines, 2 million': { make: () => [lines()], turn: seconds },
    'CSV by a column, 1 million': { make: () => [repeating('events.csv', 1_000_000, csv), '-k', 'id'], turn: seconds },
    'NDJSON by a field, 1 million': {
      ...{ make: () => [repeating('events.ndjson', 1_000_000, ndjson), '-k', 'id'], turn: seconds },
    },
    'observe(text), 2 million': calls('observe'),
    'observeMany(texts), 2 million': calls('observeMany'),
    'start, three lines': {
      make: () => [input('three.txt', (path) => writeFileSync(path, 'a\nb\na\n'))],
      turn: (contender, args) => seconds(contender, args, Math.ceil(10 * scale)),
    },
    'peak memory, 2 million lines': { make: () => [lines()], turn: peakMebibytes, unit: 'MiB' },
    'observeSpans, 2 million': { ...calls('observeSpans'), isRare: true },
    'lines of gzip, 2 million': {
      make: () => [input('lines.txt.gz', (path) => writeFileSync(path, gzipSync(readFileSync(lines()), { level: 1 })))],
      ...{ turn: seconds, isRare: true },
    },
    'NDJSON --strict, 200,000': {
      make: () => [repeating('strict.ndjson', 200_000, ndjson), '-k', 'id', '--strict'],
      ...{ turn: seconds, isRare: true },
    },
    'near-duplicates, 20,000 documents': {
      make: () => ['near', documents(), '--memory', '64MiB'],
      ...{ turn: seconds, isRare: true },
    },
    'passages, 20,000 documents': { make: () => ['passages', documents()], turn: seconds, isRare: true },
    'server, claims and commits, pipeline 16': {
      make: () => [],
      turn: (contender) => secondsOfServer(contender, counted(100_000)),
      isRare: true,
      isPossible: process.platform === 'linux',
    },
  };
}
