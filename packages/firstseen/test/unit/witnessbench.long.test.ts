import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const script = join(import.meta.dirname, '../../../../bench/witness.mjs');

it('npm run witness measures every cell, and nine of ten intervals contain the rate', () => {
  // V8 of Node 20 can wait forever for a compilation in the background when the program ends on a busy machine.
  const args = ['--no-concurrent-recompilation', script, '--quick'];
  const text = execFileSync(process.execPath, args, { encoding: 'utf8' });
  const rows = text.split('\n').filter((line) => /^\|.* \d+, \d+ /.test(line));
  expect(rows).toHaveLength(60);
  const coverages = rows.flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    return [cells[5], cells[8]].map((cell) => Number.parseFloat(cell as string));
  });
  expect(coverages).toHaveLength(120);
  expect(coverages.reduce((sum, coverage) => sum + coverage, 0) / coverages.length).toBeGreaterThanOrEqual(90);
});
