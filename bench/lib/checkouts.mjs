// The files of a commit in a folder of their own, built there.

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesOf } from '../../tools/build.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const LOCK = 'package-lock.json';
/** The parts of the build that take most of its time. The build makes them again where they are made from other files. */
const KERNELS = ['kernel', 'detectorKernel', 'sharedKernel', 'parquetKernel', 'labKernel'];
/** The lines of the output of a failed program that are in the message. */
const TOLD_LINES = 20;

function run(command, args, cwd) {
  const { error, status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (error) throw error;
  return { isDone: status === 0, output: `${stdout}${stderr}`.trim() };
}

/** Tells if files that git tracks differ from the last commit, or files are there that it neither tracks nor ignores. */
export function isChanged(cwd = root) {
  return run('git', ['status', '--porcelain'], cwd).output !== '';
}

/**
 * The full name of a commit.
 * @throws Error if the repository has no such commit
 */
export function commitOf(name, cwd = root) {
  const { isDone, output } = run(
    'git',
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
    cwd,
  );
  if (isDone) return output;
  const help =
    'Name a commit, a tag or a branch that `git log` shows; in a shallow clone, run `git fetch --unshallow` first.';
  throw new Error(`"${name}" is not a commit of this repository. ${help}`);
}

/** Makes links to packages. Those of the workspace are links in it already, which lead to the folders of the checkout. */
function linkPackages(from, to) {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    const path = join(from, name);
    symlinkSync(lstatSync(path).isSymbolicLink() ? readlinkSync(path) : path, join(to, name));
  }
}

/** Gives a checkout the packages that its lock file names: those of this checkout, if its lock file is the same. */
function install(folder) {
  const [lock, ownLock] = [folder, root].map((path) => readFileSync(join(path, LOCK), 'utf8'));
  if (lock === ownLock) {
    linkPackages(join(root, 'node_modules'), join(folder, 'node_modules'));
    return;
  }
  must(
    'its packages cannot be installed',
    run('npm', ['ci', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], folder),
  );
}

function must(problem, { isDone, output }) {
  if (!isDone) throw new Error(`${problem}:\n${output.split('\n').slice(-TOLD_LINES).join('\n')}`);
}

function copyKernels(folder) {
  for (const path of filesOf(KERNELS)) {
    if (!existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
}

/**
 * Writes the files of a commit to a new folder, and builds the command there.
 * @throws Error if it cannot be built
 */
export function buildCheckout(commit, folder) {
  mkdirSync(folder);
  const archive = `${folder}.tar`;
  must(`commit ${commit} cannot be read`, run('git', ['archive', '--output', archive, commit], root));
  must(`commit ${commit} cannot be unpacked`, run('tar', ['-xf', archive, '-C', folder], root));
  try {
    install(folder);
    copyKernels(folder);
    buildIn(folder);
  } catch (error) {
    throw new Error(`commit ${commit} does not build: ${error.message}`);
  }
}

/** Builds what is out of date of the command in a checkout. */
export function buildIn(folder) {
  must('`node tools/build.mjs --command` fails', run(process.execPath, ['tools/build.mjs', '--command'], folder));
}
