// Near-duplicates: documents of about 2 KB through the library and through the command, and the additional memory for
// ten times as many.

import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createNear } from 'firstseen/near';
import { median } from '../tools/support/median.mjs';
import { firstseen, runMeasuringMemory } from './lib/commands.mjs';
import { documentSource } from './lib/documents.mjs';
import { takeTurns, timed } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

const WORDS = 440;
const MEMORY = '64MiB';
/** Half of the documents are copies with 1 % of their words replaced. */
const COPIES = 0.5;
const EDIT_RATE = 0.01;
/** A copy repeats one of this many preceding documents. */
const RECENT = 1000;

const TARGET_DOCUMENTS_PER_SECOND = 5000;
/** Allowance for noise and for buffers that fill late. */
const MAX_GROWTH_MEBIBYTES = 16;

const contenders = [
  { name: 'minhash, 128 permutations, 5w', options: {}, isJudged: true },
  { name: 'minhash, one permutation, 5w', options: { variant: 'one-permutation' } },
  { name: 'minhash, 128 permutations, 24c', options: { shingle: '24c' } },
  { name: 'minhash, 128 permutations, 5w, under a secret', options: { secret: 'random' } },
  { name: 'minhash, 128 permutations, 24c, under a secret', options: { shingle: '24c', secret: 'random' } },
  { name: 'minhash, 128 permutations, 5w, threshold 0.5', options: { similarity: 0.5 } },
  { name: 'minhash, 128 permutations, 5w, nfkc and unicode case', options: { normalize: 'nfkc', case: 'unicode' } },
  { name: 'simhash, 512 planes, 1w', options: { lsh: 'simhash', hashes: 512 } },
];

/** Texts. Half of them are edited copies of a recent one. */
function* texts(count, seed) {
  const source = documentSource(seed);
  const recent = [];
  for (let i = 0; i < count; i++) {
    const isCopy = recent.length > 0 && source.share() < COPIES;
    const words = isCopy
      ? source.edited(recent[Math.floor(source.share() * recent.length)], EDIT_RATE)
      : source.words(WORDS);
    if (!isCopy && recent.push(words) > RECENT) recent.shift();
    yield words.join(' ');
  }
}

async function librarySeconds(documents, rounds) {
  const turns = [];
  for (const { name, options } of contenders) {
    const turn = async () => createNear({ memory: MEMORY, ...options });
    const detectors = await Promise.all(Array.from({ length: rounds }, turn));
    turns.push({
      name,
      turn: () => {
        const near = detectors.pop();
        return timed(() => {
          for (const document of documents) near.observe(document);
        });
      },
    });
  }
  return takeTurns(turns, rounds);
}

function writeNdjson(path, count) {
  const file = openSync(path, 'w');
  try {
    for (const text of texts(count, 7)) writeSync(file, `${JSON.stringify({ text })}\n`);
  } finally {
    closeSync(file);
  }
}

function commandRows(folder, counts) {
  const measured = counts.map((count) => {
    const path = join(folder, `documents-${count}.ndjson`);
    writeNdjson(path, count);
    return { count, ...runMeasuringMemory(firstseen('near', path, '--memory', MEMORY), join(folder, 'output')) };
  });
  const [few] = measured;
  return measured.map(({ count, seconds, peakBytes }) =>
    row({
      name: `the command over ${count} documents of NDJSON, start to end: ${Math.round(count / seconds)} documents/s`,
      measured: peakBytes / 2 ** 20,
      unit: 'MiB at most',
      ...(count === few.count
        ? {}
        : {
            compared: { to: 'MiB more', value: (peakBytes - few.peakBytes) / 2 ** 20 },
            target: { bound: 'most', value: MAX_GROWTH_MEBIBYTES },
          }),
    }),
  );
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureNear({ isQuick, folder }) {
  const { count, rounds, counts } = isQuick
    ? { count: 500, rounds: 1, counts: [300, 3000] }
    : { count: 10_000, rounds: 5, counts: [20_000, 200_000] };
  const documents = [...texts(count, 5)].map((text) => new TextEncoder().encode(text));
  const bytes = documents.reduce((sum, document) => sum + document.length, 0);
  const seconds = await librarySeconds(documents, rounds);
  const rows = contenders.map(({ name, isJudged }) => {
    const middle = median(seconds[name]);
    return row({
      name,
      measured: bytes / middle / 1e6,
      unit: 'MB/s',
      compared: { to: 'documents/s', value: count / middle },
      target: isJudged ? { bound: 'least', value: TARGET_DOCUMENTS_PER_SECOND } : null,
    });
  });
  return {
    title: 'Near-duplicates',
    text:
      `${count} documents of about ${Math.round(bytes / count)} bytes, half of them copies with one word in a hundred replaced. Table of ` +
      `${MEMORY}, one core, median of ${rounds} rounds; the library gets bytes of UTF-8. The last two rows are the whole command ` +
      'and its largest resident set, the second over ten times as many documents.',
    rows: [...rows, ...commandRows(folder, counts)],
  };
}
