// The last results of the steps of the long form, so that steps can run one by one. A result counts for the commit that it was found with.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './results.mjs';

const resultsFolder = join(root, 'build/long');

function currentCommit() {
  return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
}

export function saveResult(step, result, { folder = resultsFolder, commit = currentCommit() } = {}) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${step}.json`), JSON.stringify({ commit, ...result }));
}

function readResult(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Returns the results of steps by their names, without those of other commits. */
export function readResults(steps, { folder = resultsFolder, commit = currentCommit() } = {}) {
  const results = steps.map((step) => [step, readResult(join(folder, `${step}.json`))]);
  return Object.fromEntries(results.filter(([, result]) => result?.commit === commit));
}
