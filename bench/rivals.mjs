// The tables of `npm run frontier -- --rivals`: structures that others have published, and our families, in equal memory, on four questions.
// Prints Markdown.
//   --quick     a small part of everything, to check that it works
//   --scale N   memory, windows and streams divided by N, which does not change the rates
//   --write     also writes it into docs/COMPARISON.md

import { readFileSync, writeFileSync } from 'node:fs';
import { replaceBetween } from '../tools/markers.mjs';
import { describeMachine, machineText } from './lib/machine.mjs';
import { runAll } from './lib/rivalpool.mjs';
import { errorOf, familyChoices, publishedChoice, rivalsFor, searchedChoices } from './lib/rivalsearch.mjs';
import { tableText } from './lib/table.mjs';

const documentUrl = new URL('../docs/COMPARISON.md', import.meta.url);
const MEGABIT = 2 ** 20;
const WINDOW_ELEMENTS = 250_000;

const questions = [
  { kind: 'recency', title: 'FPR + FNR on an unbounded stream: half new, half repeats of the last W positions' },
  { kind: 'uniform', title: 'FPR + FNR on an unbounded stream: 3 W uniform draws, 60 % distinct' },
  {
    kind: 'recency',
    maxFpr: 0.01,
    title: 'FNR at an FPR of at most 1 %: half new, half repeats of the last W positions',
  },
  { kind: 'elements', title: 'FPR of a window of W elements without misses' },
  { kind: 'time', title: 'FPR of a window in time without misses, with at most W elements in it' },
];

const percent = (rate, digits) => `${Number((100 * rate).toPrecision(digits))}`;

/** The mean and the standard deviation of the error, in percent. */
function cellOf(question, runs, { memoryBits }) {
  if (runs.some((rates) => rates === undefined)) return '';
  if (runs.some((rates) => (rates.memoryBits ?? 0) > memoryBits)) return 'more memory';
  const errors = runs.map((rates) => errorOf(question, rates));
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  const squares = errors.reduce((sum, error) => sum + (error - mean) ** 2, 0);
  const spread = Math.sqrt(squares / Math.max(1, errors.length - 1));
  const note = isMissed(question, runs) ? ' (*)' : '';
  return `${percent(mean, 3)} ± ${percent(spread, 1)}${note}`;
}

/** True if the mean of the runs breaks the condition of the question. */
function isMissed({ kind, maxFpr }, runs) {
  const mean = (of) => runs.reduce((sum, rates) => sum + of(rates), 0) / runs.length;
  if (kind === 'elements' || kind === 'time') return mean(({ fnr }) => fnr) > 0;
  return maxFpr !== undefined && mean(({ fpr }) => fpr) > maxFpr;
}

/** All that is measured for one size: [name of the row, tasks]. */
async function tasksOf(question, size, seeds) {
  const searched = await searchedChoices(question, size);
  const { families, how, limit } = await familyChoices(question, size);
  const streamOf = (seed) => ({ kind: question.kind, window: size.window, seed });
  const tasksFor = (choice) => (choice ? seeds.map((seed) => ({ ...choice, stream: streamOf(seed), seed })) : []);
  const rows = [
    ...rivalsFor(question).flatMap((row, i) => {
      const choices = { paper: publishedChoice(row, question, size), search: searched[i] };
      return Object.entries(choices).map(([how, choice]) => [
        `${row.name}, ${how}`,
        tasksFor(choice && { ...choice, name: row.name }),
      ]);
    }),
    ...families.map(({ algorithm, options }) => [`**${algorithm}, ${how}**`, tasksFor(options && { options })]),
  ];
  return { rows, limit };
}

async function columnOf(question, size, seeds) {
  const { rows, limit } = await tasksOf(question, size, seeds);
  // The paper and the search may choose the same.
  const tasksByKey = new Map(rows.flatMap(([, tasks]) => tasks.map((task) => [JSON.stringify(task), task])));
  const results = await runAll([...tasksByKey.values()]);
  const runs = new Map([...tasksByKey.keys()].map((key, i) => [key, results[i]]));
  const cells = rows.map(([name, tasks]) => {
    const ofRow = tasks.map((task) => runs.get(JSON.stringify(task)));
    return [name, ofRow.length === 0 ? '' : cellOf(question, ofRow, size)];
  });
  return [...cells, ['limit', percent(limit, 3)]];
}

async function tableOf(question, sizes, seeds) {
  const columns = [];
  for (const size of sizes) columns.push(await columnOf(question, size, seeds));
  const header = ['percent', ...sizes.map(({ memoryBits }) => `${memoryBits / 2 ** 10} Kibit`)];
  const rows = columns[0].map(([name], row) => [name, ...columns.map((column) => column[row][1])]);
  return tableText(
    header,
    rows.filter((cells) => cells.slice(1).some((cell) => cell !== '')),
  );
}

/** @param {{quick: boolean, scale: number, write: boolean}} options */
export async function compareRivals({ quick, scale, write }) {
  const megabits = quick ? [1, 4, 16] : [1, 2, 4, 8, 16];
  const seeds = Array.from({ length: quick ? 2 : 10 }, (_, i) => i + 1);
  const sizes = megabits.map((size) => ({
    memoryBits: Math.floor((size * MEGABIT) / scale),
    window: Math.floor(WINDOW_ELEMENTS / scale),
  }));
  const sections = [
    machineText(describeMachine()),
    `W is ${sizes[0].window.toLocaleString('en-US')}. Mean and standard deviation of ${seeds.length} seeds, in percent.`,
  ];
  for (const question of questions) sections.push(`### ${question.title}`, await tableOf(question, sizes, seeds));
  const flags = [quick ? ' --quick' : '', scale > 1 ? ` --scale ${scale}` : ''].join('');
  const text = [...sections, `Printed by \`npm run frontier -- --rivals${flags}\`.`].join('\n\n');
  console.log(text);
  if (write) writeFileSync(documentUrl, replaceBetween(readFileSync(documentUrl, 'utf8'), 'rivals', text));
}
