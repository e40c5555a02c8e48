// `npm run near -- --real`: near-duplicates among documents of Debian packages, compared with the exact similarity of each
// document to those kept before it. Prints Markdown. The packages are fetched once.
//   --folder PATH   where the packages are kept; the default is in the temporary folder
//   --corpus N      only the corpus of this number, from 0 on
//   --peers PYTHON  measures other programs too, with this Python, which has datasketch, text-dedup,
//                   rensa and gaoya of PyPI
//   --write         also writes the tables into docs/NEAR.md

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createNear } from 'firstseen/near';
import { readArguments } from '../tools/arguments.mjs';
import { replaceBetween } from '../tools/markers.mjs';
import { corpora, documentsOf } from './lib/debian.mjs';
import { KeptDocuments, rankedSets } from './lib/exactjoin.mjs';
import { tableText } from './lib/table.mjs';

const documentUrl = new URL('../docs/NEAR.md', import.meta.url);

const peersPath = fileURLToPath(new URL('lib/near-peers.py', import.meta.url));

const THRESHOLDS = [0.8, 0.7];
/** A dropped document this far below the threshold counts as close to it. */
const CLOSE = 0.05;
const MEMORY = '64MiB';
/** Some peers print progress on standard error. */
const QUIET = { stdio: ['ignore', 'pipe', 'pipe'] };

const methods = [
  { name: 'not verified', options: { verify: false } },
  { name: 'verified', options: {} },
  { name: 'verified, confidence 1', options: { confidence: 1 } },
];
const peers = [
  { name: 'datasketch, not verified', peer: 'datasketch' },
  { name: 'text-dedup, not verified', peer: 'text-dedup' },
  { name: 'rensa, verified, 16 bands', peer: 'rensa' },
  { name: 'gaoya, verified, 25x5', peer: 'gaoya' },
];

function percent(part, whole) {
  return `${((100 * part) / whole).toFixed(1)} %`;
}

/** The verdicts of another program, and the seconds of processor time that they took. */
function peerVerdicts(peer, similarity, documents, python) {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-near-'));
  try {
    const [texts, verdicts] = [join(folder, 'documents'), join(folder, 'verdicts')];
    const lengths = documents.map(({ length }) => Buffer.from(Uint32Array.of(length).buffer));
    writeFileSync(texts, Buffer.concat(documents.flatMap((bytes, i) => [lengths[i], bytes])));
    const seconds = Number(execFileSync(python, [peersPath, peer, String(similarity), texts, verdicts], QUIET));
    return { verdicts: [...readFileSync(verdicts)].map(Boolean), seconds };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The verdicts of a method, and the seconds of processor time that they took. */
async function verdictsOf({ options, peer }, similarity, { documents, python }) {
  if (peer !== undefined) return peerVerdicts(peer, similarity, documents, python);
  const near = await createNear({ memory: MEMORY, similarity, ...options });
  const before = process.cpuUsage();
  const verdicts = documents.map((bytes) => near.observe(bytes).verdict === 'duplicate');
  const { user, system } = process.cpuUsage(before);
  return { verdicts, seconds: (user + system) / 1e6 };
}

/** How many of the dropped documents are near one that was kept, and how many that are near one were dropped. */
function compare(verdicts, sets, threshold) {
  const kept = new KeptDocuments(threshold - CLOSE);
  const counts = { dropped: 0, right: 0, close: 0, due: 0 };
  for (const [i, isDropped] of verdicts.entries()) {
    const similarity = kept.nearest(sets[i]);
    const isDue = similarity >= threshold;
    counts.due += Number(isDue);
    counts.dropped += Number(isDropped);
    counts.right += Number(isDropped && isDue);
    counts.close += Number(isDropped && similarity > 0);
    if (!isDropped) kept.add(sets[i]);
  }
  return counts;
}

async function rowOf(method, threshold, { documents, sets, python }) {
  const { verdicts, seconds } = await verdictsOf(method, threshold, { documents, python });
  const { dropped, right, close, due } = compare(verdicts, sets, threshold);
  const bytes = documents.reduce((sum, { length }) => sum + length, 0);
  return [
    String(threshold),
    method.name,
    String(dropped),
    percent(right, dropped),
    percent(close, dropped),
    percent(right, due),
    (bytes / 1e6 / seconds).toFixed(0),
  ];
}

async function report(corpus, { folder, python }) {
  const texts = documentsOf(corpus, folder);
  const documents = texts.map((text) => Buffer.from(text, 'latin1'));
  const sets = rankedSets(texts).documents;
  const rows = [];
  for (const threshold of THRESHOLDS) {
    for (const method of [...methods, ...(python === undefined ? [] : peers)]) {
      rows.push(await rowOf(method, threshold, { documents, sets, python }));
    }
  }
  const header = ['similarity', '', 'dropped', 'precision', `within ${CLOSE}`, 'recall', 'MB/s'];
  const text = `${corpus.name}, ${documents.length} documents:\n\n${tableText(header, rows)}`;
  console.log(`${text}\n`);
  return text;
}

async function main() {
  const { values } = readArguments({
    options: {
      folder: { type: 'string', default: join(tmpdir(), 'firstseen-near-real') },
      corpus: { type: 'string' },
      peers: { type: 'string' },
      real: { type: 'boolean' },
      write: { type: 'boolean' },
    },
  });
  const chosen = values.corpus === undefined ? corpora : [corpora[Number(values.corpus)]];
  const texts = [];
  for (const corpus of chosen) texts.push(await report(corpus, { folder: values.folder, python: values.peers }));
  if (!values.write) return;
  writeFileSync(documentUrl, replaceBetween(readFileSync(documentUrl, 'utf8'), 'near-real', texts.join('\n\n')));
}

await main();
