// `npm run bench`: speed and memory compared with their limits and with peers, all in one run.
//   --quick        a small version, for a first impression and for the tests
//   --only NAME    claims, detectors, full, streams, lines, keys, keyed, many, memory, motifs, near, parquet, peers, planning, pool,
//                  python, serve, spans, spill, start, threads, kafka, kafka-large or kafka-batches; may be repeated; python and the last three
//                  are measured only if given
//   --compare COMMIT   the main rows of this checkout and of another commit, in turns: their ratios; `release` is the last
//                  release
//   --all          with --compare: all rows, also those that take longer
//   --rows TEXT    of `serve` or of --compare, only the rows that have this text in their names, such as 'a claim and its commit'
//   --json         one JSON object instead of tables
//   --write        writes the measured tables into docs/BENCHMARKS.md; with --compare release, the ratios into bench/releases.json
//   --keep         keeps the files generated for the run, and prints their location

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments } from '../tools/arguments.mjs';
import { replaceBetween } from '../tools/markers.mjs';
import { measureClaims } from './claims.mjs';
import { compareCommits } from './commits.mjs';
import { measureDetectors } from './detectors.mjs';
import { measureFull } from './full.mjs';
import { measureKafka, measureKafkaBatches, measureKafkaLarge } from './kafka.mjs';
import { measureKeyed } from './keyed.mjs';
import { measureKeys } from './keys.mjs';
import { describeMachine, machineText } from './lib/machine.mjs';
import { sectionText } from './lib/table.mjs';
import { measureLines } from './lines.mjs';
import { measureMany } from './many.mjs';
import { measureMemory } from './memory.mjs';
import { measureMotifs } from './motifs.mjs';
import { measureNear } from './near.mjs';
import { measureParquet } from './parquet.mjs';
import { measurePeers } from './peers.mjs';
import { measurePlanning } from './planning.mjs';
import { measurePool } from './pool.mjs';
import { measurePython } from './python.mjs';
import { measureServe } from './serve.mjs';
import { measureSpans } from './spans.mjs';
import { measureSpill } from './spill.mjs';
import { measureStart } from './start.mjs';
import { measureStreams } from './streams.mjs';
import { measureThreads } from './threads.mjs';

const documentUrl = new URL('../docs/BENCHMARKS.md', import.meta.url);

const measures = {
  claims: measureClaims,
  detectors: measureDetectors,
  full: measureFull,
  streams: measureStreams,
  lines: measureLines,
  keys: measureKeys,
  keyed: measureKeyed,
  many: measureMany,
  memory: measureMemory,
  motifs: measureMotifs,
  near: measureNear,
  parquet: measureParquet,
  peers: measurePeers,
  planning: measurePlanning,
  pool: measurePool,
  python: measurePython,
  serve: measureServe,
  spans: measureSpans,
  spill: measureSpill,
  start: measureStart,
  threads: measureThreads,
  kafka: measureKafka,
  'kafka-large': measureKafkaLarge,
  'kafka-batches': measureKafkaBatches,
};
/** What needs programs that are fetched is measured only when it is asked for. */
const measuredByDefault = Object.keys(measures).filter((name) => name !== 'python' && !name.startsWith('kafka'));

function parseOptions() {
  const { values } = readArguments({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      compare: { type: 'string' },
      all: { type: 'boolean', default: false },
      rows: { type: 'string' },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  });
  if (values.compare !== undefined && values.only) throw new Error('--compare has rows of its own: leave --only out');
  if (values.all && values.compare === undefined) throw new Error('--all has an effect only with --compare');
  for (const name of values.only ?? []) {
    if (name in measures) continue;
    throw new Error(`--only is "${name}", but must be one of ${Object.keys(measures).join(', ')}`);
  }
  if (values.rows !== undefined && values.write) throw new Error('--write needs all rows: leave --rows out');
  return { ...values, only: values.only ?? measuredByDefault };
}

/** Writes the tables into the document between their markers. Tables that were not measured stay unchanged. */
function writeSections(texts) {
  let document = readFileSync(documentUrl, 'utf8');
  for (const [name, text] of Object.entries(texts)) document = replaceBetween(document, `bench-${name}`, text);
  writeFileSync(documentUrl, document);
}

async function measureSections(options, { machine, folder }) {
  const sections = {};
  for (const [name, measure] of Object.entries(measures)) {
    if (!options.only.includes(name)) continue;
    if (!options.json) console.error(`measuring ${name}`);
    sections[name] = await measure({ isQuick: options.quick, rows: options.rows, folder });
  }
  const texts = Object.fromEntries(
    Object.entries(sections).map(([name, section]) => [name, sectionText(section, machineText(machine))]),
  );
  if (options.json) console.log(JSON.stringify({ machine, isQuick: options.quick, sections }));
  else console.log(Object.values(texts).join('\n\n'));
  if (options.write) writeSections(texts);
}

async function measureCommits(options, { machine, folder }) {
  const tell = (text) => options.json || console.error(text);
  const { commit, rows, text } = await compareCommits({ ...options, folder, tell });
  if (options.json) console.log(JSON.stringify({ machine, isQuick: options.quick, commit, rows }));
  else console.log(`${text}\n\n${machineText(machine)}.`);
}

async function main() {
  const options = parseOptions();
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-bench-'));
  const measure = options.compare === undefined ? measureSections : measureCommits;
  try {
    await measure(options, { machine: describeMachine(), folder });
  } finally {
    if (options.keep) console.error(`the files of this run are in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
}
