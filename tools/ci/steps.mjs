// Commands side by side, and the sum of the tests that they count.

import { stripVTControlCharacters } from 'node:util';
import { countsOf, countsText } from '../counts.mjs';
import { measured, timeText, wordsOf } from '../measured.mjs';

/** Failed tests of a step that are named at the end. */
const MAX_NAMED = 20;
const NONE = { passed: 0, failed: 0 };

/**
 * The lines of vitest (on standard error) and node:test (on standard output) that name a failed test, each once, with the error that
 * vitest prints below its line. They are repeated at the end, where a long output is not cut.
 */
function failedTests({ output, errors }) {
  const lines = stripVTControlCharacters(`${output}\n${errors}`)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const failures = lines.flatMap((line, i) => {
    if (line.startsWith('✖ ')) return [line];
    if (!line.startsWith('FAIL ')) return [];
    const error = lines[i + 1] ?? '';
    return [error === '' || error.startsWith('FAIL ') ? line : `${line}: ${error}`];
  });
  return [...new Set(failures)].slice(0, MAX_NAMED);
}

/** The counts of a step. One that fails without a failed test, or does not count its tests, counts as a failed test. */
function countsOfStep({ hasTests }, { isDone, output }) {
  const found = hasTests ? countsOf(output) : NONE;
  if (isDone && found !== undefined) return found;
  return { ...NONE, ...found, failed: Math.max(1, found?.failed ?? 0) };
}

/** A step at the end: its time, and its counts if it has any. */
function lineOf({ step, result, counts }) {
  const counted = step.hasTests || counts.failed > 0 ? `: ${countsText(counts)}` : '';
  return `${step.command} (${timeText(result)})${counted}`;
}

/** Runs a step, and writes its output as one block, so that outputs of steps side by side are not mixed. */
async function ended(step, { cwd, write }) {
  write(`begins: ${step.command}\n`);
  const result = await measured(wordsOf(step.command), { cwd });
  const end = result.text === '' || result.text.endsWith('\n') ? '' : '\n';
  write(`\nended: ${step.command} (${timeText(result)})\n${result.text}${end}\n`);
  return { step, result, counts: countsOfStep(step, result) };
}

/** Whether a step stops what follows: only those that others need have no tests. */
function stops({ step, counts }) {
  return !step.hasTests && counts.failed > 0;
}

/** Runs the steps of a lane one after the other. */
async function endedInOrder(lane, options) {
  const all = [];
  for (const step of lane) {
    all.push(await ended(step, options));
    if (stops(all.at(-1))) break;
  }
  return all;
}

/**
 * Runs steps, and writes the names of failed tests, the time and the counts of each step, and the sum of the counts. Skipped tests are not in the
 * last line.
 * @param stages each is lanes, which run side by side, and begins when the one before has ended. A lane is steps, one after the other:
 * { command, hasTests }. When a step without tests fails, those after it in its lane and the stages after it are left out
 * @param write takes the output
 * @returns the number of failed tests
 */
export async function runSteps(stages, { cwd, write }) {
  const all = [];
  for (const lanes of stages) {
    const ofLanes = await Promise.all(lanes.map((lane) => endedInOrder(lane, { cwd, write })));
    all.push(...ofLanes.flat());
    if (all.some(stops)) break;
  }
  const sum = (name) => all.reduce((total, { counts }) => total + counts[name], 0);
  const [passed, failed] = [sum('passed'), sum('failed')];
  const names = all.flatMap(({ result, counts }) => (counts.failed > 0 ? failedTests(result) : []));
  write(`\n${[...names, ...all.map(lineOf), countsText({ passed, failed })].join('\n')}\n`);
  return failed;
}
