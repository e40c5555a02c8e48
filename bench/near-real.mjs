// `npm run near -- --real`: near-duplicates among documents of Debian packages, compared with the exact similarity of each
// document to those kept before it. Prints Markdown. The packages are fetched once.
//   --folder PATH   where the packages are kept; the default is in the temporary folder
//   --corpus N      only the corpus of this number, from 0 on
//   --write         also writes the tables into docs/NEAR.md

import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createNear } from 'firstseen/near';
import { replaceBetween } from '../tools/markers.mjs';
import { corpora, documentsOf } from './lib/debian.mjs';
import { KeptDocuments, rankedSets } from './lib/exactjoin.mjs';
import { tableText } from './lib/table.mjs';

const documentUrl = new URL('../docs/NEAR.md', import.meta.url);

const THRESHOLDS = [0.8, 0.7];
/** A dropped document this far below the threshold counts as close to it. */
const CLOSE = 0.05;
const MEMORY = '64MiB';

const methods = [
  { name: 'not verified', options: {} },
  { name: 'verified', options: { verify: true } },
  { name: 'verified, confidence 1', options: { verify: true, confidence: 1 } },
];

function percent(part, whole) {
  return `${((100 * part) / whole).toFixed(1)} %`;
}

/** The verdicts of a method, and the seconds of processor time that they took. */
async function verdictsOf({ options }, similarity, documents) {
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

async function rowOf(method, threshold, { documents, sets }) {
  const { verdicts, seconds } = await verdictsOf(method, threshold, documents);
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

async function report(corpus, folder) {
  const texts = documentsOf(corpus, folder);
  const documents = texts.map((text) => Buffer.from(text, 'latin1'));
  const sets = rankedSets(texts).documents;
  const rows = [];
  for (const threshold of THRESHOLDS) {
    for (const method of methods) rows.push(await rowOf(method, threshold, { documents, sets }));
  }
  const header = ['similarity', '', 'dropped', 'precision', `within ${CLOSE}`, 'recall', 'MB/s'];
  const text = `${corpus.name}, ${documents.length} documents:\n\n${tableText(header, rows)}`;
  console.log(`${text}\n`);
  return text;
}

async function main() {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string', default: join(tmpdir(), 'firstseen-near-real') },
      corpus: { type: 'string' },
      real: { type: 'boolean' },
      write: { type: 'boolean' },
    },
  });
  const chosen = values.corpus === undefined ? corpora : [corpora[Number(values.corpus)]];
  const texts = [];
  for (const corpus of chosen) texts.push(await report(corpus, values.folder));
  if (!values.write) return;
  writeFileSync(documentUrl, replaceBetween(readFileSync(documentUrl, 'utf8'), 'near-real', texts.join('\n\n')));
}

await main();
