// Tests the packed library in each runtime: `npm run test:runtimes`, or `npm run test:runtimes -- --quick` for one version of each
// runtime. The runtimes are packages of npm, fetched once into a cache outside the repository. Prints why tests were skipped. The
// last line is `N passed, N failed, N skipped`.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from './arguments.mjs';
import { build } from './build.mjs';
import { countsText } from './counts.mjs';
import { fetchPackage, NODE_VERSIONS, nodePackage } from './fetch.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { quick: isQuick } = readArguments({ options: { quick: { type: 'boolean' } } }).values;
const programs = join(root, 'packages/firstseen/test/runtimes');
const packed = join(root, 'build/packed');
const prepared = join(root, 'build/runtimes.json');
const report = join(root, 'build/runtimes-report.json');

const { engines } = JSON.parse(readFileSync(join(root, 'packages/firstseen/package.json'), 'utf8'));
const [minVersion] = /[0-9]+\.[0-9]+\.[0-9]+$/.exec(engines.node);

/** By the name of a runtime: the package and the file in it. */
const runtimes = {
  [`Node ${minVersion}`]: { ...nodePackage(minVersion), isQuick: true },
  'Node 22': nodePackage(NODE_VERSIONS[22]),
  'Node 24': nodePackage(NODE_VERSIONS[24]),
  Deno: { packageName: 'deno', version: '2.9.6', path: 'bin.cjs', isQuick: true },
  Bun: { packageName: 'bun', version: '1.4.5', path: 'bin/bun.exe', script: 'install.js', isQuick: true },
  Electron: { packageName: 'electron', version: '45.4.1', path: 'dist/electron', script: 'install.js' },
  Jest: { packageName: 'jest', version: '30.5.2', path: 'bin/jest.js', isQuick: true },
  'edge runtime': { packageName: '@edge-runtime/vm', version: '5.0.0', path: 'dist/index.js', isQuick: true },
  Metro: { packageName: 'metro-resolver', version: '0.87.1', path: 'src/index.js', isQuick: true },
  Parcel: { packageName: 'parcel', version: '2.16.4', path: 'lib/bin.js' },
  workerd: { packageName: 'miniflare', version: '4.20260301.1', path: 'dist/src/index.js', isQuick: true },
};

/** The path of a runtime as `path`, or why there is none as `missing`. */
function fetched(name, { isQuick: isInQuick, ...runtime }) {
  return isQuick && !isInQuick ? { missing: `${name} is not in the quick tests` } : fetchPackage(runtime);
}

/** The output of a program. @throws Error with what it says if it fails */
function outputOf(cwd, command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** Installs the packed library in a folder with the programs that all runtimes run. */
function install(folder) {
  const packages = JSON.parse(readFileSync(join(packed, 'packed.json'), 'utf8'));
  const { filename } = packages.find(({ name }) => name === 'firstseen');
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  outputOf(folder, 'npm', 'install', '--offline', '--no-audit', '--no-fund', join(packed, filename));
  for (const name of ['suite.mjs', 'program.mjs']) copyFileSync(join(programs, name), join(folder, name));
}

await build(['packed']);
mkdirSync(dirname(prepared), { recursive: true });
rmSync(report, { force: true });
const paths = Object.fromEntries(Object.entries(runtimes).map(([name, runtime]) => [name, fetched(name, runtime)]));
const folder = mkdtempSync(join(tmpdir(), 'firstseen-runtimes-'));
install(folder);
// What all runtimes must answer is what this version of Node answers.
const { own: expected } = JSON.parse(outputOf(folder, process.execPath, 'program.mjs'));
writeFileSync(prepared, JSON.stringify({ folder, expected, runtimes: paths }));
spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--maxWorkers=1',
    '--reporter=verbose',
    '--reporter=json',
    '--reporter=./tools/skipped.mjs',
    `--outputFile.json=${report}`,
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, FIRSTSEEN_RUNTIMES: prepared } },
);
rmSync(folder, { recursive: true, force: true });
const {
  numPassedTests: passed,
  numFailedTests,
  numPendingTests: skipped,
  success,
} = JSON.parse(readFileSync(report, 'utf8'));
const failed = Math.max(numFailedTests, success ? 0 : 1);
console.log(countsText({ passed, failed, skipped }));
process.exitCode = failed === 0 ? 0 : 1;
