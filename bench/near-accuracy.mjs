// `npm run near`: precision and recall of near-duplicate detection, compared with exact Jaccard similarity, with theory
// and with MinHash LSH in hash tables. Prints Markdown.
//   --groups N   number of documents that are copied, default 800; up to twelve times as many to measure memory
//   --write      also writes the tables into docs/NEAR.md and the plots into docs/near
//   --real       measures documents of Debian packages instead (near-real.mjs)
//   --scripts    measures text in scripts without blanks instead (near-scripts.mjs)
//   --boilerplate  measures how many documents share text instead (near-boilerplate.mjs), with --missed
//   --passages   measures passages of documents of Debian packages instead (passages.mjs)
//   --corpora    measures the steps of docs/CORPORA.md instead (corpora.mjs)

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chanceAt } from 'firstseen/internal';
import { createNear } from 'firstseen/near';
import { plotSvg } from 'firstseen-lab';
import { readArguments } from '../tools/arguments.mjs';
import { replaceBetween } from '../tools/markers.mjs';
import { runMeasuringMemory } from './lib/commands.mjs';
import { EDIT_RATES, outcomes, SHINGLE_WORDS } from './lib/groups.mjs';
import { HashTables } from './lib/hashtables.mjs';
import { tableText } from './lib/table.mjs';

const documentUrl = new URL('../docs/NEAR.md', import.meta.url);
const plotsUrl = new URL('../docs/near/', import.meta.url);
const processPath = fileURLToPath(new URL('./lib/near-process.mjs', import.meta.url));

const THRESHOLDS = [0.5, 0.7, 0.8];
const SEED = 21;
const MEMORY = '16MiB';
const BINS = 20;

const methods = [
  { name: 'MinHash LSH in hash tables', isPeer: true },
  { name: 'firstseen, table qht', options: {} },
  { name: 'firstseen, table bloom', options: { algorithm: 'bloom' } },
  { name: 'firstseen, table exact', options: { algorithm: 'exact', memory: '64MiB' } },
  { name: 'firstseen, window of 2,000 documents', options: { window: 2000 } },
  { name: 'firstseen, table qht, one permutation', options: { variant: 'one-permutation' } },
];

async function observer({ isPeer, options }, similarity) {
  const near = await createNear({ memory: MEMORY, similarity, verify: false, ...options });
  if (!isPeer) return { settings: near.settings, observe: ({ words }) => near.observe(words.join(' ')).verdict };
  const tables = new HashTables({ ...near.settings, seed: SEED });
  return { settings: near.settings, observe: ({ group, words }) => tables.observe(group, words, SHINGLE_WORDS) };
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

/** Precision and recall of the dropped documents, and the prediction of the S-curve for the same similarities. */
function ratesOf(found, threshold, chance) {
  const due = found.filter(({ similarity }) => similarity >= threshold);
  const dropped = found.filter(({ isDropped }) => isDropped);
  const right = due.filter(({ isDropped }) => isDropped).length;
  const sum = (list) => list.reduce((total, { similarity }) => total + chance(similarity), 0);
  return {
    precision: right / dropped.length,
    recall: right / due.length,
    expectedPrecision: sum(due) / sum(found),
    expectedRecall: sum(due) / due.length,
  };
}

async function measure(groups) {
  const rows = [];
  const curves = [];
  for (const threshold of THRESHOLDS) {
    for (const method of methods) {
      const { settings, observe } = await observer(method, threshold);
      const chance = (similarity) => chanceAt(similarity, settings, settings.lsh, settings.agreeing);
      const found = outcomes(groups, SEED, observe);
      const { precision, recall, expectedPrecision, expectedRecall } = ratesOf(found, threshold, chance);
      rows.push([
        `${threshold}, ${settings.bands}x${settings.rowsPerBand}`,
        method.name,
        ...[precision, expectedPrecision, recall, expectedRecall].map(percent),
      ]);
      if (method === methods[1]) curves.push({ threshold, found, chance });
    }
  }
  return { rows, curves };
}

/** How often documents were dropped, by similarity to the nearest document kept. */
function measuredPoints(found) {
  const bins = Array.from({ length: BINS }, () => ({ documents: 0, dropped: 0, sum: 0 }));
  for (const { similarity, isDropped } of found) {
    const bin = bins[Math.min(BINS - 1, Math.floor(similarity * BINS))];
    bin.documents++;
    bin.dropped += Number(isDropped);
    bin.sum += similarity;
  }
  const full = bins.filter(({ documents }) => documents >= 50);
  return full.map(({ documents, dropped, sum }) => ({ x: sum / documents, y: dropped / documents }));
}

function curvePlot(curves) {
  const grid = Array.from({ length: 101 }, (_, i) => i / 100);
  return {
    id: 'near-curves',
    title: 'Documents reported near, by their similarity',
    x: { label: 'Jaccard similarity to the nearest document kept', scale: 'linear' },
    y: { label: 'share reported duplicate', scale: 'linear' },
    series: curves.flatMap(({ threshold, found, chance }) => [
      {
        name: `S-curve for ${threshold}`,
        kind: 'line',
        role: 'predicted',
        points: grid.map((x) => ({ x, y: chance(x) })),
      },
      { name: `measured at ${threshold}`, kind: 'points', points: measuredPoints(found) },
    ]),
  };
}

function measureMemory(groupCounts) {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-near-'));
  try {
    return ['tables', 'firstseen'].map((method) => ({
      method,
      points: groupCounts.map((groups) => {
        const program = { command: process.execPath, args: [processPath, method, String(groups), '0.8'] };
        const { peakBytes } = runMeasuringMemory(program, join(folder, 'output'));
        return { x: groups * (EDIT_RATES.length + 1), y: peakBytes / 2 ** 20 };
      }),
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const memoryNames = { tables: 'MinHash LSH in hash tables', firstseen: `firstseen, table of ${MEMORY}` };

function memoryPlot(measured) {
  return {
    id: 'near-memory',
    title: 'Memory of the whole process',
    x: { label: 'documents', scale: 'log' },
    y: { label: 'largest resident set, MiB', scale: 'linear' },
    series: measured.map(({ method, points }) => ({ name: memoryNames[method], kind: 'line', points })),
  };
}

function accuracyText(groups, rows) {
  const copies = EDIT_RATES.length;
  const header = ['threshold, bands', '', 'precision', 'by the curve', 'recall', 'by the curve'];
  return (
    `${groups * (copies + 1)} documents of 300 words drawn by Zipf's law: ${groups} originals and ${copies} copies of each, with words ` +
    `replaced at rates of ${EDIT_RATES.map((rate) => `${Number((100 * rate).toFixed(1))}`).join(', ')} %, up to 500 originals later. A dropped document is correct if its exact ` +
    `Jaccard similarity to a kept one is at least the threshold. Precision is the share of the dropped documents that are correct. ` +
    `Recall is the share of all documents with such a similarity that were dropped.\n\n${tableText(header, rows)}`
  );
}

function memoryText(measured) {
  const header = ['documents', ...measured.map(({ method }) => `${memoryNames[method]}, MiB`)];
  const rows = measured[0].points.map(({ x }, i) => [
    String(x),
    ...measured.map(({ points }) => points[i].y.toFixed(0)),
  ]);
  return tableText(header, rows);
}

async function main() {
  const { values } = readArguments({
    options: { groups: { type: 'string', default: '800' }, write: { type: 'boolean', default: false } },
  });
  const groups = Number(values.groups);
  const { rows, curves } = await measure(groups);
  const memory = measureMemory([1, 4, 12].map((times) => times * groups));
  const text = `${accuracyText(groups, rows)}\n\n${memoryText(memory)}`;
  console.log(text);
  if (!values.write) return;
  writeFileSync(documentUrl, replaceBetween(readFileSync(documentUrl, 'utf8'), 'near', text));
  mkdirSync(plotsUrl, { recursive: true });
  for (const plot of [curvePlot(curves), memoryPlot(memory)]) {
    writeFileSync(new URL(`${plot.id}.svg`, plotsUrl), `${plotSvg(plot)}\n`);
  }
}

if (process.argv.includes('--real')) await import('./near-real.mjs');
else if (process.argv.includes('--scripts')) await import('./near-scripts.mjs');
else if (process.argv.includes('--boilerplate')) await import('./near-boilerplate.mjs');
else if (process.argv.includes('--passages')) await import('./passages.mjs');
else if (process.argv.includes('--corpora')) await import('./corpora.mjs');
else await main();
