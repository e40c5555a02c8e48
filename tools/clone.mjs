// Runs the first blocks of README.md in a fresh clone of the last commit, in a temporary folder: what a newcomer does. The last line is
// `N passed, N failed`. `npm test` is left out, because this is a step of tools/ci.mjs, whose other steps run all tests. Kernels are copied: the
// build of the clone compares the digests of what they are made from with its own files and packages, and compiles them if anything differs.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesOf } from './build.mjs';
import { countsText } from './counts.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const LEFT_OUT = 'npm test';
/** The parts of the build that take most of its time. */
const KERNELS = ['kernel', 'sharedKernel', 'labKernel'];

/** Copies what was made of the kernels, if anything was. */
function copyKernels(clone) {
  for (const path of filesOf(KERNELS)) {
    if (existsSync(join(root, path))) cpSync(join(root, path), join(clone, path));
  }
}

/** The commands of the shell before the first section. */
function firstCommands(readme) {
  const beginning = readme.slice(0, readme.indexOf('\n## '));
  const blocks = [...beginning.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
  return blocks.flatMap((block) => block.trim().split('\n'));
}

const folder = mkdtempSync(join(tmpdir(), 'firstseen-clone-'));
const clone = join(folder, 'firstseen');
const counts = { passed: 0, failed: 0 };

/** Runs a command of the shell. It passes if it ends with 0 and prints what is expected. */
function check(command, cwd, expected = '') {
  const { status, stdout, stderr } = spawnSync(command, { cwd, shell: true, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const isPassed = status === 0 && `${stdout}${stderr}`.includes(expected);
  counts[isPassed ? 'passed' : 'failed']++;
  console.log(`${isPassed ? 'passed' : 'failed'}: ${command}`);
  if (!isPassed) console.log(`it ended with ${status}; expected in its output: "${expected}"\n${stdout}${stderr}`);
  return isPassed;
}

/** What a command of README.md prints, beside what npm prints. */
const expectedOf = { 'npx firstseen examples/access.log --stats': 'distinct         1,340 (67.00 %)' };

try {
  let isGoing = check(`git clone --quiet "${root}" "${clone}"`, folder);
  if (isGoing) copyKernels(clone);
  const commands = isGoing ? firstCommands(readFileSync(join(clone, 'README.md'), 'utf8')) : [];
  for (const command of commands) {
    if (isGoing && command !== LEFT_OUT) isGoing = check(command, clone, expectedOf[command]);
  }
  if (isGoing) {
    const project = join(folder, 'my-project');
    const program = "import { create } from 'firstseen'; console.log((await create({ memory: '1MiB' })).observe('a'));";
    writeFileSync(join(project, 'program.mjs'), program);
    check('node program.mjs', project, 'distinct');
    check('git diff --exit-code && test -z "$(git status --porcelain)"', clone);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(countsText(counts));
process.exitCode = counts.failed === 0 ? 0 : 1;
