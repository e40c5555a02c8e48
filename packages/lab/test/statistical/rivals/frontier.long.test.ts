import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const script = join(import.meta.dirname, '../../../../../bench/frontier.mjs');

/** The rows of each table of errors: [name, error in percent]. */
function tablesOf(text: string): [string, number][][] {
  return text
    .split('\n### ')
    .slice(1)
    .map((section) =>
      section
        .split('\n')
        .flatMap((line) => [.../^\| (\S.*?) +\| ([\d.e-]+)/g[Symbol.matchAll](line)])
        .map(([, name, error]) => [name as string, Number(error)]),
    );
}

test('npm run frontier -- --rivals answers its questions: no structure is below the limit, and no search worse than the paper', () => {
  // V8 of Node 20 can wait forever for a compilation in the background when the program ends on a busy machine.
  const args = ['--no-concurrent-recompilation', script, '--rivals', '--quick'];
  const tables = tablesOf(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  expect(tables).toHaveLength(5);
  for (const rows of tables) {
    expect(rows.length).toBeGreaterThan(6);
    const [name, limit] = rows.at(-1) as [string, number];
    expect(name).toBe('limit');
    const errors = new Map(rows);
    for (const [structure, error] of rows) {
      // Few events are counted in the quick form, so an error has a tolerance in percentage points.
      expect(error, structure).toBeGreaterThan(0.9 * limit - 0.05);
      const searched = errors.get(structure.replace(', paper', ', search')) ?? 0;
      expect(searched, structure).toBeLessThan(1.3 * error + 1);
    }
  }
});
