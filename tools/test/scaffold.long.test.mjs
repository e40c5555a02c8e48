// A family that tools/scaffold.mjs creates builds and passes its tests without changes. The test uses a copy of the repository.

import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
/** A long limit, because the kernel is compiled with all optimisations and the machine may be busy. */
const BUILD_TIMEOUT_MILLISECONDS = 900_000;
/** Sorts neither first nor last among the families. */
const NAME = 'onetable';

describe('a scaffolded family', { timeout: BUILD_TIMEOUT_MILLISECONDS }, () => {
  const copy = mkdtempSync(join(tmpdir(), 'firstseen-scaffold-'));
  // Colours would prevent the output of vitest from matching below.
  const { FORCE_COLOR: _color, ...environment } = process.env;
  const env = { ...environment, NO_COLOR: '1' };
  const node = (...args) => run(process.execPath, args, { cwd: copy, maxBuffer: 2 ** 26, env });
  const vitest = (...args) => node(join(copy, 'node_modules/vitest/vitest.mjs'), 'run', '--maxWorkers=1', ...args);

  /** Links the installed packages, but the workspace packages to those of the copy. */
  function linkPackages() {
    const modules = join(copy, 'node_modules');
    const own = { firstseen: 'packages/firstseen', 'firstseen-lab': 'packages/lab' };
    mkdirSync(modules);
    // On Windows, every user can create a junction; other systems ignore the type and create a symbolic link.
    for (const name of readdirSync(join(root, 'node_modules'))) {
      symlinkSync(
        own[name] ? join(copy, own[name]) : join(root, 'node_modules', name),
        join(modules, name),
        'junction',
      );
    }
  }

  beforeAll(async () => {
    const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
    for (const path of String(files).split('\0')) {
      if (path === '' || !existsSync(join(root, path))) continue;
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      cpSync(join(root, path), join(copy, path));
    }
    // A new family does not change the laboratory, so its build is copied.
    for (const path of [
      'packages/lab/dist',
      'packages/lab/build',
      'packages/lab/src/kernel',
      'build/parts/labKernel',
      'build/parts/labCode',
      'build/parts/labDebugKernel',
    ]) {
      cpSync(join(root, path), join(copy, path), { recursive: true });
    }
    linkPackages();
    await node('tools/scaffold.mjs', NAME);
    await node('tools/build.mjs', '--library');
    await node('tools/docs.mjs');
  }, BUILD_TIMEOUT_MILLISECONDS);
  afterAll(() => rmSync(copy, { recursive: true }));

  test('passes the contract of all families', async () => {
    const { stdout } = await vitest('packages/firstseen/test/contract', '-t', `registry|${NAME}`);
    expect(stdout).toMatch(/Tests {2}\d{2,} passed/);
  });

  test('is in the docs, the help and the expected outputs', async () => {
    for (const path of ['docs/ALGORITHMS.md', 'docs/command/flags.md', 'docs/FORMAT.md', 'docs/SECURITY.md']) {
      expect(readFileSync(join(copy, path), 'utf8'), path).toContain(NAME);
    }
    const shown = 'The plan lists|algorithm that does not exist|measures the stream in a sample|contain the help';
    const { stdout } = await vitest('packages/firstseen/test/cli/cases.test.ts', 'cli/documentation', '-t', shown);
    expect(stdout).toMatch(/Tests {2}\d{2,} passed/);
    await vitest('packages/firstseen/test/docs/generated.test.ts', 'packages/firstseen/test/docs/security.test.ts');
  });

  test('is typed and formatted', async () => {
    const library = join(copy, 'packages/firstseen');
    const include = ['src/detectors/registry.ts', 'src/plan/registry.ts', 'test/reference/twins.ts'];
    writeFileSync(join(library, 'tsconfig.family.json'), JSON.stringify({ extends: './tsconfig.test.json', include }));
    await node(join(copy, 'node_modules/typescript/bin/tsc'), '-p', 'packages/firstseen/tsconfig.family.json');
    const biome = join(copy, 'node_modules/@biomejs/biome/bin/biome');
    const folders = ['assembly', 'src', 'test/reference'].map((folder) => `packages/firstseen/${folder}`);
    await node(biome, 'check', '--vcs-enabled=false', ...folders);
  });

  test('is refused if a family with the same name exists', async () => {
    await expect(node('tools/scaffold.mjs', NAME)).rejects.toMatchObject({ code: 2 });
    const registry = readFileSync(join(copy, 'packages/firstseen/src/detectors/registry.ts'), 'utf8');
    expect(registry.match(new RegExp(`^ {2}${NAME},$`, 'gm'))).toHaveLength(1);
  });
});
