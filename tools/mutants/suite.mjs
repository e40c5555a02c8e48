// Runs files of tests in a copy, and reads which failed.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ACTIVE, HITS } from './switches.mjs';

/** Marks the processes of one run, also those that leave its group. */
const RUN = 'MUTANT_RUN';

function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

/** Ends a process, and all processes that it or its tests have started. */
function endAll(pid, run) {
  const others = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  const started = others.filter((other) => environmentOf(other).split('\0').includes(`${RUN}=${run}`));
  for (const target of [-pid, ...started.map(Number)]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

/** Runs a program and waits for it, at most `limitSeconds`. @returns its exit code, and whether it took longer */
async function runLimited(args, { cwd, env, log, limitSeconds }) {
  const run = `${process.pid}-${performance.now()}`;
  const output = openSync(log, 'w');
  const child = spawn(process.execPath, args, {
    ...{ cwd, detached: true, stdio: ['ignore', output, output] },
    env: { ...env, [RUN]: run },
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endAll(child.pid, run);
  }, limitSeconds * 1000);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  endAll(child.pid, run);
  return { code, isLate };
}

/** The environment of the tests: of this form, and of a mutant or of a run that notes hits. */
export function environment({ form, active, hits }) {
  const { TEST_FORM: _, ...env } = process.env;
  return {
    ...env,
    ...(form === 'long' ? { TEST_FORM: 'long' } : {}),
    ...(active === undefined ? {} : { [ACTIVE]: String(active) }),
    ...(hits === undefined ? {} : { [HITS]: hits }),
  };
}

function escaped(name) {
  return name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** A pattern of the name of one test. */
export function patternOf(name) {
  return `^${escaped(name)}$`;
}

/** A pattern of the names of all tests but these. */
export function patternWithout(names) {
  return `^(?!(?:${names.map(escaped).join('|')})$)`;
}

/**
 * What a report of vitest in JSON tells.
 * @returns [{ file, seconds, failures: [{ name, message }] }]. A file that failed by itself has a failure without a name
 */
export function filesOfReport(report, folder) {
  return report.testResults.map(({ name, startTime, endTime, status, message, assertionResults }) => {
    const failures = assertionResults
      .filter((test) => test.status === 'failed')
      .map((test) => ({ name: test.fullName, message: test.failureMessages.join('\n') }));
    if (status === 'failed' && failures.length === 0) failures.push({ name: '', message });
    return { file: relative(folder, name), seconds: (endTime - startTime) / 1000, failures };
  });
}

/**
 * Runs files of tests; all of them without `files`.
 * @param options `pattern`, of the names of tests that are run, and `isWhole`, which goes on after a failure
 * @returns { isLate, code, files }; `files` is undefined if vitest has written no report
 */
export async function runTests({ folder, files = [], env, pattern, isWhole = false, limitSeconds, output }) {
  const report = `${output}.json`;
  rmSync(report, { force: true });
  const args = [
    ...[join(folder, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=json', `--outputFile=${report}`],
    ...['--passWithNoTests', ...(isWhole ? [] : ['--bail=1'])],
    ...(pattern === undefined ? [] : ['--testNamePattern', pattern]),
    ...files,
  ];
  const { code, isLate } = await runLimited(args, { cwd: folder, env, log: `${output}.txt`, limitSeconds });
  if (!existsSync(report)) return { isLate, code };
  return { isLate, code, files: filesOfReport(JSON.parse(readFileSync(report, 'utf8')), folder) };
}

/** The paths of all files of tests. */
export async function listTests({ folder, work, form }) {
  const [report, log] = [join(work, 'list.json'), join(work, 'list.txt')];
  const args = [join(folder, 'node_modules/vitest/vitest.mjs'), 'list', '--filesOnly', `--json=${report}`];
  const { code } = await runLimited(args, { cwd: folder, env: environment({ form }), log, limitSeconds: 600 });
  if (code !== 0) throw new Error(`the tests cannot be listed: ${log}`);
  const files = JSON.parse(readFileSync(report, 'utf8')).map(({ file }) => relative(folder, file));
  return [...new Set(files)].sort();
}

/** Builds what tests need. @returns whether that succeeded */
export async function buildTests({ folder, output }) {
  const args = [join(folder, 'tools/build.mjs'), '--tests'];
  const { code } = await runLimited(args, { cwd: folder, env: process.env, log: `${output}.txt`, limitSeconds: 3600 });
  return code === 0;
}
