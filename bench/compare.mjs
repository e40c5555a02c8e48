// `npm run compare`: every family with equal memory on synthetic streams of known truth, each with the parameters that
// the planner selects for the stream, next to the planner's recommendation and the lower bound for any structure.
// Prints Markdown.
//   --quick   small streams, to check that it works
//   --write   also writes it into docs/COMPARISON.md

import { readFileSync, writeFileSync } from 'node:fs';
import { GapSample, plan } from 'firstseen/plan';
import { readArguments } from '../tools/arguments.mjs';
import { replaceBetween } from '../tools/markers.mjs';
import { describeMachine, machineText } from './lib/machine.mjs';
import { errorsOn } from './lib/rates.mjs';
import { fingerprintsOf, recencyStream, uniformStream, zipfStream } from './lib/streams.mjs';
import { tableText } from './lib/table.mjs';

const documentUrl = new URL('../docs/COMPARISON.md', import.meta.url);

const MEGABIT = 1e6;
const SEED = 20061;
/** Requested rates of false positives. 0.5 is so high that it excludes no family. */
const TARGETS = [0.5, 0.01];
/** Factor by which the recommendation of the plan may be worse than the best of all families. */
const TOLERANCE = 1.1;

function scenarios(scale) {
  const long = 10_000_000 / scale;
  const short = 1_000_000 / scale;
  const recency = {
    title: `half new, half repeats of the last ${short} positions; ${long} elements`,
    make: () => recencyStream({ count: long, window: short, seed: SEED }),
  };
  const uniform = (percent) => ({
    title: `uniform draws, ${percent} % distinct; ${short} elements`,
    make: () => uniformStream({ count: short, distinctShare: percent / 100, seed: SEED }),
    isUniform: true,
  });
  const zipf = {
    title: `Zipf with exponent 1.0 over ${4 * short} elements; ${short} elements`,
    make: () => zipfStream({ count: short, universe: 4 * short, exponent: 1, seed: SEED }),
  };
  return [
    { ...recency, megabits: 10 },
    { ...recency, megabits: 2 },
    ...[15, 60, 90].map((percent) => ({ ...uniform(percent), megabits: 2 })),
    { ...zipf, megabits: 2 },
  ].map((scenario) => ({ ...scenario, memoryBytes: Math.floor((scenario.megabits * MEGABIT) / scale / 8) }));
}

/** The description of a stream that the planner receives. */
function hintsFor({ title, isUniform }, { numbers, distinct }, fingerprints) {
  if (isUniform) return { lengthElements: numbers.length, distinctElements: distinct };
  const sample = new GapSample();
  sample.addBatch(fingerprints);
  return { stream: sample.stream(title) };
}

const sumOf = ({ fpr, fnr }) => fpr + fnr;
const percent = (rate) => (rate === 0 ? '0' : (100 * rate).toPrecision(3));

/** Whether a measured rate meets a target, within four standard errors. */
function keepsTo({ fpr }, target, { distinct }) {
  return fpr <= target + 4 * Math.sqrt((target * (1 - target)) / distinct);
}

function parametersText({ settings, parameters }) {
  const given = Object.entries(parameters).map(([letter, value]) => `${letter}=${value}`);
  return `${settings.layout} ${given.join(' ')}`;
}

function cellsFor({ advice, rates }, { isBest, isPlanned }) {
  const name = [advice.algorithm, isPlanned ? '(plan)' : '', isBest ? '(best)' : ''].filter(Boolean).join(' ');
  const predicted = percent(sumOf(advice.prediction));
  if (!rates) return [name, parametersText(advice), 'memory full', '', '', '', ''];
  return [
    name,
    parametersText(advice),
    ...[percent(rates.fpr), percent(rates.fnr), percent(sumOf(rates)), predicted],
    (rates.perSecond / 1e6).toFixed(1),
  ];
}

const header = ['algorithm', 'parameters', 'FPR %', 'FNR %', 'FPR + FNR %', 'predicted', 'M elements/s'];

async function compareAt(target, memoryBytes, hints, stream, fingerprints) {
  const advice = await plan({ memory: memoryBytes, fpr: target, ...hints });
  const results = [];
  for (const each of advice.families) {
    results.push({ advice: each, rates: await errorsOn(each, memoryBytes, stream, fingerprints) });
  }
  const fitting = results.filter(({ rates }) => rates && keepsTo(rates, target, stream));
  const best = fitting.reduce((least, next) => (sumOf(next.rates) < sumOf(least.rates) ? next : least));
  const planned = results.find((result) => result.advice.algorithm === advice.recommended.algorithm);
  const ratio = sumOf(planned.rates) / sumOf(best.rates);
  const rows = results.map((result) => cellsFor(result, { isBest: result === best, isPlanned: result === planned }));
  const limit = advice.limit;
  rows.push([
    'limit',
    hints.stream ? 'by recency and counts' : 'by recency',
    percent(limit.fpr),
    percent(limit.fnr),
    percent(sumOf(limit)),
    '',
    '',
  ]);
  const asked = target >= TARGETS[0] ? 'No target FPR' : `Target: FPR of at most ${percent(target)} %`;
  const judged = ratio <= TOLERANCE ? 'within the allowed tenth' : 'more than the allowed tenth';
  const verdict = `The plan recommends ${planned.advice.algorithm}: ${ratio.toFixed(2)} times the FPR + FNR of the best, ${judged}.`;
  return { isMet: ratio <= TOLERANCE, text: `${asked}. ${verdict}\n\n${tableText(header, rows)}` };
}

async function compareIn(scenario) {
  const stream = scenario.make();
  const fingerprints = fingerprintsOf(stream.numbers);
  const hints = hintsFor(scenario, stream, fingerprints);
  const parts = [];
  for (const target of TARGETS) {
    parts.push(await compareAt(target, scenario.memoryBytes, hints, stream, fingerprints));
  }
  const bits = (scenario.memoryBytes * 8) / stream.distinct;
  const heading = `### ${scenario.memoryBytes} bytes: ${scenario.title}`;
  const counts = `${stream.distinct} distinct, ${stream.duplicates} duplicates; ${bits.toFixed(1)} bits for each distinct element.`;
  return [heading, counts, ...parts.map(({ text }) => text)].join('\n\n');
}

const { values } = readArguments({
  options: { quick: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});
const sections = [machineText(describeMachine())];
for (const scenario of scenarios(values.quick ? 50 : 1)) sections.push(await compareIn(scenario));
const text = [...sections, 'Printed by `npm run compare`.'].join('\n\n');
console.log(text);
if (values.write) writeFileSync(documentUrl, replaceBetween(readFileSync(documentUrl, 'utf8'), 'compare', text));
