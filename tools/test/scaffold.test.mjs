// What tools/scaffold.mjs writes for a family: it compiles, fits what it is added to, and is formatted. scaffold.long.test.mjs builds a family
// and runs its tests.

import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { main as compile } from 'assemblyscript/asc';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nextId, withImport, withRow, withSection, withTableRow } from '../scaffold/rows.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const library = 'packages/firstseen';
/** Sorts neither first nor last among the families. */
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
  ])('the import of %s is inserted in alphabetical order', (name, expected) => {
    expect(withImport(registry, name)).toContain(expected);
  });

  test('a row is appended to its list', () => {
    const list = { opening: 'families: readonly Family[] = [', closing: '\n];' };
    expect(withRow(registry, 'm', list)).toContain('  a,\n  z,\n  m,\n];\n');
    expect(() => withRow(registry, 'm', { opening: 'elsewhere', closing: '];' })).toThrow('there is no "elsewhere"');
  });

  test('a section is inserted before the published tables, and a row is appended to its table', () => {
    expect(withSection('## z\n\n## Published tables\n', 'm')).toBe(
      '## z\n\n## m\n\n<!-- m:begin -->\n<!-- m:end -->\n\n## Published tables\n',
    );
    expect(withTableRow('# T\n\n| a |\n|---|\n| b |\n\nend\n', '# T', '| c |')).toContain('| b |\n| c |\n\nend');
  });

  test('the number of a new family is larger than all others', () => {
    expect(nextId(['  id: 2,\n', 'no family', '  id: 11,\n', '  id: 3,\n'])).toBe(12);
  });
});

describe('a scaffolded family', () => {
  const copy = mkdtempSync(join(tmpdir(), 'firstseen-scaffold-'));
  const node = (...args) => run(process.execPath, args, { cwd: copy });
  const read = (path) => readFileSync(join(copy, path), 'utf8');
  const made = ['assembly/detectors', 'src/detectors', 'src/plan', 'test/reference'].map(
    (folder) => `${library}/${folder}/${NAME}.ts`,
  );
  const lists = ['src/detectors/registry.ts', 'src/detectors/descriptions.ts', 'src/plan/registry.ts']
    .concat('test/reference/twins.ts')
    .map((path) => `${library}/${path}`);

  beforeAll(async () => {
    const documents = ['ALGORITHMS', 'FORMAT', 'SECURITY'].map((name) => `docs/${name}.md`);
    const code = ['assembly', 'src', 'test/reference', 'test/support', 'package.json'].map(
      (path) => `${library}/${path}`,
    );
    const tools = ['tools/scaffold', 'tools/scaffold.mjs'];
    for (const path of [...tools, ...code, ...documents, 'biome.json']) {
      cpSync(join(root, path), join(copy, path), { recursive: true });
    }
    await node('tools/scaffold.mjs', NAME);
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  test('is in each list once, and has its sections in the docs', () => {
    for (const path of lists) expect(read(path).match(new RegExp(`^import .*${NAME}`, 'gm')), path).toHaveLength(1);
    for (const name of ['ALGORITHMS', 'FORMAT', 'SECURITY']) expect(read(`docs/${name}.md`), name).toContain(NAME);
    for (const path of made) expect(existsSync(join(copy, path)), path).toBe(true);
  });

  test('has a kernel that compiles with those of the library', async () => {
    // Without optimisation this takes two seconds.
    const { error, stderr } = await compile([
      ...[`${library}/assembly/index.ts`, `${library}/assembly/detectors/${NAME}.ts`],
      ...['--baseDir', copy, '--noEmit', '--runtime', 'stub', '--importMemory', '--enable', 'simd'],
      ...['--enable', 'bulk-memory'],
    ]);
    expect(error, String(stderr)).toBeNull();
  });

  test('has a description, a plan and a twin that fit their registries', async () => {
    const program = `
      export { families } from './src/detectors/descriptions.ts';
      export { familyPlans } from './src/plan/registry.ts';
      export { twins } from './test/reference/twins.ts';`;
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir: join(copy, library), loader: 'ts' },
      ...{ bundle: true, platform: 'node', format: 'esm', write: false, logLevel: 'silent' },
    });
    const text = Buffer.from(outputFiles[0].contents).toString('base64');
    const { families, familyPlans, twins } = await import(`data:text/javascript;base64,${text}`);
    const [family, ...others] = families.filter(({ name }) => name === NAME);
    expect(others).toEqual([]);
    expect(families.filter(({ id }) => id === family.id)).toEqual([family]);
    expect(family.title).toMatch(/./);
    expect(familyPlans.map(({ name }) => name)).toEqual(families.map(({ name }) => name));
    expect(Object.keys(twins)).toEqual(families.map(({ name }) => name));
  });

  test('is formatted', async () => {
    await node(join(root, 'node_modules/@biomejs/biome/bin/biome'), 'check', '--vcs-enabled=false', ...made, ...lists);
  });

  test('is refused if a family with the same name exists', async () => {
    await expect(node('tools/scaffold.mjs', NAME)).rejects.toMatchObject({ code: 2 });
    const registry = read(`${library}/src/detectors/registry.ts`);
    expect(registry.match(new RegExp(`^ {2}${NAME},$`, 'gm'))).toHaveLength(1);
  });
});
