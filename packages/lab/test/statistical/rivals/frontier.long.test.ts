import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const script = join(import.meta.dirname, '../../../../../bench/frontier.mjs');

/** The errors in percent by the name of the structure, in the middle one of the sizes of memory. */
function errorsIn(section: string): Map<string, number> {
  const cells = section.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const measured = cells.filter(([, , , error]) => /^\d/.test(error ?? '') && !error?.endsWith('bit'));
  return new Map(measured.map(([, name, , error]) => [name as string, Number.parseFloat(error as string)]));
}

test('npm run frontier -- --rivals: no structure is below the limit, and no search much worse than the paper', () => {
  // V8 of Node 20 can wait forever for a compilation in the background when the program ends on a busy machine.
  const args = ['--no-concurrent-recompilation', script, '--rivals', '--quick'];
  const text = execFileSync(process.execPath, args, { encoding: 'utf8' });
  const tables = text.split('\n### ').slice(1).map(errorsIn);
  expect(tables).toHaveLength(5);
  for (const errors of tables) {
    expect(errors.size).toBeGreaterThan(6);
    const limit = errors.get('limit') as number;
    for (const [structure, error] of errors) {
      // Few events are counted in the quick form, so an error has a tolerance in percentage points.
      expect(error, structure).toBeGreaterThan(0.9 * limit - 0.05);
      const searched = errors.get(structure.replace(', paper', ', search')) ?? 0;
      expect(searched, structure).toBeLessThan(1.3 * error + 1);
    }
  }
});
