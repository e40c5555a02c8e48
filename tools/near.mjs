// Runs the tests that a change of files can break.
//   npm run test:near                  for the files that differ from the last commit
//   npm run test:near -- FILE...       for these files
//   npm run test:near -- --list        names the tests and runs none
//   npm run test:near -- --all         also runs those that reach much else, and take long together
//   npm run test:near -- --record      makes the table tools/near/table.json again, from a run of all tests
// The table has the tests that reach each line of the sources, also through the built command. For other files, vitest follows the imports.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest } from 'vitest/node';
import { readArguments } from './arguments.mjs';
import { changedFiles } from './near/changes.mjs';
import { choose } from './near/choose.mjs';
import { record } from './near/record.mjs';
import { tableText } from './near/table.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const tableFile = join(root, 'tools/near/table.json');
/** What the nearest tests took when the table was made, with notes in the sources: they now take about 15 seconds. */
const NEAREST_SECONDS = 15;
const selectionFile = join(root, 'build/near-selection.json');

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

function makeTable(vitestArguments) {
  if (git('status', '--porcelain', '--', 'packages') !== '') {
    console.error('test:near: packages/ differs from the last commit, whose lines the table numbers; commit first');
    return 2;
  }
  const { table, failed } = record(root, { commit: git('rev-parse', 'HEAD'), arguments: vitestArguments });
  writeFileSync(tableFile, tableText(table));
  for (const file of failed) console.log(`failed with the notes: ${file}`);
  console.log(
    `${relative(root, tableFile)}: ${table.units.length} units of tests, ${Object.keys(table.files).length} files`,
  );
  return 0;
}

/** The test files that import files of code, directly or through others. */
async function importingTests(files) {
  const paths = files.filter((path) => /\.(?:ts|mjs)$/.test(path));
  if (paths.length === 0) return [];
  const vitest = await createVitest('test', { root, related: paths.map((path) => join(root, path)), watch: false });
  try {
    const specifications = await vitest.getRelevantTestSpecifications();
    return [...new Set(specifications.map(({ moduleId }) => relative(root, moduleId).replaceAll('\\', '/')))];
  } finally {
    await vitest.close();
  }
}

function printSelection(selection) {
  for (const [file, suites] of Object.entries(selection)) {
    console.log(suites === null ? file : `${file}: ${suites.length === 1 ? suites[0] : `${suites.length} suites`}`);
  }
}

function runTests(selection) {
  mkdirSync(dirname(selectionFile), { recursive: true });
  writeFileSync(selectionFile, JSON.stringify(selection));
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...Object.keys(selection)], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NEAR_TESTS_SELECTION: selectionFile },
  });
  return status ?? 1;
}

async function main() {
  const { values, positionals } = readArguments({
    allowPositionals: true,
    options: { list: { type: 'boolean' }, all: { type: 'boolean' }, record: { type: 'boolean' } },
  });
  if (values.record) return makeTable(positionals);
  const paths = positionals.map((path) => relative(root, join(process.cwd(), path)).replaceAll('\\', '/'));
  const { selection, left, unknown } = choose(
    JSON.parse(readFileSync(tableFile, 'utf8')),
    positionals.length > 0 ? paths : changedFiles(root),
    root,
    values.all ? undefined : NEAREST_SECONDS,
  );
  if (left > 0)
    console.log(`the nearest tests; ${left} units that reach much else are left out: npm run test:near -- --all`);
  for (const file of await importingTests(unknown)) selection[file] = null;
  const count = Object.keys(selection).length;
  if (count === 0) console.log('no test reaches what changed');
  if (count === 0 || values.list) {
    printSelection(selection);
    return 0;
  }
  return runTests(selection);
}

process.exitCode = await main();
