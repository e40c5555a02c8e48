// Makes the table: runs the tests over an instrumented copy of the checkout, and notes which lines each unit of tests reaches.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyTree, sourceFiles } from '../copytree.mjs';
import { instrumented, runtime } from './instrument.mjs';
import { tableOf } from './table.mjs';

/** Test files that take less than this are chosen as a whole. */
const WHOLE_FILE_SECONDS = 1.5;

function isSource(path) {
  return /^packages\/[^/]+\/src\/.*\.ts$/.test(path) && !path.endsWith('.d.ts');
}

/** Instruments the sources of a copy. @returns for each point its file and its lines */
function instrument(folder) {
  const points = [];
  const texts = new Map();
  for (const path of sourceFiles(folder).filter(isSource)) {
    const { text, points: lines } = instrumented(path, readFileSync(join(folder, path), 'utf8'), points.length);
    for (const [start, end] of lines) points.push({ path, start, end });
    if (lines.length > 0) texts.set(path, text);
  }
  const head = runtime(points.length);
  for (const [path, text] of texts) writeFileSync(join(folder, path), `${head} ${text}`);
  return points;
}

/** The unit and the points of each file of a recording. */
function readUnits(folder) {
  return readdirSync(folder).map((name) => {
    const [unit, ...points] = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
    const [file, suite] = JSON.parse(unit);
    return { file, suite, points: points.filter((line) => /^\d+$/.test(line)).map(Number) };
  });
}

/** The seconds of each test file, by its path. */
function secondsOf(report, folder) {
  const rows = report.testResults.map(({ name, startTime, endTime }) => [
    name.slice(folder.length + 1).replaceAll('\\', '/'),
    (endTime - startTime) / 1000,
  ]);
  return new Map(rows);
}

/** Runs the tests of a copy. @returns what they reached, and their seconds */
function runTests(folder, { pointCount, arguments: vitestArguments }) {
  const recording = join(folder, 'build/near');
  const reportFile = join(folder, 'build/near-report.json');
  rmSync(recording, { recursive: true, force: true });
  mkdirSync(recording, { recursive: true });
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--reporter=json', `--outputFile=${reportFile}`, ...vitestArguments];
  spawnSync(process.execPath, args, {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, NEAR_TESTS_RECORD: recording, NEAR_TESTS_POINTS: String(pointCount) },
  });
  return { units: readUnits(recording), report: JSON.parse(readFileSync(reportFile, 'utf8')) };
}

/**
 * @param options `commit` of the checkout, and `arguments` for vitest
 * @returns the table, and the test files that failed because of the notes: they are chosen by their imports alone
 */
export function record(root, { commit, arguments: vitestArguments = [] }) {
  const folder = copyTree(root);
  try {
    const points = instrument(folder);
    const { units, report } = runTests(folder, { pointCount: points.length, arguments: vitestArguments });
    const seconds = secondsOf(report, folder);
    const isWhole = (file) => (seconds.get(file) ?? 0) < WHOLE_FILE_SECONDS;
    const failed = report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
    return {
      table: tableOf({ commit, points, units, isWhole, seconds }),
      failed: failed.map((name) => name.slice(folder.length + 1)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
