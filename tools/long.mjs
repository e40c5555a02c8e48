// The long form of the tests: `npm run test:long`. The last line is `N passed, N failed`, the sum over the steps that ran.
//   npm run test:long -- --step fuzz     runs only this step; repeatable
//   npm run test:long -- --report        also writes tools/tests/long-report.md, which is committed, from the last results of all steps

import { availableParallelism, cpus, totalmem } from 'node:os';
import { readArguments } from './arguments.mjs';
import { countsOf, countsText } from './counts.mjs';
import { writeReport } from './tests/longreport.mjs';
import { readResults, saveResult } from './tests/longresults.mjs';
import { root } from './tests/results.mjs';
import { runSideBySide, timeLines } from './tests/steps.mjs';

const FUZZ_MINUTES = 10;
const GIBIBYTE = 2 ** 30;

const npm = (...args) => ({ name: `npm ${args.join(' ')}`, words: ['npm', ...args] });
const withNode = (version) => ({
  name: `node tools/node.mjs ${version} npm test`,
  words: [process.execPath, 'tools/node.mjs', version, 'npm', 'test'],
});
/** The steps by the names that `--step` takes. */
const steps = {
  tests: { ...npm('test'), name: 'npm test, in the long form', env: { TEST_FORM: 'long' } },
  fuzz: npm('run', 'fuzz', '--', '--minutes', String(FUZZ_MINUTES)),
  rotation: npm('run', 'fuzz:rotation', '--', '--rounds', '100'),
  serve: npm('run', 'fuzz:serve', '--', '--inputs', '5000000'),
  pipe: npm('run', 'fuzz:pipe', '--', '--inputs', '20000'),
  node22: withNode('22'),
  node24: withNode('24'),
};

/** What a step found. One that fails without a failed test, or does not count its tests, counts as one test. */
function countsOfStep({ isDone, output }) {
  const counts = countsOf(output) ?? { passed: isDone ? 1 : 0, failed: 0 };
  return { ...counts, failed: isDone ? counts.failed : Math.max(1, counts.failed) };
}

function chosenSteps(names) {
  const unknown = names.find((name) => !(name in steps));
  if (unknown === undefined) return names;
  console.error(`test:long: --step is ${unknown}; give one of ${Object.keys(steps).join(', ')}`);
  process.exit(2);
}

async function runSteps(names) {
  const results = [];
  for (const step of names) {
    const [result] = await runSideBySide([steps[step]], { cwd: root, write: (text) => process.stdout.write(text) });
    const notes = [...result.output.matchAll(/^\d+ skipped: .*$/gm)].map(([line]) => line);
    results.push(result);
    const { name, isDone, seconds, processorSeconds } = result;
    saveResult(step, { name, isDone, seconds, processorSeconds, counts: countsOf(result.output), notes });
  }
  return results;
}

/** False if a step has no result. */
function report() {
  const results = readResults(Object.keys(steps));
  const missing = Object.keys(steps).filter((step) => results[step] === undefined);
  if (missing.length > 0) {
    const flags = missing.map((step) => `--step ${step}`).join(' ');
    console.error(`test:long: no report, because steps have no result; run npm run test:long -- ${flags} --report`);
    return false;
  }
  const machine = `${availableParallelism()} processors (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / GIBIBYTE)} GiB`;
  writeReport({ machine, steps: Object.values(results) });
  return true;
}

const { values } = readArguments({
  options: { step: { type: 'string', multiple: true, default: Object.keys(steps) }, report: { type: 'boolean' } },
});
const results = await runSteps(chosenSteps(values.step));
const isReported = !values.report || report();
console.log(timeLines(results).join('\n'));
const counts = results.map(countsOfStep);
const sum = (name) => counts.reduce((total, one) => total + one[name], 0);
console.log(countsText({ passed: sum('passed'), failed: sum('failed') }));
process.exitCode = sum('failed') === 0 && isReported ? 0 : 1;
