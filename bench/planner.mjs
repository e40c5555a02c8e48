// `npm run planner`: plans by measurement on streams with skewed and moving elements, compared with every parameter that the planner
// tries and many more. A cell is a stream, a memory of 1 to 16 bits for each distinct element, and a sample of all elements or of
// some of them. The detectors run with another seed than those of the planner. Prints Markdown.
//   --quick     short streams, to check that it works
//   --write     also writes it into docs/PLANNING.md
//   FILE...     text files whose lines are streams too

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { create, FirstseenError } from 'firstseen';
import { familyPlans } from 'firstseen/internal';
import { GapSample, plan } from 'firstseen/plan';
import { readArguments } from '../tools/arguments.mjs';
import { replaceBetween } from '../tools/markers.mjs';
import { readStored } from './lib/storedfile.mjs';
import {
  fingerprintsOf,
  hotStream,
  recencyStream,
  sessionStream,
  uniformStream,
  wordStream,
  zipfStream,
} from './lib/streams.mjs';
import { tableText } from './lib/table.mjs';

const documentUrl = new URL('../docs/PLANNING.md', import.meta.url);
const SEED = 20151;
const BITS = [1, 2, 4, 8, 16];
/** One distinct element of this many is followed in the cells of a part. */
const ONE_IN = 16;
const MIN_MEMORY_BYTES = 1024;
/** So high that it excludes no family. */
const TARGET = 0.5;
/** Sums that differ by less than 0.02 points are equal. */
const EQUAL = 0.0002;
/** The bars: regret at the 95th percentile, and errors of predicted rates at the 90th. */
const MAX_REGRET = 1.1;
const MAX_ERROR = { relative: 0.15, points: 0.05 };

const typescript = createRequire(import.meta.url).resolve('@typescript/old');

function streams({ quick, files }) {
  const count = quick ? 50_000 : 200_000;
  const text = (path) => readStored(path).toString('latin1');
  const tokens = (path, pattern) => wordStream(text(path).match(pattern).slice(0, count));
  return [
    ...files.map((path) => [`lines of ${basename(path)}`, () => tokens(path, /[^\n]+/g)]),
    ['words of the TypeScript compiler', () => tokens(typescript, /[A-Za-z_$][\w$]*/g)],
    ['its lines', () => tokens(typescript, /[^\n]+/g)],
    ['uniform, 60 % distinct', () => uniformStream({ count, distinctShare: 0.6, seed: SEED })],
    ['repeats of the last tenth', () => recencyStream({ count, window: count / 10, seed: SEED })],
    ['Zipf, exponent 1', () => zipfStream({ count, universe: 4 * count, exponent: 1, seed: SEED })],
    ['1,000 hot among one-time elements', () => hotStream({ count, hot: 1000, seed: SEED })],
    ['sessions', () => sessionStream({ count, open: count / 200, seed: SEED })],
  ];
}

/** Parameters of each family that the planner need not try. */
function moreParameters() {
  const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const only = (algorithm, layout, sets) => sets.map((parameters) => ({ algorithm, layout, parameters }));
  const both = (algorithm, sets) => ['blocked', 'classic'].flatMap((layout) => only(algorithm, layout, sets));
  const hashCounts = range(1, 8).map((k) => ({ k }));
  const evictions = ['lru', 'fifo', 'random'];
  const stable = range(1, 5).flatMap((K) => [1, 3].flatMap((Max) => [1, 3, 10, 30].map((P) => ({ K, Max, P }))));
  const lines = range(2, 24).flatMap((s) => evictions.map((eviction) => ({ s, eviction })));
  const buckets = [2, 4, 8, 16].flatMap((k) =>
    range(2, 16).flatMap((s) => ['lru', 'random'].map((eviction) => ({ s, k, eviction }))),
  );
  const rows = [2, 3, 4, 6, 8, 12].flatMap((r) =>
    [1, r / 2, r - 1].flatMap((short) => [4, 8].map((k) => ({ r, "r'": short, k }))),
  );
  return [
    ...['bloom', 'rsbf', 'bsbf', 'bsbfsd', 'rlbsbf'].flatMap((name) => both(name, hashCounts)),
    ...both('sbf', stable),
    ...only('qht', 'blocked', lines),
    ...only('qht', 'classic', buckets),
    ...only('sqf', 'classic', rows),
  ];
}

/** Everything that is compared: what the planner tries, and more. */
function everything(memoryBytes, distinctElements) {
  const tried = familyPlans.flatMap((family) =>
    [0.5, 0.1, 0.01].flatMap((fpr) =>
      [...family.candidates({ memoryBytes, fpr, distinctElements, isMeasured: true })].map((candidate) => ({
        algorithm: family.name,
        ...candidate,
      })),
    ),
  );
  const all = [...tried, ...moreParameters()];
  return [...new Map(all.map((one) => [JSON.stringify([one.algorithm, one.layout, one.parameters]), one])).values()];
}

/** The rates of a detector; undefined if there is none with these parameters, or it refuses an element. */
async function measure({ algorithm, layout, parameters }, memoryBytes, stream, fingerprints) {
  let verdicts;
  try {
    const detector = await create({ algorithm, layout, parameters, memory: memoryBytes, seed: SEED });
    verdicts = detector.observeBatch(fingerprints);
  } catch (error) {
    if (error instanceof FirstseenError) return undefined;
    throw error;
  }
  let [falsePositives, falseNegatives] = [0, 0];
  for (let i = 0; i < verdicts.length; i++) {
    if (verdicts[i] > stream.isDuplicate[i]) falsePositives++;
    else if (verdicts[i] < stream.isDuplicate[i]) falseNegatives++;
  }
  return { fpr: falsePositives / stream.distinct, fnr: falseNegatives / stream.duplicates };
}

const sumOf = ({ fpr, fnr }) => fpr + fnr;
const percent = (rate) => (rate === 0 ? '0' : (100 * rate).toPrecision(3));
const nameOf = ({ algorithm, layout, parameters }) =>
  [algorithm, layout, ...Object.entries(parameters).map(([letter, value]) => `${letter}=${value}`)].join(' ');

/** The error of a predicted rate: 1 is the most that the bar allows. */
function errorOf(predicted, measured) {
  return Math.abs(predicted - measured) / Math.max(MAX_ERROR.relative * measured, MAX_ERROR.points / 100);
}

/** How many times the errors of the best a detector has. */
function regretOf(rates, best) {
  return sumOf(rates) - sumOf(best) <= EQUAL ? 1 : sumOf(rates) / sumOf(best);
}

async function bestOfAll(memoryBytes, stream, fingerprints) {
  let best;
  for (const one of everything(memoryBytes, stream.distinct)) {
    const rates = await measure(one, memoryBytes, stream, fingerprints);
    if (rates && rates.fpr <= TARGET && (!best || sumOf(rates) < sumOf(best.rates))) best = { one, rates };
  }
  return best;
}

async function cellsOf([title, make]) {
  const stream = make();
  const fingerprints = fingerprintsOf(stream.numbers);
  const cells = [];
  for (const bits of BITS) {
    const memoryBytes = Math.ceil((bits * stream.distinct) / 8);
    if (memoryBytes < MIN_MEMORY_BYTES) continue;
    const best = await bestOfAll(memoryBytes, stream, fingerprints);
    for (const oneIn of [1, ONE_IN]) {
      if (memoryBytes / oneIn < MIN_MEMORY_BYTES) continue;
      const sample = new GapSample({ oneIn });
      sample.addBatch(fingerprints);
      const found = await plan({ stream: sample.stream(title), memory: memoryBytes, fpr: TARGET });
      const rates = await measure(found.recommended, memoryBytes, stream, fingerprints);
      const { prediction } = found.recommended;
      cells.push({
        ...{ title, bits, oneIn, plan: found, best, rates, prediction },
        regret: regretOf(rates, best.rates),
        errors: [errorOf(prediction.fpr, rates.fpr), errorOf(prediction.fnr, rates.fnr)],
        isBelowLimit: sumOf(best.rates) + EQUAL < sumOf(found.limitAtAnyFpr),
      });
      process.stderr.write(`${rowOf(cells.at(-1)).join(' | ')}\n`);
    }
  }
  return cells;
}

function rowOf({ title, bits, oneIn, plan, best, rates, prediction, regret }) {
  return [
    ...[title, String(bits), oneIn === 1 ? 'all' : `1 in ${oneIn}`, nameOf(plan.recommended)],
    ...[percent(prediction.fpr), percent(rates.fpr), percent(prediction.fnr), percent(rates.fnr)],
    ...[nameOf(best.one), percent(sumOf(best.rates)), regret.toFixed(3), percent(sumOf(plan.limitAtAnyFpr))],
  ];
}

const header = [
  ...['stream', 'bits', 'followed', 'recommended', 'FPR % predicted', 'measured', 'FNR % predicted', 'measured'],
  ...['best of all', 'its FPR + FNR %', 'regret', 'limit %'],
];

function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

function summary(cells) {
  const regrets = cells.map(({ regret }) => regret);
  const errors = cells.flatMap((cell) => cell.errors);
  const within = errors.filter((error) => error <= 1).length;
  const below = cells.filter(({ isBelowLimit }) => isBelowLimit).length;
  const regret = quantile(regrets, 0.95);
  const error = quantile(errors, 0.9);
  const judged = (isMet) => (isMet ? 'met' : 'not met');
  return [
    `${cells.length} cells. Regret, the FPR + FNR of the recommended detector over that of the best of all: median ${quantile(regrets, 0.5).toFixed(3)}, 95th percentile ${regret.toFixed(3)} (bar ${MAX_REGRET}, ${judged(regret <= MAX_REGRET)}), worst ${Math.max(...regrets).toFixed(3)}.`,
    `Predicted rates: ${within} of ${errors.length} are within ${100 * MAX_ERROR.relative} % of the measured rate or ${MAX_ERROR.points} points; at the 90th percentile the error is ${error.toFixed(2)} of that (bar 1, ${judged(error <= 1)}).`,
    `Cells in which a detector is more than ${100 * EQUAL} points below the limit: ${below === 0 ? 'none' : below}.`,
  ];
}

const { values, positionals } = readArguments({
  options: { quick: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const cells = [];
for (const stream of streams({ quick: values.quick, files: positionals })) cells.push(...(await cellsOf(stream)));
const command = [
  'npm run planner',
  ...(positionals.length > 0 ? ['--', ...positionals.map((path) => basename(path))] : []),
];
const text = [...summary(cells), tableText(header, cells.map(rowOf)), `Printed by \`${command.join(' ')}\`.`].join(
  '\n\n',
);
console.log(text);
if (values.write) writeFileSync(documentUrl, replaceBetween(readFileSync(documentUrl, 'utf8'), 'planner', text));
