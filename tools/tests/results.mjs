// What a run of vitest found, by files: the reporter writes it, and tools/test.mjs reads it.

import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
export const resultsPath = join(root, 'build/test-results.json');

export function forgetResults() {
  rmSync(resultsPath, { force: true });
}

/** The results of the last run; none if it ended before its files did. */
export function readResults() {
  try {
    return JSON.parse(readFileSync(resultsPath, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

/** The sums over all files, with the reasons of the skipped tests. */
export function totalsOf(results) {
  const sum = (name) => results.reduce((total, result) => total + result[name], 0);
  const reasons = results.flatMap(({ skipped }) => skipped.map((reason) => reason || 'it was not selected'));
  return { passed: sum('passed'), failed: sum('failed'), starts: sum('starts'), reasons };
}

/** Lines that name the slowest files: by processor time where it was measured, and by wall time elsewhere. */
export function slowestLines(results, count) {
  const timed = results.map(({ file, wallSeconds, processor }) => ({
    file,
    seconds: processor === undefined ? wallSeconds : processor.milliseconds / 1000,
    kind: processor === undefined ? 'wall' : 'processor',
  }));
  const slowest = timed.sort((a, b) => b.seconds - a.seconds).slice(0, count);
  return slowest.map(({ file, seconds, kind }) => `${seconds.toFixed(1).padStart(6)} s ${kind.padEnd(9)} ${file}`);
}
