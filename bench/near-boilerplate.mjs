// `npm run near -- --boilerplate`: the share of documents of Debian packages that have a band in common with a kept document and are kept
// all the same, among the first 10,000 of a corpus and in the whole of it. Prints Markdown. The packages are fetched once.
//   --folder PATH   where the packages are kept; the default is in the temporary folder
//   --write         also writes the table into docs/NEAR.md

import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createNear } from 'firstseen/near';
import { replaceBetween } from '../tools/markers.mjs';
import { corpora, documentsOf } from './lib/debian.mjs';
import { tableText } from './lib/table.mjs';

const documentUrl = new URL('../docs/NEAR.md', import.meta.url);

const THRESHOLDS = [0.8, 0.7];
const MEMORY = '64MiB';
const FIRST = 10_000;

/** The share of documents that share a band and are kept. */
async function sharing(documents, similarity) {
  const near = await createNear({ memory: MEMORY, similarity });
  const answers = documents.map((bytes) => near.observe(bytes));
  const count = answers.filter(({ verdict, bands }) => verdict === 'distinct' && bands > 0).length;
  return `${((100 * count) / documents.length).toFixed(1)} %`;
}

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

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: join(tmpdir(), 'firstseen-near-real') },
    boilerplate: { type: 'boolean' },
    write: { type: 'boolean' },
  },
});
const rows = [];
for (const corpus of corpora) rows.push(...(await rowsOf(corpus, values.folder)));
const text = tableText(['', 'documents', ...THRESHOLDS.map((at) => `at ${at}`)], rows);
console.log(text);
if (values.write) {
  writeFileSync(documentUrl, replaceBetween(readFileSync(documentUrl, 'utf8'), 'near-boilerplate', text));
}
