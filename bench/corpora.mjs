// `npm run near -- --corpora`: the steps of docs/CORPORA.md one after the other over shards of documents of Debian packages
// (lib/debian.mjs): what each drops, and what it costs. Prints Markdown. The packages are fetched once.
//   --folder PATH   where the packages are kept; the default is in the temporary folder
//   --write         also writes the table into docs/CORPORA.md

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments } from '../tools/arguments.mjs';
import { replaceBetween } from '../tools/markers.mjs';
import { firstseen, runMeasuringMemory } from './lib/commands.mjs';
import { corpora, textsOf } from './lib/debian.mjs';
import { describeMachine, machineText } from './lib/machine.mjs';
import { writeShards } from './lib/shards.mjs';
import { tableText } from './lib/table.mjs';

const documentUrl = new URL('../docs/CORPORA.md', import.meta.url);

/** In the order of docs/CORPORA.md: each reads what the one before it has left. */
const steps = [
  { name: 'exact', args: ['--format', 'ndjson', '--key', 'text'] },
  { name: 'near', args: ['near', '--format', 'ndjson'] },
  { name: 'passages', args: ['passages', '--emit', 'rewritten', '--skip-empty'] },
];

function countRecords(path) {
  let records = 0;
  for (const byte of readFileSync(path)) records += Number(byte === 0x0a);
  return records;
}

const bytesOf = (paths) => paths.reduce((sum, path) => sum + statSync(path).size, 0);
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

function takeStep({ name, args }, { inputs, folder }) {
  const output = join(folder, `${name}.jsonl`);
  const { seconds, peakBytes } = runMeasuringMemory(firstseen(...args, ...inputs), output);
  const records = inputs.reduce((sum, path) => sum + countRecords(path), 0);
  const row = [
    ...[name, String(records), String(records - countRecords(output))],
    ...[megabytes(bytesOf(inputs)), megabytes(bytesOf([output]))],
    ...[(bytesOf(inputs) / 1e6 / seconds).toFixed(0), (peakBytes / 2 ** 20).toFixed(0)],
  ];
  return { row, output };
}

function report(corpus, packages) {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-corpora-'));
  try {
    let inputs = writeShards(textsOf(corpus, packages), folder);
    const rows = [];
    for (const step of steps) {
      const { row, output } = takeStep(step, { inputs, folder });
      rows.push(row);
      inputs = [output];
    }
    const header = ['step', 'records', 'dropped', 'MB read', 'MB left', 'MB/s', 'peak MiB'];
    return `${corpus.name}. ${machineText(describeMachine())}.\n\n${tableText(header, rows)}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const { values } = readArguments({
  options: {
    folder: { type: 'string', default: join(tmpdir(), 'firstseen-near-real') },
    corpora: { type: 'boolean' },
    write: { type: 'boolean' },
  },
});
const text = report(corpora[0], values.folder);
console.log(text);
if (values.write) {
  const document = readFileSync(documentUrl, 'utf8');
  writeFileSync(documentUrl, replaceBetween(document, 'corpora', text));
}
