// Runs lint, types, the checks of the packages and all tests. Prints why tests were skipped. The last line is
// `N passed, N failed`, which counts tests.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countsText } from './counts.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const report = join(root, 'build/test-report.json');

function passes(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' }).status === 0;
}

const isLinted = passes('npm', ['run', '--silent', 'lint']);
const isTyped = passes('npm', ['run', '--silent', 'types']);
const isPacked = passes('npm', ['run', '--silent', 'lint:packages']);

mkdirSync(dirname(report), { recursive: true });
rmSync(report, { force: true });
const isTested = passes(process.execPath, [
  join(root, 'node_modules/vitest/vitest.mjs'),
  'run',
  '--reporter=dot',
  '--reporter=json',
  '--reporter=./tools/skipped.mjs',
  `--outputFile=${report}`,
  ...process.argv.slice(2),
]);
const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));

for (const [step, isDone] of Object.entries({ lint: isLinted, types: isTyped, packages: isPacked, tests: isTested })) {
  if (!isDone) console.log(`${step}: failed`);
}
// A failed step other than the tests counts as one failed test, so that the last line does not look like a success.
const failed = Math.max(numFailedTests, isLinted && isTyped && isPacked && isTested ? 0 : 1);
console.log(countsText({ passed: numPassedTests, failed }));
process.exitCode = failed === 0 ? 0 : 1;
