// Runs lint, types, the checks of the packages and all tests, side by side. Tells the slowest files, the processes that the tests started, the
// times of the steps and why tests were skipped. The last line is `N passed, N failed`, which counts tests.
//   node tools/test.mjs [FILE...]        only these files of tests, with all other steps
//   node tools/test.mjs --set-budget     also writes tools/tests/budget.json from this run

import { build } from './build.mjs';
import { countsText, skippedLines } from './counts.mjs';
import { budgetFor, budgetProblems, machineLine, readBudget, writeBudget } from './tests/budget.mjs';
import { noteOnLongForm } from './tests/longreport.mjs';
import { forgetResults, readResults, root, slowestLines, totalsOf } from './tests/results.mjs';
import { runSideBySide, timeLines } from './tests/steps.mjs';

const SLOWEST = 10;
const SET_BUDGET = '--set-budget';

const args = process.argv.slice(2).filter((word) => word !== SET_BUDGET);
const isLongForm = process.env.TEST_FORM === 'long';
const write = (text) => process.stdout.write(text);

const npm = (script) => ['npm', 'run', '--silent', script];
const vitest = [
  process.execPath,
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=./tools/tests/reporter.mjs',
  ...args,
];
const steps = [
  { name: 'lint', words: npm('lint') },
  { name: 'types', words: npm('types') },
  { name: 'packages', words: npm('lint:packages') },
  { name: 'tests', words: vitest },
];

forgetResults();
// All at first, so that nothing writes the built files while tests read them.
const built = await build().then(
  () => ({ name: 'build', isDone: true }),
  ({ message }) => ({ name: 'build', isDone: false, message }),
);
if (!built.isDone) console.log(built.message);
const ended = built.isDone
  ? await runSideBySide(steps, { cwd: root, write, shown: process.stdout.isTTY ? 'tests' : undefined })
  : [built];

const results = readResults();
const { passed, failed: failedTests, starts, reasons } = totalsOf(results);
/** Budgets are of a whole run of the short form. */
const isWhole = args.length === 0 && !isLongForm && results.length > 0;
if (isWhole && process.argv.includes(SET_BUDGET)) writeBudget(budgetFor(results, readBudget()));
const problems = isWhole ? budgetProblems(results, readBudget()) : [];
const note = noteOnLongForm();

/** The sum over all steps; undefined where it is not known of one. */
function processorSecondsOf(steps) {
  const all = steps.map(({ processorSeconds }) => processorSeconds);
  return all.includes(undefined) ? undefined : all.reduce((sum, seconds) => sum + seconds, 0);
}

const failedSteps = ended.filter(({ isDone }) => !isDone).map(({ name }) => `${name}: failed`);
const lines = [
  ...skippedLines(reasons),
  ...(results.length > 0 ? ['', `the slowest files:`, ...slowestLines(results, SLOWEST)] : []),
  '',
  `the tests started ${starts} processes`,
  ...timeLines(ended.filter(({ seconds }) => seconds !== undefined)),
  ...[machineLine(results, processorSecondsOf(ended), readBudget()), note].filter((line) => line !== undefined),
  ...problems,
  ...failedSteps,
];
console.log(lines.join('\n'));
// A failed step other than the tests counts as one failed test, so that the last line does not look like a success.
const failed = Math.max(failedTests, failedSteps.length + problems.length > 0 ? 1 : 0);
console.log(countsText({ passed, failed }));
process.exitCode = failed === 0 ? 0 : 1;
