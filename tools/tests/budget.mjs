// It stays quick: what the short form of the tests may use. The budgets are in budget.json.

import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('./budget.json', import.meta.url);

/** Budgets that are written leave this much more than was used. */
const [STARTS_SLACK, FILE_SLACK] = [1.1, 2];

export function readBudget() {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** The processor time that a file would have taken on the machine of the budgets: the fixed loop says how much faster that one is. */
function secondsThere({ processor }, { loopMilliseconds }) {
  return (processor.milliseconds / 1000) * (loopMilliseconds / processor.loopMilliseconds);
}

/**
 * A line that compares machines: the processor time of all steps, and how much they would take on the machine of the budgets. Undefined
 * where no file measured the fixed loop.
 */
export function machineLine(results, processorSeconds, { loopMilliseconds }) {
  const loops = results
    .flatMap(({ processor }) => (processor === undefined ? [] : [processor.loopMilliseconds]))
    .sort((a, b) => a - b);
  const median = loops[loops.length >> 1];
  if (median === undefined || processorSeconds === undefined) return undefined;
  const there = processorSeconds * (loopMilliseconds / median);
  return `all steps: ${Math.round(processorSeconds)} s of processors, ${Math.round(there)} s of those of the machine of the budgets, whose fixed loop takes ${loopMilliseconds} ms and takes ${median.toFixed(1)} ms here`;
}

/** A line for each budget that a run of the short form exceeds. */
export function budgetProblems(results, budget) {
  const starts = results.reduce((sum, result) => sum + result.starts, 0);
  const tooMany =
    starts > budget.starts
      ? [`the tests started ${starts} processes, but may start ${budget.starts} (tools/tests/budget.json)`]
      : [];
  const tooSlow = results
    .filter(({ processor }) => processor !== undefined)
    .map((result) => ({ file: result.file, seconds: secondsThere(result, budget) }))
    .map((one) => ({ ...one, most: budget.filesSeconds[one.file] ?? budget.fileSeconds }))
    .filter(({ seconds, most }) => seconds > most)
    .map(
      ({ file, seconds, most }) =>
        `${file} took ${seconds.toFixed(1)} s of processor time, as measured by the speed of the machine of the budgets, but may take ${most} s (tools/tests/budget.json)`,
    );
  return [...tooMany, ...tooSlow];
}

/** The budgets that a run meets with some slack. Files that take little have the common budget. */
export function budgetFor(results, { fileSeconds, loopMilliseconds }) {
  const timed = results.filter(({ processor }) => processor !== undefined);
  const slow = timed
    .map((result) => [result.file, Math.ceil(FILE_SLACK * secondsThere(result, { loopMilliseconds }))])
    .filter(([, seconds]) => seconds > fileSeconds)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const starts = Math.ceil(STARTS_SLACK * results.reduce((sum, result) => sum + result.starts, 0));
  return { loopMilliseconds, starts, fileSeconds, filesSeconds: Object.fromEntries(slow) };
}

export function writeBudget(budget) {
  writeFileSync(path, `${JSON.stringify(budget, undefined, 2)}\n`);
}
