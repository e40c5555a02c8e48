// The last results of the steps of the long form, so that steps can run one by one. Each names the commit and the day that it is of.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './results.mjs';

const resultsFolder = join(root, 'build/long');

function currentCommit() {
  return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
}

export function saveResult(step, result, { folder = resultsFolder, commit = currentCommit(), now = new Date() } = {}) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${step}.json`),
    JSON.stringify({ commit, date: now.toISOString().slice(0, 10), ...result }),
  );
}

function readResult(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Returns the last results of steps by their names. A step that never ran has none. */
export function readResults(steps, { folder = resultsFolder } = {}) {
  const results = steps.map((step) => [step, readResult(join(folder, `${step}.json`))]);
  return Object.fromEntries(results.filter(([, result]) => result !== undefined));
}
