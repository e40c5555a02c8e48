// The tables of `npm run frontier -- --rivals`: structures that others have published, and our families, in equal memory, on four questions.
// Prints Markdown.
//   --quick        a small part of everything, to check that it works
//   --scale N      memory, windows and streams divided by N, which does not change the rates
//   --threads N    threads that run; the default is the number of processors
//   --folder PATH  where the packages of the real streams are kept; the default is in the temporary folder
//   FILE...        more real streams, of lines
//   --write        also writes it into docs/COMPARISON.md, and draws docs/rivals-*.svg

import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaceBetween } from '../tools/markers.mjs';
import { describeMachine, machineText } from './lib/machine.mjs';
import { realSources } from './lib/realstreams.mjs';
import { figureOf } from './lib/rivalfigure.mjs';
import { RivalPool } from './lib/rivalpool.mjs';
import {
  errorOf,
  familyChoices,
  publishedChoice,
  rivalsFor,
  searchedChoices,
  searchLengths,
  streamOf,
  windowFor,
} from './lib/rivalsearch.mjs';
import { rivalStream } from './lib/rivalstreams.mjs';
import { tableText } from './lib/table.mjs';

const documentUrl = new URL('../docs/COMPARISON.md', import.meta.url);
const MEGABIT = 2 ** 20;
const WINDOW_ELEMENTS = 250_000;
/** The sizes of the quick form, and of real streams: a search on their beginning is not worth more. */
const FEW_MEGABITS = [1, 4, 16];

const syntheticQuestions = [
  {
    kind: 'recency',
    figure: 'rivals-stream',
    title: 'FPR + FNR on an unbounded stream: half new, half repeats of the last W positions',
  },
  { kind: 'uniform', title: 'FPR + FNR on an unbounded stream: 3 W uniform draws, 60 % distinct' },
  {
    kind: 'recency',
    maxFpr: 0.01,
    title: 'FNR at an FPR of at most 1 %: half new, half repeats of the last W positions',
  },
  { kind: 'elements', figure: 'rivals-elements', title: 'FPR of a window of W elements without misses' },
  {
    kind: 'time',
    figure: 'rivals-time',
    title: 'FPR of a window in time without misses, with at most W elements in it',
  },
];

const percent = (rate, digits) => `${Number((100 * rate).toPrecision(digits))}`;

/** The mean and the standard deviation of the error, in percent, and the mean as a number. */
function cellOf(question, runs, { memoryBits }) {
  if (runs.length === 0 || runs.some((rates) => rates === undefined)) return { text: '' };
  if (runs.some((rates) => (rates.memoryBits ?? 0) > memoryBits)) return { text: 'more memory' };
  const errors = runs.map((rates) => errorOf(question, rates));
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  const squares = errors.reduce((sum, error) => sum + (error - mean) ** 2, 0);
  const spread = Math.sqrt(squares / Math.max(1, errors.length - 1));
  const note = isMissed(question, runs) ? ' (*)' : '';
  const perSecond = Math.max(...runs.map((rates) => rates.perSecond ?? 0));
  return {
    text: `${percent(mean, 3)} ± ${percent(spread, 1)}${note}`,
    mean: note === '' ? mean : undefined,
    perSecond,
  };
}

/** True if the mean of the runs breaks the condition of the question. */
function isMissed({ kind, maxFpr }, runs) {
  const mean = (of) => runs.reduce((sum, rates) => sum + of(rates), 0) / runs.length;
  if (kind === 'elements' || kind === 'time') return mean(({ fnr }) => fnr) > 0;
  return maxFpr !== undefined && mean(({ fpr }) => fpr) > maxFpr;
}

/** All that is measured for one size: [name of the row, tasks]. */
async function tasksOf(question, size, seeds, pool) {
  const searched = await searchedChoices(question, size, pool);
  const { families, how, limit } = await familyChoices(question, size, pool);
  const tasksFor = (choice) =>
    choice ? seeds.map((seed) => ({ ...choice, stream: streamOf(question, size.window, seed), seed })) : [];
  const rows = [
    ...rivalsFor(question).flatMap((row, i) => {
      const choices = { paper: publishedChoice(row, question, size), search: searched[i] };
      return Object.entries(choices).map(([choiceOf, choice]) => [
        `${row.name}, ${choiceOf}`,
        tasksFor(choice && { ...choice, name: row.name }),
      ]);
    }),
    ...families.map(({ algorithm, options }) => [`**${algorithm}, ${how}**`, tasksFor(options && { options })]),
  ];
  return { rows, limit };
}

/** The cells of one size, by the name of the row. */
async function columnOf(question, size, seeds, pool) {
  const { rows, limit } = await tasksOf(question, size, seeds, pool);
  const tasks = rows.flatMap((row) => row[1]);
  // A thread keeps the streams of all seeds.
  await pool.runAll([...tasks].sort((a, b) => a.seed - b.seed));
  const cells = [];
  for (const [name, ofRow] of rows) cells.push([name, cellOf(question, await pool.runAll(ofRow), size)]);
  return new Map([...cells, ['limit', { text: percent(limit, 3), mean: limit }]]);
}

const kibibits = ({ memoryBits }) => `${Number((memoryBits / 2 ** 10).toPrecision(4))} Kibit`;

/** The rates that were measured: a column for each size. */
async function measure(question, sizes, seeds, pool) {
  const columns = [];
  for (const size of sizes) columns.push(await columnOf(question, size, seeds, pool));
  return { question, sizes, columns };
}

/** The elements a second of a row in the middle one of the sizes, in millions; no text of a rival that was read has them. */
function speedOf(name, columns) {
  const { perSecond } = columns[Math.floor(columns.length / 2)].get(name);
  return perSecond ? (perSecond / 1e6).toPrecision(3) : '';
}

function tableOf({ sizes, columns }) {
  const header = ['percent', ...sizes.map(kibibits), 'M elements/s'];
  const rows = [...columns[0].keys()].map((name) => ({
    name,
    cells: columns.map((column) => column.get(name).text),
  }));
  return tableText(
    header,
    rows
      .filter(({ cells }) => cells.some((cell) => cell !== ''))
      .map(({ name, cells }) => [name, ...cells, speedOf(name, columns)]),
  );
}

function questionsWith(sources) {
  const real = sources.map((source) => ({ kind: 'real', source, title: `FPR + FNR on a real stream: ${source.name}` }));
  return [...syntheticQuestions, ...real];
}

/** A real stream has as much memory for each position of its window as the other streams. */
function sizesOf(question, { megabits, scale }) {
  const real = question.kind === 'real' ? windowFor(rivalStream(streamOf(question))) : undefined;
  const divisor = real === undefined ? scale : WINDOW_ELEMENTS / real;
  return megabits.map((size) => ({
    memoryBits: Math.floor((size * MEGABIT) / divisor),
    window: real ?? Math.floor(WINDOW_ELEMENTS / scale),
  }));
}

/** What is said before a table: the elements, and how many sets of parameters a search tries. */
function introductionOf(question, sizes) {
  const lengths = Object.entries(searchLengths(question, sizes[Math.floor(sizes.length / 2)]));
  const searches = lengths.map(([name, length]) => `${name} ${length}`).join(', ');
  const elements = [];
  if (question.kind === 'real') {
    const { numbers, distinct } = rivalStream(streamOf(question));
    elements.push(`${numbers.length} elements, ${distinct} distinct. W is ${sizes[0].window}.`);
  }
  return [...elements, `Sets of parameters in the search, for the middle one of the memories: ${searches}.`].join(' ');
}

/** @param {{quick: boolean, scale: number, threads?: number, folder?: string, files: string[], write: boolean}} options */
export async function compareRivals({ quick, scale, threads, folder, files, write }) {
  const megabits = quick ? FEW_MEGABITS : [1, 2, 4, 8, 16];
  const seeds = Array.from({ length: quick ? 2 : 10 }, (_, i) => i + 1);
  const sources = quick ? [] : realSources({ folder: folder ?? join(tmpdir(), 'firstseen-near-real'), files });
  const window = Math.floor(WINDOW_ELEMENTS / scale).toLocaleString('en-US');
  const pool = new RivalPool(threads ?? availableParallelism());
  const sections = [];
  // A run takes long, so what is measured is printed at once.
  const print = (...texts) => {
    sections.push(...texts);
    for (const text of texts) console.log(`${text}\n`);
  };
  print(
    machineText(describeMachine()),
    `W is ${window}. Mean and standard deviation of ${seeds.length} seeds, in percent.`,
  );
  const figures = [];
  for (const question of questionsWith(sources)) {
    const measuredMegabits = question.kind === 'real' ? FEW_MEGABITS : megabits;
    const sizes = sizesOf(question, { megabits: measuredMegabits, scale });
    const measured = await measure(question, sizes, seeds, pool);
    print(`### ${question.title}`, introductionOf(question, sizes), tableOf(measured));
    if (question.figure) figures.push([question.figure, figureOf(measured)]);
    console.error(`${question.title}: ${Math.round(process.cpuUsage().user / 1e6)} s of processor time until here`);
  }
  await pool.end();
  const flags = [quick ? ' --quick' : '', scale > 1 ? ` --scale ${scale}` : '', files.length > 0 ? ' FILE...' : ''];
  print(`Printed by \`npm run frontier -- --rivals${flags.join('')}\`.`);
  if (!write) return;
  writeFileSync(documentUrl, replaceBetween(readFileSync(documentUrl, 'utf8'), 'rivals', sections.join('\n\n')));
  for (const [name, svg] of figures) writeFileSync(new URL(`../docs/${name}.svg`, import.meta.url), svg);
}
