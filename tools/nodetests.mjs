// Runs files of tests with node:test, for commands that tell how many passed, and why tests were skipped.

import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { counterOf, countsText, skippedLines } from './counts.mjs';

/**
 * Runs the test files of these names one after the other, and prints their results, the reasons of skipped tests and the counts. The process
 * has exit code 1 if one fails.
 * @param folder the URL of a file beside them
 * @param ended is called after the last test
 */
export function runTests(folder, names, ended = () => undefined) {
  const files = names.map((name) => fileURLToPath(new URL(`./${name}.test.mjs`, folder)));
  const events = run({ files, concurrency: false });
  const counted = counterOf(events);
  const text = events.compose(new spec());
  text.on('end', () => {
    const { reasons, ...counts } = counted();
    for (const line of skippedLines(reasons)) console.log(line);
    ended();
    console.log(countsText(counts));
    process.exitCode = counts.failed === 0 ? 0 : 1;
  });
  text.pipe(process.stdout, { end: false });
}
