// The long form of the tests: `npm run test:long`. The last line is `N passed, N failed`, the sum over all steps.
//   npm run test:long -- --report     also writes tools/tests/long-report.md, which is committed

import { availableParallelism, cpus, totalmem } from 'node:os';
import { countsOf, countsText } from './counts.mjs';
import { writeReport } from './tests/longreport.mjs';
import { root } from './tests/results.mjs';
import { runSideBySide, timeLines } from './tests/steps.mjs';

const FUZZ_MINUTES = 10;
const GIBIBYTE = 2 ** 30;

const npm = (...args) => ({ name: `npm ${args.join(' ')}`, words: ['npm', ...args] });
const withNode = (version) => ({
  name: `node tools/node.mjs ${version} npm test`,
  words: [process.execPath, 'tools/node.mjs', version, 'npm', 'test'],
});
const steps = [
  { ...npm('test'), name: 'npm test, in the long form', env: { TEST_FORM: 'long' } },
  npm('run', 'fuzz', '--', '--minutes', String(FUZZ_MINUTES)),
  npm('run', 'fuzz:rotation', '--', '--rounds', '100'),
  npm('run', 'fuzz:serve', '--', '--inputs', '5000000'),
  withNode('22'),
  withNode('24'),
];

/** What a step found. One that fails without a failed test, or does not count its tests, counts as one test. */
function countsOfStep({ isDone, output }) {
  const counts = countsOf(output) ?? { passed: isDone ? 1 : 0, failed: 0 };
  return { ...counts, failed: isDone ? counts.failed : Math.max(1, counts.failed) };
}

const results = [];
for (const step of steps) {
  const [result] = await runSideBySide([step], { cwd: root, write: (text) => process.stdout.write(text) });
  const notes = [...result.output.matchAll(/^\d+ skipped: .*$/gm)].map(([line]) => line);
  results.push({ ...result, counts: countsOf(result.output), notes });
}
if (process.argv.includes('--report')) {
  const machine = `${availableParallelism()} processors (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / GIBIBYTE)} GiB`;
  writeReport({ machine, steps: results });
}
console.log(timeLines(results).join('\n'));
const counts = results.map(countsOfStep);
const sum = (name) => counts.reduce((total, one) => total + one[name], 0);
console.log(countsText({ passed: sum('passed'), failed: sum('failed') }));
process.exitCode = sum('failed') === 0 ? 0 : 1;
