// `npm run witness`: how often the 95 % confidence intervals of the witness contain the true rates of a stream, for 20
// kinds of streams with three detectors each. Prints Markdown.
//   --runs N      runs of each cell, each with seeds of its own, default 300
//   --seed N      seed of the first run, default 1000
//   --elements N  elements of a stream, default 1,000,000
//   --only TEXT   only streams whose name contains the text
//   --quick       short streams and few runs, to check that it works
//   --write       also writes the table into docs/WITNESS.md

import { readFileSync, writeFileSync } from 'node:fs';
import { create } from 'firstseen';
import { readArguments } from '../tools/arguments.mjs';
import { replaceBetween } from '../tools/markers.mjs';
import { median } from '../tools/support/median.mjs';
import { generator } from '../tools/support/random.mjs';
import { fingerprintsOf } from './lib/streams.mjs';
import { tableText } from './lib/table.mjs';
import { drawStream, streams } from './lib/witnesscells.mjs';

const documentUrl = new URL('../docs/WITNESS.md', import.meta.url);
/** The seeds of a kind of stream begin this far after those of the one before. */
const SEEDS_APART = 1000;
/** With fewer errors in the sample on average, the number seen takes so few values that no interval can have exactly 95 %. */
const ORDINARY_ERRORS = 10;
const RATES = ['falsePositiveRate', 'falseNegativeRate'];

function countErrors(isDuplicate, verdicts) {
  let falsePositives = 0;
  let falseNegatives = 0;
  for (let i = 0; i < verdicts.length; i++) {
    falsePositives += verdicts[i] & (isDuplicate[i] ^ 1);
    falseNegatives += isDuplicate[i] & (verdicts[i] ^ 1);
  }
  return { falsePositives, falseNegatives };
}

/** The true rates of a run and the intervals of its witness. */
async function run({ algorithm, memoryBytes, witnessBytes }, stream, fingerprints, seed) {
  const detector = await create({ algorithm, memory: memoryBytes, seed, witness: { memory: witnessBytes } });
  const verdicts = detector.observeBatch(fingerprints);
  const { falsePositives, falseNegatives } = countErrors(stream.isDuplicate, verdicts);
  const { witness } = detector.stats();
  return {
    fraction: witness.fraction,
    falsePositiveRate: { ...witness.falsePositiveRate, errors: falsePositives, base: stream.distinct },
    falseNegativeRate: { ...witness.falseNegativeRate, errors: falseNegatives, base: stream.duplicates },
  };
}

/** All runs of the detectors of a kind of stream: a list for each detector. */
async function runsOf({ make, detectors }, { runs, elements }, firstSeed) {
  const results = detectors.map(() => []);
  for (let i = 0; i < runs; i++) {
    const seed = firstSeed + i;
    const stream = drawStream(make, elements, generator(seed));
    const fingerprints = fingerprintsOf(stream.numbers);
    for (const [j, detector] of detectors.entries()) {
      results[j].push(await run(detector, stream, fingerprints, seed));
    }
  }
  return results;
}

/** What the runs of a cell say about one of the two rates. */
function summaryOf(runs, rate, isHard) {
  const found = runs.map((each) => ({ fraction: each.fraction, ...each[rate] }));
  const isCovered = ({ low, high, errors, base }) => low <= errors / base && errors / base <= high;
  const seen = found.reduce((sum, { errors, fraction }) => sum + errors * fraction, 0) / found.length;
  return {
    truth: median(found.map(({ errors, base }) => errors / base)),
    width: median(found.map(({ low, high }) => high - low)),
    runs: found.length,
    covered: found.filter(isCovered).length,
    isRare: seen < ORDINARY_ERRORS,
    isHard,
  };
}

const percent = (rate) => (rate === 0 ? '0' : (100 * rate).toPrecision(3));
const coverageText = ({ covered, runs }) => ((100 * covered) / runs).toFixed(1);

function cellsFor({ isRare, ...summary }) {
  return [percent(summary.truth), percent(summary.width), `${coverageText(summary)}${isRare ? ' (rare)' : ''}`];
}

function detectorText({ algorithm, memoryBytes, witnessBytes }) {
  return `${algorithm}, ${memoryBytes / 1024}, ${witnessBytes / 1024}`;
}

/** The coverage of several rates: the smallest, the largest and all together. */
function rangeText(summaries) {
  if (summaries.length === 0) return 'none';
  const ordered = summaries.toSorted((a, b) => a.covered / a.runs - b.covered / b.runs);
  const sum = (member) => summaries.reduce((total, summary) => total + summary[member], 0);
  const all = { covered: sum('covered'), runs: sum('runs') };
  return `${coverageText(ordered[0])} to ${coverageText(ordered.at(-1))} %, together ${coverageText(all)} %`;
}

function reportText(rows, summaries, { runs, elements }) {
  const header = ['stream', 'detector, KiB, KiB of the witness'];
  const titles = ['FPR %', 'width', 'coverage %', 'FNR %', 'width', 'coverage %'];
  const rare = summaries.filter(({ isRare }) => isRare);
  const frequent = summaries.filter(({ isRare }) => !isRare);
  const hard = frequent.filter(({ isHard }) => isHard);
  const ordinary = frequent.filter(({ isHard }) => !isHard);
  return [
    `${runs} runs of ${elements} elements in each row, each with seeds of its own. The rates and the widths of the intervals are medians.`,
    tableText([...header, ...titles], rows),
    [
      `Coverage of the ${rare.length} rates marked \`rare\`, of which the sample sees fewer than ten errors on average: ${rangeText(rare)}.`,
      `Of the ${hard.length} others on streams marked \`*\`: ${rangeText(hard)}.`,
      `Of the ${ordinary.length} others on ordinary streams: ${rangeText(ordinary)}.`,
    ].join('\n'),
  ].join('\n\n');
}

async function main() {
  const { values } = readArguments({
    options: {
      runs: { type: 'string', default: '300' },
      seed: { type: 'string', default: '1000' },
      elements: { type: 'string', default: '1000000' },
      only: { type: 'string', default: '' },
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const args = process.argv.slice(2).filter((arg) => arg !== '--write');
  const asked = { runs: Number(values.runs), elements: Number(values.elements) };
  const sizes = values.quick ? { runs: 4, elements: 60_000 } : asked;
  const rows = [];
  const summaries = [];
  for (const [i, stream] of streams.entries()) {
    if (!stream.name.includes(values.only)) continue;
    const results = await runsOf(stream, sizes, Number(values.seed) + SEEDS_APART * i);
    for (const [j, runs] of results.entries()) {
      const own = RATES.map((rate) => summaryOf(runs, rate, stream.isHard === true));
      summaries.push(...own);
      rows.push([
        `${stream.name}${stream.isHard ? ' *' : ''}`,
        detectorText(stream.detectors[j]),
        ...own.flatMap(cellsFor),
      ]);
    }
  }
  const command = ['npm run witness', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
  const text = `${reportText(rows, summaries, sizes)}\n\nPrinted by \`${command}\`.`;
  console.log(text);
  if (values.write) writeFileSync(documentUrl, replaceBetween(readFileSync(documentUrl, 'utf8'), 'witness', text));
}

await main();
