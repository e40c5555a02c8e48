// `npm run near -- --boilerplate`: the share of documents of Debian packages that have a band in common with a kept document and are kept
// all the same, among the first 10,000 of a corpus and in the whole of it. Prints Markdown. The packages are fetched once.
//   --missed        prints in its place what the exact similarities say: how many of those documents are rightly kept, and how many that are
//                   near a kept document were missed, among them and among the others
//   --folder PATH   where the packages are kept; the default is in the temporary folder
//   --write         also writes the table into docs/NEAR.md

import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNear } from 'firstseen/near';
import { readArguments } from '../tools/arguments.mjs';
import { replaceBetween } from '../tools/markers.mjs';
import { corpora, documentsOf } from './lib/debian.mjs';
import { KeptDocuments, rankedSets } from './lib/exactjoin.mjs';
import { tableText } from './lib/table.mjs';

const documentUrl = new URL('../docs/NEAR.md', import.meta.url);

const THRESHOLDS = [0.8, 0.7];
const MEMORY = '64MiB';
const FIRST = 10_000;

function percent(part, whole) {
  return `${((100 * part) / whole).toFixed(1)} %`;
}

async function answersOf(documents, similarity) {
  const near = await createNear({ memory: MEMORY, similarity });
  return documents.map((bytes) => near.observe(bytes));
}

/** Whether a document shares a band with a kept one and is kept. */
function isSharing({ verdict, bands }) {
  return verdict === 'distinct' && bands > 0;
}

/** The share of documents that share a band and are kept. */
async function sharing(documents, similarity) {
  const answers = await answersOf(documents, similarity);
  return percent(answers.filter(isSharing).length, documents.length);
}

/** What the exact similarities to the documents kept before say about the documents that are kept. */
async function missedRowsOf(corpus, folder) {
  const texts = documentsOf(corpus, folder);
  const documents = texts.map((text) => Buffer.from(text, 'latin1'));
  const sets = rankedSets(texts).documents;
  const rows = [];
  for (const similarity of THRESHOLDS) {
    const kept = new KeptDocuments(similarity);
    const counts = { sharing: 0, missedSharing: 0, others: 0, missedOthers: 0 };
    for (const [i, answer] of (await answersOf(documents, similarity)).entries()) {
      if (answer.verdict === 'duplicate') continue;
      const isMissed = kept.nearest(sets[i]) >= similarity;
      kept.add(sets[i]);
      counts[isSharing(answer) ? 'sharing' : 'others']++;
      if (isMissed) counts[isSharing(answer) ? 'missedSharing' : 'missedOthers']++;
    }
    rows.push([
      ...[corpus.name, String(similarity), percent(counts.sharing, documents.length), String(counts.sharing)],
      percent(counts.sharing - counts.missedSharing, counts.sharing),
      ...[String(counts.missedSharing), String(counts.missedOthers)],
    ]);
  }
  return rows;
}

const MISSED_HEADER = ['', 'similarity', 'share', 'documents', 'rightly kept', 'missed', 'missed of the others'];

async function rowsOf(corpus, folder) {
  const documents = documentsOf(corpus, folder).map((text) => Buffer.from(text, 'latin1'));
  const parts = [
    ...(documents.length > FIRST ? [[`first ${FIRST}`, documents.slice(0, FIRST)]] : []),
    [`all ${documents.length}`, documents],
  ];
  const rows = [];
  for (const [part, of] of parts) {
    const shares = [];
    for (const similarity of THRESHOLDS) shares.push(await sharing(of, similarity));
    rows.push([corpus.name, part, ...shares]);
  }
  return rows;
}

const { values } = readArguments({
  options: {
    folder: { type: 'string', default: join(tmpdir(), 'firstseen-near-real') },
    boilerplate: { type: 'boolean' },
    missed: { type: 'boolean' },
    write: { type: 'boolean' },
  },
});

async function tableOf(rowsOfCorpus, header) {
  const rows = [];
  for (const corpus of corpora) rows.push(...(await rowsOfCorpus(corpus, values.folder)));
  return tableText(header, rows);
}

if (values.missed) {
  console.log(await tableOf(missedRowsOf, MISSED_HEADER));
} else {
  const text = await tableOf(rowsOf, ['', 'documents', ...THRESHOLDS.map((at) => `at ${at}`)]);
  console.log(text);
  if (values.write) {
    writeFileSync(documentUrl, replaceBetween(readFileSync(documentUrl, 'utf8'), 'near-boilerplate', text));
  }
}
