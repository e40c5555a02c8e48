// `npm run frontier`: FPR + FNR against memory on one stream: the best family of the papers, qht, pocket, and the lower bound for any
// structure. Every family has the parameters that measured best on the stream. Then the number of elements that
// qht and pocket remember with the default memory and rate. Prints Markdown.
//   --quick     a small stream, to check that it works
//   --scale N   memory and stream divided by N
//   --rivals    instead, the tables of bench/rivals.mjs
//   --write     also writes it into docs/COMPARISON.md, and draws docs/frontier.svg

import { readFileSync, writeFileSync } from 'node:fs';
import { create } from 'firstseen';
import { GapSample, plan } from 'firstseen/plan';
import { plotSvg } from 'firstseen-lab';
import { readArguments } from '../tools/arguments.mjs';
import { replaceBetween } from '../tools/markers.mjs';
import { describeMachine, machineText } from './lib/machine.mjs';
import { errorsOn } from './lib/rates.mjs';
import { fingerprintsOf, recencyStream } from './lib/streams.mjs';
import { tableText } from './lib/table.mjs';
import { compareRivals } from './rivals.mjs';

const documentUrl = new URL('../docs/COMPARISON.md', import.meta.url);
const figureUrl = new URL('../docs/frontier.svg', import.meta.url);

/** The families of the five papers. */
const PAPERS = ['sbf', 'rsbf', 'bsbf', 'bsbfsd', 'rlbsbf', 'buffer', 'fpbuffer', 'sqf', 'dsqf'];
const SEED = 20061;
/** A target so high that it excludes no family. */
const ANY_RATE = 0.5;
/** In percent: the figure leaves out sums below this, because they rest on too few errors. */
const MIN_SHOWN = 0.001;
/** The share of misses: one in 500. */
const MISSED_SHARE = 1 / 500;

const sumOf = ({ fpr, fnr }) => fpr + fnr;
const percent = (rate) => `${Number((100 * rate).toPrecision(3))}`;

/** The row of one size of memory: FPR + FNR of each series. */
async function frontierAt(memoryBytes, stream, fingerprints) {
  const sample = new GapSample();
  sample.addBatch(fingerprints);
  const advice = await plan({ memory: memoryBytes, fpr: ANY_RATE, stream: sample.stream('the stream') });
  const errors = {};
  for (const each of advice.families) {
    const rates = await errorsOn(each, memoryBytes, stream, fingerprints);
    if (rates) errors[each.algorithm] = sumOf(rates);
  }
  const best = PAPERS.reduce((least, next) => (errors[next] < errors[least] ? next : least));
  return {
    memoryBytes,
    best,
    papers: errors[best],
    qht: errors.qht,
    pocket: errors.pocket,
    limit: sumOf(advice.limit),
  };
}

function figureOf(rows, title) {
  const series = (name, key, role) => ({
    name,
    kind: 'line',
    ...(role ? { role } : {}),
    points: rows.map((row) => ({ x: row.memoryBytes, y: 100 * row[key] })).filter(({ y }) => y >= MIN_SHOWN),
  });
  return plotSvg({
    id: 'frontier',
    title,
    x: { label: 'memory', scale: 'log', isBytes: true },
    y: { label: 'FPR + FNR %', scale: 'log' },
    series: [
      series('best of the papers', 'papers'),
      series('qht', 'qht'),
      series('pocket', 'pocket'),
      series('limit', 'limit', 'limit'),
    ],
  });
}

/** Different elements from number `from` on. */
function elementsFrom(from, count) {
  return fingerprintsOf(Uint32Array.from({ length: count }, (_, i) => from + i));
}

/**
 * The number of later elements after which one element in 500 is missed, at the end of a long stream of different elements.
 * Ages up to `oldest` are tried.
 */
async function remembered(algorithm, memoryBytes, oldest) {
  const detector = await create({ algorithm, memory: memoryBytes });
  const end = 6 * oldest;
  for (let from = 0; from < end; from += oldest / 4) detector.observeBatch(elementsFrom(from, oldest / 4));
  const step = oldest / 250;
  for (let age = step; age <= oldest; age += step) {
    const found = detector.testBatch(elementsFrom(end - age, step));
    const missed = found.reduce((sum, verdict) => sum + (1 - verdict), 0);
    if (missed > MISSED_SHARE * step) return { elements: age - step, parameters: detector.stats().parameters };
  }
  throw new Error(`${algorithm} misses none of ${oldest} elements`);
}

/** @param {{scale: number, write: boolean}} options */
async function compareFrontier({ scale, write }) {
  const stream = recencyStream({ count: 10_000_000 / scale, window: 1_000_000 / scale, seed: SEED });
  const fingerprints = fingerprintsOf(stream.numbers);
  const title = `Half new, half repeats of the last ${(1_000_000 / scale).toLocaleString('en-US')} positions`;
  const rows = [];
  for (const memory of [0.125, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 4]) {
    rows.push(await frontierAt(Math.floor((memory * 2 ** 20) / scale), stream, fingerprints));
  }
  const frontier = tableText(
    ['memory, bytes', 'best of the papers', 'FPR + FNR %', 'qht', 'pocket', 'limit'],
    rows.map((row) => [
      String(row.memoryBytes),
      row.best,
      ...['papers', 'qht', 'pocket', 'limit'].map((key) => percent(row[key])),
    ]),
  );
  const memoryBytes = Math.floor(2 ** 26 / scale);
  const [qht, pocket] = [
    await remembered('qht', memoryBytes, 25_000_000 / scale),
    await remembered('pocket', memoryBytes, 25_000_000 / scale),
  ];
  const memories = tableText(
    ['family', 'parameters', 'elements', 'of qht'],
    Object.entries({ qht, pocket }).map(([name, { elements, parameters }]) => [
      name,
      ['s', 'r', 'k']
        .filter((letter) => letter in parameters)
        .map((letter) => `${letter}=${parameters[letter]}`)
        .join(' '),
      String(elements),
      (elements / qht.elements).toFixed(2),
    ]),
  );
  const text = [
    machineText(describeMachine()),
    `${title}; ${stream.numbers.length} elements. FPR + FNR in percent.`,
    frontier,
    `Elements that are remembered with ${memoryBytes} bytes and a rate of 0.000001, at one miss in 500, if all elements are different:`,
    memories,
    'Printed by `npm run frontier`.',
  ].join('\n\n');
  console.log(text);
  if (write) {
    writeFileSync(documentUrl, replaceBetween(readFileSync(documentUrl, 'utf8'), 'frontier', text));
    writeFileSync(figureUrl, figureOf(rows, title));
  }
}

const { values, positionals } = readArguments({
  allowPositionals: true,
  options: {
    folder: { type: 'string' },
    quick: { type: 'boolean', default: false },
    rivals: { type: 'boolean', default: false },
    scale: { type: 'string' },
    threads: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const { quick, write } = values;
if (values.rivals) {
  await compareRivals({
    ...{ quick, write, folder: values.folder, files: positionals },
    scale: Number(values.scale ?? (quick ? 64 : 1)),
    threads: values.threads === undefined ? undefined : Number(values.threads),
  });
} else await compareFrontier({ scale: Number(values.scale ?? (quick ? 50 : 1)), write });
