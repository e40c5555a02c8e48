// `npm run bench`: speed and memory compared with their limits and with peers, all in one run.
//   --quick        a small version, for a first impression and for the tests
//   --only NAME    claims, detectors, full, streams, lines, keys, keyed, many, memory, motifs, near, parquet, peers, planning, pool,
//                  python, serve, spans, spill, start, threads, kafka, kafka-large or kafka-batches; may be repeated; python and the last three
//                  are measured only if given
//   --rows TEXT    of `serve`, only the loads that have this text in their names, such as 'a claim and its commit'
//   --json         one JSON object instead of tables
//   --write        writes the measured tables into docs/BENCHMARKS.md
//   --keep         keeps the files generated for the run, and prints their location

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { replaceBetween } from '../tools/markers.mjs';
import { measureClaims } from './claims.mjs';
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
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: measuredByDefault },
      rows: { type: 'string' },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  });
  for (const name of values.only) {
    if (name in measures) continue;
    throw new Error(`--only is "${name}", but must be one of ${Object.keys(measures).join(', ')}`);
  }
  if (values.rows !== undefined && values.write) throw new Error('--write needs all rows: leave --rows out');
  return values;
}

/** Writes the tables into the document between their markers. Tables that were not measured stay unchanged. */
function writeSections(texts) {
  let document = readFileSync(documentUrl, 'utf8');
  for (const [name, text] of Object.entries(texts)) document = replaceBetween(document, `bench-${name}`, text);
  writeFileSync(documentUrl, document);
}

async function main() {
  const options = parseOptions();
  const machine = describeMachine();
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-bench-'));
  const sections = {};
  try {
    for (const [name, measure] of Object.entries(measures)) {
      if (!options.only.includes(name)) continue;
      if (!options.json) console.error(`measuring ${name}`);
      sections[name] = await measure({ isQuick: options.quick, rows: options.rows, folder });
    }
  } finally {
    if (options.keep) console.error(`the files of this run are in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
  const texts = Object.fromEntries(
    Object.entries(sections).map(([name, section]) => [name, sectionText(section, machineText(machine))]),
  );
  if (options.json) console.log(JSON.stringify({ machine, isQuick: options.quick, sections }));
  else console.log(Object.values(texts).join('\n\n'));
  if (options.write) writeSections(texts);
}

try {
  await main();
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
}
