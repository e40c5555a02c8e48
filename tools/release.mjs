// Prepares a release: `npm run release -- --dry-run`. Packs both packages, checks that versions, changelog and snapshots agree, and prints
// what a person still has to do. Nothing is published from here: .github/workflows/release.yml publishes what a tag names.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from './arguments.mjs';
import {
  changelogProblems,
  documentProblems,
  goldenProblems,
  packedProblems,
  stepsLeft,
  versionProblems,
} from './release/checks.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = readArguments({ options: { 'dry-run': { type: 'boolean', default: false } } });
if (!values['dry-run']) {
  console.error('a release is published by pushing a tag; run: npm run release -- --dry-run');
  process.exit(2);
}

const read = (path) => readFileSync(join(root, path), 'utf8');
const json = (path) => JSON.parse(read(path));

/** Packs both packages into a folder that is removed again. @returns what npm reports of each */
function packBoth() {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-release-'));
  try {
    const args = [
      'pack',
      '--json',
      '--pack-destination',
      folder,
      '--workspace',
      'firstseen',
      '--workspace',
      'firstseen-lab',
    ];
    return JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const library = json('packages/firstseen/package.json');
const { version } = library;
const packed = packBoth();
for (const { name, version: packedVersion, size, unpackedSize, files } of packed) {
  console.log(`${name} ${packedVersion}: ${files.length} files, ${size} bytes packed, ${unpackedSize} bytes unpacked`);
}
const documents = ['README.md', 'packages/firstseen/README.md', 'packages/lab/README.md'];
const golden = readdirSync(join(root, 'packages/firstseen/test/golden'));
const problems = [
  ...versionProblems({
    library,
    laboratory: json('packages/lab/package.json'),
    jsr: json('packages/firstseen/jsr.json'),
    lock: json('package-lock.json'),
  }),
  ...documentProblems(Object.fromEntries(documents.map((path) => [path, read(path)])), version),
  ...changelogProblems(read('CHANGELOG.md'), version),
  ...goldenProblems(golden, version),
  ...packedProblems(packed, version),
];
if (problems.length > 0) {
  console.log(`\nversion ${version} is not ready:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
  process.exitCode = 1;
} else console.log(`\nversions, changelog and snapshots agree on ${version}`);
console.log(
  `\nleft to do:\n${stepsLeft(version)
    .map((step, i) => `${i + 1}. ${step}`)
    .join('\n')}`,
);
