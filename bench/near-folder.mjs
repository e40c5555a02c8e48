// `npm run near-folder -- FOLDER [--include PATTERN]`: the files of a folder that `firstseen near` keeps, compared with
// the exact Jaccard similarity to the files kept before. Prints Markdown.

import { readFileSync } from 'node:fs';
import { listFiles, requestOf } from 'firstseen/internal';
import { createNear } from 'firstseen/near';
import { readArguments } from '../tools/arguments.mjs';
import { jaccard, shinglesOf } from './lib/documents.mjs';
import { tableText } from './lib/table.mjs';

const THRESHOLDS = [0.5, 0.7, 0.8];
const SHINGLE_WORDS = 5;
/** A reported document whose similarity is this far below the threshold is an error and not an effect of the gradual curve. */
const FAR_BELOW = 0.15;

/** The words of a text as the kernel reads them, with one character per byte. */
function wordsOf(bytes) {
  return (
    bytes
      .toString('latin1')
      .toLowerCase()
      .match(/[a-z0-9\x80-\xff]+/g) ?? []
  );
}

async function rowFor(documents, threshold) {
  const near = await createNear({ similarity: threshold });
  const kept = [];
  const counts = { dropped: 0, right: 0, due: 0, farBelow: 0 };
  for (const { bytes, shingles } of documents) {
    const nearest = kept.reduce((most, other) => Math.max(most, jaccard(shingles, other)), 0);
    const isDropped = near.observe(bytes).verdict === 'duplicate';
    const isDue = nearest >= threshold;
    counts.dropped += Number(isDropped);
    counts.due += Number(isDue);
    counts.right += Number(isDropped && isDue);
    counts.farBelow += Number(isDropped && nearest < threshold - FAR_BELOW);
    if (!isDropped) kept.push(shingles);
  }
  const percent = (count, total) => `${((100 * count) / total).toFixed(1)} %`;
  const { dropped, right, due, farBelow } = counts;
  return [threshold, kept.length, dropped, percent(right, dropped), percent(right, due), farBelow].map(String);
}

async function main() {
  const { values, positionals } = readArguments({
    allowPositionals: true,
    options: { include: { type: 'string', multiple: true, default: [] } },
  });
  const paths = listFiles(positionals.map(requestOf), { include: values.include, exclude: [] }).map(({ name }) => name);
  const documents = paths.map((path) => {
    const bytes = readFileSync(path);
    return { bytes, shingles: shinglesOf(wordsOf(bytes), SHINGLE_WORDS) };
  });
  const rows = [];
  for (const threshold of THRESHOLDS) rows.push(await rowFor(documents, threshold));
  const header = ['threshold', 'kept', 'dropped', 'precision', 'recall', `dropped below threshold - ${FAR_BELOW}`];
  console.log(`${paths.length} files.\n\n${tableText(header, rows)}`);
}

await main();
