// Checks the rules of tools/style/rules.mjs for every code file that git tracks or does not ignore.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { styleProblems } from './style/rules.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.(ts|mjs)$/.test(path) && existsSync(join(root, path)));

const problems = styleProblems(new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')])));
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
