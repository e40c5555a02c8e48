// Checks of style that no linter makes: files of a readable length, `node:` modules only where there is Node, names without
// abbreviations of units, and nothing left behind.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const MOST_LINES = 400;

/** Folders that have to run outside Node, and the folder of `src` that each may import from at most: itself and those above. */
const portable = [
  'packages/firstseen/src/kernel/',
  'packages/firstseen/src/fingerprint/',
  'packages/firstseen/src/detectors/',
  'packages/firstseen/src/plan/',
  'packages/firstseen/src/near/',
  'packages/firstseen/src/state/',
  'packages/firstseen/src/index.ts',
  'packages/firstseen/src/dedup/delivery.ts',
  'packages/firstseen/src/dedup/gate.ts',
  'packages/firstseen/src/dedup/iterate.ts',
  'packages/firstseen/src/dedup/stream.ts',
];
/** Data flows down this list; a folder imports from those before it and from itself. */
const order = [
  'kernel',
  'fingerprint',
  'detectors',
  'plan',
  'state',
  'near',
  'records',
  'dedup',
  'documents',
  'motifs',
  'cli',
];

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.(ts|mjs)$/.test(path) && !path.includes('test/cli/cases/'));

function lengthProblems(path, text) {
  const lines = text.split('\n').length - 1;
  const isCode = /^packages\/[^/]+\/(src|assembly)\//.test(path);
  return isCode && lines > MOST_LINES ? [`has ${lines} lines; ${MOST_LINES} are the most`] : [];
}

function portabilityProblems(path, text) {
  if (!portable.some((place) => path.startsWith(place))) return [];
  return /from 'node:/.test(text) ? ['imports a node: module, but has to run outside Node'] : [];
}

function directionProblems(path, text) {
  const folder = /^packages\/firstseen\/src\/([^/]+)\//.exec(path)?.[1];
  if (folder === undefined) return [];
  return [...text.matchAll(/from '\.\.\/([^/']+)\//g)]
    .map(([, target]) => target)
    .filter((target) => order.indexOf(target) > order.indexOf(folder))
    .map((target) => `imports from ${target}, which lies below ${folder}`);
}

function leftoverProblems(_path, text) {
  const marks = ['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'];
  const focus = /\b(?:it|test|describe)\.(?:only|skip|todo)\(/;
  return [
    ...marks.filter((mark) => new RegExp(`\\b${mark}\\b`).test(text)).map((mark) => `holds a ${mark}`),
    ...(focus.test(text) ? ['skips or singles out a test'] : []),
  ];
}

const checks = [lengthProblems, portabilityProblems, directionProblems, leftoverProblems];
let found = 0;
for (const path of files) {
  let text;
  try {
    text = readFileSync(join(root, path), 'utf8');
  } catch {
    continue;
  }
  for (const problem of checks.flatMap((check) => check(path, text))) {
    console.error(`${path}: ${problem}`);
    found++;
  }
}
process.exitCode = found === 0 ? 0 : 1;
