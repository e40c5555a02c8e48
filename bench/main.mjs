// `npm run bench`: speed and memory against their limits and their peers, everything in one run.
//   --quick        a small version, for a look and for the tests
//   --only NAME    detectors, full, streams, lines, keys, keyed, memory, motifs, near or peers; may be repeated
//   --json         one JSON object instead of tables
//   --write        puts the tables into docs/BENCHMARKS.md
//   --keep         leaves the files made for the run, and says where

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { replaceBetween } from '../tools/markers.mjs';
import { measureDetectors } from './detectors.mjs';
import { measureFull } from './full.mjs';
import { measureKeyed } from './keyed.mjs';
import { measureKeys } from './keys.mjs';
import { describeMachine, machineText } from './lib/machine.mjs';
import { sectionText } from './lib/table.mjs';
import { measureLines } from './lines.mjs';
import { measureMemory } from './memory.mjs';
import { measureMotifs } from './motifs.mjs';
import { measureNear } from './near.mjs';
import { measurePeers } from './peers.mjs';
import { measureStreams } from './streams.mjs';

const documentUrl = new URL('../docs/BENCHMARKS.md', import.meta.url);

const measures = {
  detectors: measureDetectors,
  full: measureFull,
  streams: measureStreams,
  lines: measureLines,
  keys: measureKeys,
  keyed: measureKeyed,
  memory: measureMemory,
  motifs: measureMotifs,
  near: measureNear,
  peers: measurePeers,
};

function parseOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: Object.keys(measures) },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  });
  for (const name of values.only) {
    if (name in measures) continue;
    throw new Error(`--only is "${name}", but must be one of ${Object.keys(measures).join(', ')}`);
  }
  return values;
}

function reportText(machine, sections) {
  return [machineText(machine), ...Object.values(sections).map(sectionText)].join('\n\n');
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
      sections[name] = await measure({ isQuick: options.quick, folder });
    }
  } finally {
    if (options.keep) console.error(`the files of this run are in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
  if (options.json) console.log(JSON.stringify({ machine, isQuick: options.quick, sections }));
  else console.log(reportText(machine, sections));
  if (options.write) {
    const text = readFileSync(documentUrl, 'utf8');
    writeFileSync(documentUrl, replaceBetween(text, 'bench', reportText(machine, sections)));
  }
}

try {
  await main();
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
}
