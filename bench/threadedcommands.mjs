// Whole commands on one thread, on two, and as two processes that share nothing, over the same file.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { median } from '../tools/support/median.mjs';
import { firstseen } from './lib/commands.mjs';
import { csvEvent, csvHeader, jsonEvent, writeRepeatingLines } from './lib/data.mjs';
import { documentSource } from './lib/documents.mjs';
import { medianSpeedRatio, takeAsyncTurns } from './lib/rounds.mjs';
import { speedupTarget } from './lib/speedup.mjs';
import { row } from './lib/table.mjs';

/** The least speed-up by two threads. */
const MIN_RATIO = 1.6;
const MIN_NEAR_RATIO = 1.7;
/** The longest time of two threads over whole lines, relative to that of copying the file. */
const MAX_COPIES = 1.25;

const MEMORY_FOLDER = '/dev/shm';
/** Of all inputs, and the outputs of two programs. */
const MIN_BYTES = 6 * 2 ** 30;

const DOCUMENT_WORDS = 200;
/** A copy repeats one of this many documents. */
const KEPT_DOCUMENTS = 1000;

function writeDocuments(path, count) {
  const source = documentSource(7);
  const kept = [];
  const file = openSync(path, 'w');
  for (let i = 0; i < count; i++) {
    const isCopy = kept.length > 0 && source.share() < 0.5;
    const words = isCopy
      ? source.edited(kept[Math.floor(source.share() * kept.length)], 0.01)
      : source.words(DOCUMENT_WORDS);
    if (!isCopy && kept.push(words) > KEPT_DOCUMENTS) kept.shift();
    writeSync(file, `${words.join(' ')}\n`);
  }
  closeSync(file);
}

async function writeFiles(folder, { records, documents }) {
  const files = Object.fromEntries(
    ['events.ndjson', 'events.csv', 'events.ndjson.gz', 'documents.txt'].map((name) => [name, join(folder, name)]),
  );
  writeRepeatingLines(files['events.ndjson'], { count: records, line: jsonEvent });
  writeRepeatingLines(files['events.csv'], { count: records, line: csvEvent, header: csvHeader });
  await pipeline(
    createReadStream(files['events.ndjson']),
    createGzip({ level: 6 }),
    createWriteStream(files['events.ndjson.gz']),
  );
  writeDocuments(files['documents.txt'], documents);
  return files;
}

/** Runs programs at the same time; the seconds until all have ended. */
async function secondsOf(programs, outputPath) {
  const outputs = programs.map((_, i) => `${outputPath}-${i}`);
  for (const path of outputs) rmSync(path, { force: true });
  const files = outputs.map((path) => openSync(path, 'w'));
  const startedMilliseconds = performance.now();
  const ends = programs.map(async ({ command, args }, i) => {
    const [code] = await once(spawn(command, args, { stdio: ['ignore', files[i], 'ignore'] }), 'exit');
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with code ${code}`);
  });
  await Promise.all(ends);
  const seconds = (performance.now() - startedMilliseconds) / 1000;
  for (const file of files) closeSync(file);
  return seconds;
}

/** The commands that are measured, by name. Their last arguments are those of the number of threads. */
function commandsOver(files) {
  const events = files['events.ndjson'];
  return {
    'ndjson by key': { args: [events, '-k', 'id'] },
    'ndjson by key, 512 MiB': { args: [events, '-k', 'id', '-m', '512MiB'] },
    'csv by column': { args: [files['events.csv'], '-k', 'id'] },
    'gzip, ndjson by key': { args: [files['events.ndjson.gz'], '-k', 'id'] },
    'near, documents of text': { args: ['near', files['documents.txt'], '-f', 'lines'], least: MIN_NEAR_RATIO },
    'whole lines': { args: [events, '-f', 'lines'], copied: events },
  };
}

function speedRows(name, seconds, { least = MIN_RATIO, copied }) {
  const secondsRow = (kind, own, rest = {}) =>
    row({ name: `${name}, ${kind}`, measured: median(own), unit: 's', ...rest });
  const one = secondsRow('one thread', seconds.one);
  if (copied) {
    const compared = { to: 'times the time of cat', value: 1 / medianSpeedRatio(seconds.two, seconds.copy) };
    const target = { bound: 'most', value: MAX_COPIES };
    const two = secondsRow('two threads', seconds.two, { compared, target });
    return [one, two, secondsRow('cat FILE > FILE2', seconds.copy)];
  }
  const ofOne = (value) => ({ to: 'times one thread', value });
  // Two processes do the work twice.
  const asideRatio = 2 * medianSpeedRatio(seconds.aside, seconds.one);
  const compared = ofOne(medianSpeedRatio(seconds.two, seconds.one));
  const two = secondsRow('two threads', seconds.two, { compared, target: speedupTarget(least, asideRatio) });
  const aside = secondsRow('two processes, each over the file', seconds.aside, { compared: ofOne(asideRatio) });
  return [one, two, aside];
}

async function measureCommand(name, command, { folder, rounds }) {
  const program = (threads) => firstseen(...command.args, '--threads', String(threads));
  const outputPath = join(folder, 'threads-output');
  const contenders = [
    { name: 'one', programs: [program(1)] },
    { name: 'two', programs: [program(2)] },
    command.copied
      ? { name: 'copy', programs: [{ command: 'cat', args: [command.copied] }] }
      : { name: 'aside', programs: [program(1), program(1)] },
  ];
  const turns = contenders.map((contender) => ({
    name: contender.name,
    turn: () => secondsOf(contender.programs, outputPath),
  }));
  return speedRows(name, await takeAsyncTurns(turns, rounds), command);
}

/** The rows of whole commands, and what they were measured on. */
export async function measureThreadedCommands({ isQuick, folder: onDisk }) {
  const folder = folderInMemory() ?? onDisk;
  try {
    return await measureIn(folder, isQuick);
  } finally {
    if (folder !== onDisk) rmSync(folder, { recursive: true, force: true });
  }
}

/** A folder in memory, if there is room: a disk that writes what was measured before takes time from what is measured then. */
function folderInMemory() {
  if (!existsSync(MEMORY_FOLDER)) return undefined;
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return bavail * bsize < MIN_BYTES ? undefined : mkdtempSync(join(MEMORY_FOLDER, 'firstseen-bench-'));
}

async function measureIn(folder, isQuick) {
  const { rounds, ...counts } = isQuick
    ? { records: 2000, documents: 200, rounds: 1 }
    : { records: 6_000_000, documents: 200_000, rounds: 5 };
  const files = await writeFiles(folder, counts);
  const rows = [];
  for (const [name, command] of Object.entries(commandsOver(files))) {
    rows.push(...(await measureCommand(name, command, { folder, rounds })));
  }
  return {
    rows,
    text:
      `Whole commands over ${counts.records} events of about 200 bytes, and over ${counts.documents} documents of about ` +
      `${DOCUMENT_WORDS} words, from start to end, median of ${rounds} rounds; the memory is the default unless it is named. ` +
      `Inputs and outputs are ${folder.startsWith(MEMORY_FOLDER) ? 'files in memory' : 'on disk'}.`,
  };
}
