// A family that tools/scaffold.mjs makes builds and passes its tests as it is. All of it happens in a copy of the repository.

import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nextId, withImport, withRow, withSection, withTableRow } from '../scaffold/rows.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
/** The copy is built as a whole, and the machine may be busy. */
const BUILD_TIMEOUT_MILLISECONDS = 900_000;
/** Neither the first nor the last by name. */
const NAME = 'onetable';

describe('rows', () => {
  const registry = `import { a } from './a.js';
import type { Family } from './contract.js';
import {
  z,
} from './z.js';

export const families: readonly Family[] = [
  a,
  z,
];
`;

  test.each([
    ['b', "import { b } from './b.js';\nimport type { Family }"],
    ['m', "import { m } from './m.js';\nimport {\n  z"],
    ['zz', "} from './z.js';\nimport { zz } from './zz.js';\n\nexport"],
  ])('%s is imported in its place', (name, expected) => {
    expect(withImport(registry, name)).toContain(expected);
  });

  test('a row goes to the end of its list', () => {
    const list = { opening: 'families: readonly Family[] = [', closing: '\n];' };
    expect(withRow(registry, 'm', list)).toContain('  a,\n  z,\n  m,\n];\n');
    expect(() => withRow(registry, 'm', { opening: 'elsewhere', closing: '];' })).toThrow('there is no "elsewhere"');
  });

  test('a section and a line of a table find their places', () => {
    expect(withSection('## z\n\n## Published tables\n', 'm')).toBe(
      '## z\n\n## m\n\n<!-- m:begin -->\n<!-- m:end -->\n\n## Published tables\n',
    );
    expect(withTableRow('# T\n\n| a |\n|---|\n| b |\n\nend\n', '# T', '| c |')).toContain('| b |\n| c |\n\nend');
  });

  test('the number of a family is one that no other has', () => {
    expect(nextId(['  id: 2,\n', 'no family', '  id: 11,\n', '  id: 3,\n'])).toBe(12);
  });
});

describe('a family that was scaffolded', { timeout: BUILD_TIMEOUT_MILLISECONDS }, () => {
  const copy = mkdtempSync(join(tmpdir(), 'firstseen-scaffold-'));
  const node = (...args) => run(process.execPath, args, { cwd: copy, maxBuffer: 2 ** 26 });
  const vitest = (...args) => node(join(copy, 'node_modules/vitest/vitest.mjs'), 'run', '--maxWorkers=1', ...args);

  beforeAll(async () => {
    const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
    for (const path of String(files).split('\0')) {
      if (path === '' || !existsSync(join(root, path)) || path.includes('test/cli/cases/')) continue;
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      cpSync(join(root, path), join(copy, path));
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
    await node('tools/scaffold.mjs', NAME);
    await node('tools/build.mjs');
    await node('tools/docs.mjs');
  }, BUILD_TIMEOUT_MILLISECONDS);
  afterAll(() => rmSync(copy, { recursive: true }));

  test('passes the contract of all families, and the docs have it', async () => {
    const { stdout } = await vitest('packages/firstseen/test/contract', '-t', `registry|${NAME}`);
    expect(stdout).toMatch(/Tests {2}\d{2,} passed/);
    await vitest('packages/firstseen/test/docs/generated.test.ts', 'packages/firstseen/test/docs/security.test.ts');
  });

  test('is typed and formatted', async () => {
    await node(
      join(copy, 'node_modules/typescript/bin/tsc'),
      '--noEmit',
      '-p',
      'packages/firstseen/tsconfig.test.json',
    );
    const biome = join(copy, 'node_modules/@biomejs/biome/bin/biome');
    await node(biome, 'check', '--vcs-enabled=false', 'packages/firstseen/src', 'packages/firstseen/test/reference');
  });

  test('is refused where there is one of its name', async () => {
    await expect(node('tools/scaffold.mjs', NAME)).rejects.toMatchObject({ code: 2 });
    const registry = readFileSync(join(copy, 'packages/firstseen/src/detectors/registry.ts'), 'utf8');
    expect(registry.match(new RegExp(`^ {2}${NAME},$`, 'gm'))).toHaveLength(1);
  });
});
