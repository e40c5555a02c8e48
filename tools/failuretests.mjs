// Commands of failure tests: how long they run, which groups, and whether a report is written.

import { fileURLToPath } from 'node:url';
import { readArguments } from './arguments.mjs';
import { runTests } from './nodetests.mjs';
import { beginReport } from './report.mjs';

const text = { type: 'string' };
const yes = { type: 'boolean' };

/**
 * Runs the test files of some groups as the arguments of the process ask.
 * @param folder the URL of a file beside them
 * @param page the path from there of the page that has the report
 * @param variables what the variables begin with by which tests know what is asked
 * @param count the name of the flag of how many failures there are
 */
export function runFailureTests({ folder, page, variables, count, groups }) {
  const options = { quick: yes, report: yes, [count]: text, seed: text, only: text };
  const { values } = readArguments({ options });
  const set = (name, value) => {
    if (value) process.env[`${variables}_${name}`] = value;
  };
  set('QUICK', values.quick && 'yes');
  set(count.toUpperCase(), values[count]);
  set('SEED', values.seed);
  const writeReport = values.report ? beginReport(fileURLToPath(new URL(page, folder))) : undefined;
  const chosen = values.only?.split(',') ?? groups;
  const unknown = chosen.find((name) => !groups.includes(name));
  if (unknown !== undefined) throw new Error(`--only has "${unknown}", but must have some of ${groups.join(',')}`);
  runTests(
    folder,
    groups.filter((name) => chosen.includes(name)),
    writeReport,
  );
}
