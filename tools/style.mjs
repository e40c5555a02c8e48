// Checks the rules of tools/style for every file of code and of Markdown that git tracks or does not ignore.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { proseProblems } from './style/prose.mjs';
import { styleProblems } from './style/rules.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => existsSync(join(root, path)));

/** The texts of the files with one of these endings, by path. */
function textsOf(ending) {
  return paths.filter((path) => ending.test(path)).map((path) => [path, readFileSync(join(root, path), 'utf8')]);
}

const problems = [
  ...styleProblems(new Map(textsOf(/\.(ts|mjs)$/))),
  ...textsOf(/\.md$/).flatMap(([path, text]) => proseProblems(text).map((problem) => `${path}: ${problem}`)),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
