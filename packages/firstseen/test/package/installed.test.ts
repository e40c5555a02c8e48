// The packages as users receive them: packed, then installed in empty folders without a network.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocks, exampleBlocks, promisedLines, stepsOf } from '../support/blocks.js';
import { packageFolder, repositoryFolder } from '../support/folders.js';
import { inLongForm } from '../support/form.js';
import { install, type Packed, packed, unpack } from '../support/packed.js';
import { requiresPosix } from '../support/platform.js';

/** Of the code, its declarations and the manual page; the code and the declarations are there as ES modules and as CommonJS. */
const LARGEST_BYTES = 6_300_000;
/** The usual block size of a file system. */
const BLOCK_BYTES = 4096;

const labFolder = join(repositoryFolder, 'packages/lab');
const folder = mkdtempSync(join(tmpdir(), 'firstseen-installed-'));
/** The folder with only `firstseen` installed. */
const alone = join(folder, 'alone');
/** The folder with `firstseen` and the laboratory installed. */
const both = join(folder, 'both');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Unpacks the laboratory and links its dependencies to those of this repository, because there is no network. */
function addLaboratory(target: string, packedLaboratory: Packed): void {
  const modules = join(target, 'node_modules');
  const lab = join(modules, 'firstseen-lab');
  unpack(lab, packedLaboratory);
  const { dependencies } = JSON.parse(readFileSync(join(lab, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(join(modules, name, '..'), { recursive: true });
    // On Windows, every user can create a junction; other systems ignore the type and create a symbolic link.
    symlinkSync(join(repositoryFolder, 'node_modules', name), join(modules, name), 'junction');
  }
}

function bytesOnDisk(path: string): number {
  const { size } = statSync(path);
  const own = Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
  if (!statSync(path).isDirectory()) return own;
  return readdirSync(path).reduce((sum, name) => sum + bytesOnDisk(join(path, name)), BLOCK_BYTES);
}

interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the command that is installed in a folder. */
function firstseen(installed: string, args: readonly string[], cwd = installed): Ended {
  const bin = join(installed, 'node_modules/firstseen/bin/firstseen.js');
  return spawnSync(process.execPath, [bin, ...args], { cwd, encoding: 'utf8', input: '' });
}

const smallRun = [
  'lab',
  'run',
  '--length',
  '2000',
  '--distinct',
  '15%',
  '--memory',
  '1KiB',
  '--algorithm',
  'exact,qht',
];

const library = packed('firstseen');
const laboratory = packed('firstseen-lab');

beforeAll(() => {
  install(alone, library.path);
  // npm puts the same files there again.
  cpSync(alone, both, { recursive: true });
  addLaboratory(both, laboratory);
});

describe('firstseen, installed without the laboratory', () => {
  it('installs no other package', () => {
    const names = readdirSync(join(alone, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(names).toEqual(['firstseen']);
    const { dependencies } = JSON.parse(readFileSync(join(alone, 'node_modules/firstseen/package.json'), 'utf8'));
    expect(dependencies).toBeUndefined();
  });

  it('takes less than 6.3 MB', () => {
    const bytes = bytesOnDisk(join(alone, 'node_modules/firstseen'));
    expect(bytes).toBeGreaterThan(500_000);
    expect(bytes).toBeLessThan(LARGEST_BYTES);
  });

  it('contains only the files that users need', () => {
    const outside = library.files.filter((path) => !path.startsWith('dist/'));
    expect(outside.sort()).toEqual([
      'LICENSE',
      'README.md',
      'bin/compilecache.js',
      'bin/firstseen.js',
      'bin/package.json',
      'completions/_firstseen',
      'completions/firstseen.bash',
      'completions/firstseen.fish',
      'man/firstseen.1',
      'package.json',
    ]);
    expect(library.files.filter((path) => !/\.(c?js|d\.ts)$/.test(path) && path.startsWith('dist/')).sort()).toEqual([
      'dist/THIRD-PARTY-LICENSES',
      'dist/chunks/parquetkernel.wasm',
      'dist/chunks/sharedkernel.wasm.br',
      'dist/cjs/package.json',
      'dist/cli/package.json',
      'dist/detectors.wasm',
      'dist/kernel.wasm',
      'dist/page/icon.svg',
      'dist/page/index.html',
      'dist/page/report.css',
      'dist/page/style.css',
    ]);
  });

  it('is described for JSR with the same version and the public entries', () => {
    const read = (name: string) => JSON.parse(readFileSync(join(packageFolder, name), 'utf8'));
    const { version, license, exports } = read('package.json');
    const described = read('jsr.json');
    const entries = Object.keys(exports).filter((name) => exports[name]['module-sync'] !== undefined);
    expect(described).toMatchObject({ version, license, name: '@firstseen/firstseen' });
    expect(described.exports).toEqual(Object.fromEntries(entries.map((name) => [name, exports[name].default.default])));
    for (const path of Object.values<string>(described.exports)) {
      const declarations = path.replace('./dist/', './').replace(/js$/, 'd.ts');
      expect(readFileSync(join(packageFolder, path), 'utf8')).toMatch(`/* @ts-self-types="${declarations}" */`);
    }
  });

  /** A program of CommonJS, where `require` loads the build for it, as in Jest and in Node before 20.19. */
  function required(program: string): string {
    const file = join(alone, 'required.cjs');
    writeFileSync(file, program);
    const args = ['--no-experimental-require-module', '--no-warnings', file];
    return execFileSync(process.execPath, args, { cwd: alone, encoding: 'utf8' });
  }

  it('is loaded by require, each entry with the exports that import gives', () => {
    const names = Object.keys(JSON.parse(readFileSync(join(packageFolder, 'jsr.json'), 'utf8')).exports);
    const specifiers = names.map((name) => `firstseen${name.slice(1)}`);
    const printed = required(`
      (async () => {
        for (const name of ${JSON.stringify(specifiers)}) {
          const [own, other] = [require(name), await import(name)].map((one) => Object.keys(one).sort().join());
          if (require.resolve(name).endsWith('.cjs') && own === other) console.log(name);
        }
      })();`);
    expect(specifiers.length).toBe(7);
    expect(printed.trimEnd().split('\n')).toEqual(specifiers);
  });

  it('as CommonJS, detects, plans, starts threads, and knows the errors of the ES modules', () => {
    const printed = required(`
      const { create, FirstseenError } = require('firstseen');
      const { createThreaded } = require('firstseen/node');
      (async () => {
        const detector = await create({ memory: '1MiB', distinctElements: 1000 });
        console.log(detector.observe('a'), detector.observe('a'));
        const threaded = await createThreaded({ memory: '1MiB', layout: 'blocked' }, { threads: 2 });
        console.log((await threaded.observeBatch(BigUint64Array.of(1n, 1n))).join(), threaded.threads);
        await threaded.close();
        const other = await import('firstseen');
        const error = await other.create({ memory: 'x' }).catch((thrown) => thrown);
        console.log(other.FirstseenError === FirstseenError, error instanceof FirstseenError);
        class Own extends FirstseenError {}
        console.log(error instanceof Own, error instanceof TypeError, {} instanceof FirstseenError);
      })();`);
    expect(printed).toBe('distinct duplicate\n0,1 2\nfalse true\nfalse false false\n');
  });

  // The short form of types.process.test.ts has the other ones.
  const moduleOptions = [
    ['--module', 'commonjs'],
    ...inLongForm(['node16', 'nodenext'], []).map((name) => ['--module', name]),
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ];
  it.each(moduleOptions.map((options) => ({ options })))('has types for a program with $options', ({ options }) => {
    const typed = join(folder, `typed-${options.join('')}`);
    cpSync(alone, typed, { recursive: true });
    writeFileSync(join(typed, 'package.json'), '{ "type": "commonjs" }\n');
    const program = [
      "import { create, type Detector } from 'firstseen';",
      "import { createNear } from 'firstseen/near';",
      "import { openState } from 'firstseen/node';",
      "import { plan } from 'firstseen/plan';",
      'export const made: Promise<Detector> = create();',
      'export const others = [createNear(), openState("a"), plan()];',
      '// @ts-expect-error memory is a size',
      'create({ memory: true });',
    ];
    writeFileSync(join(typed, 'program.ts'), program.join('\n'));
    symlinkSync(join(repositoryFolder, 'node_modules/@types'), join(typed, 'node_modules/@types'), 'junction');
    const compiler = join(repositoryFolder, 'node_modules/typescript/bin/tsc');
    const args = [
      compiler,
      ...options,
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--lib',
      'es2022',
      '--types',
      'node',
      'program.ts',
    ];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: typed, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  it('contains the licence of each bundled package', () => {
    const text = readFileSync(join(alone, 'node_modules/firstseen/dist/THIRD-PARTY-LICENSES'), 'utf8');
    const names = ['commander', 'csv-parse', 'picomatch', 'cli-progress', 'string-width'];
    for (const name of names) {
      const terms = new RegExp(`^${name} \\d[\\d.]* \\(MIT\\)\\n.*?Permission is hereby granted`, 'ms').exec(text)?.[0];
      // The terms are those of this package and not of the next one.
      expect(terms?.match(/^\S+ \d[\d.]* \(MIT\)$/gm), name).toHaveLength(1);
    }
  });

  const documents = [
    ...['packages/firstseen/README.md', 'README.md'],
    ...['docs/LIBRARY.md', 'docs/CLAIMS.md', 'docs/RUN-FILES.md'],
  ];
  const sourceFolder = join(packageFolder, 'src');
  const sources = readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' }).sort();
  const examples = sources
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => exampleBlocks(readFileSync(join(sourceFolder, path), 'utf8')));
  const programs = [
    ...documents.flatMap((path) => blocks('js', readFileSync(join(repositoryFolder, path), 'utf8'))),
    ...examples,
  ];
  it('finds the examples of doc comments', () => {
    expect(examples.map((example) => example.split('\n')[0])).toEqual([
      "import { create } from 'firstseen';",
      "import { dedup } from 'firstseen';",
    ]);
  });

  describe('the programs of the documents, and the examples of doc comments', () => {
    /** What each program prints. They run one after the other in one process. */
    let printed: string[];
    beforeAll(() => {
      const names = programs.map((_, i) => `./program-${i + 1}.mjs`);
      for (const [i, name] of names.entries()) writeFileSync(join(alone, name), programs[i] as string);
      const runner = `
        import { format } from 'node:util';
        const printed = [];
        const write = console.log;
        for (const name of ${JSON.stringify(names)}) {
          const lines = [];
          console.log = (...values) => lines.push(format(...values));
          await import(name).catch((error) => lines.push(error.stack));
          printed.push(lines.join('\\n'));
        }
        write(JSON.stringify(printed));`;
      writeFileSync(join(alone, 'programs.mjs'), runner);
      printed = JSON.parse(execFileSync(process.execPath, ['programs.mjs'], { cwd: alone, encoding: 'utf8' }));
    });

    it.each(programs.map((program, i) => [i + 1, program] as const))(
      'program %i prints the output that its comments state',
      (i, program) => {
        const promised = promisedLines(program);
        expect(promised.length).toBeGreaterThan(0);
        expect(printed[i - 1]?.trimEnd().split('\n')).toEqual(promised);
      },
    );
  });

  const sessions = blocks('console', readFileSync(join(packageFolder, 'README.md'), 'utf8'));
  it.each(sessions.map((session, i) => [session.split('\n')[0] as string, session, i] as const))('%s', (...row) => {
    requiresPosix('a POSIX shell');
    const [, session, place] = row;
    // npx takes longer than what it starts.
    const installed = place === 0 ? 'npx --no-install firstseen' : 'node_modules/.bin/firstseen';
    for (const { command, printed } of stepsOf(session)) {
      const offline = command.replaceAll('npx firstseen', installed);
      expect(execFileSync('/bin/sh', ['-c', offline], { cwd: alone, encoding: 'utf8' })).toBe(printed);
    }
  });

  it('without the packages that read Parquet, tells the user which command installs them', () => {
    const file = join(repositoryFolder, 'packages/firstseen/test/parquet/files/groups.parquet');
    const { status, stdout, stderr } = firstseen(alone, [file]);
    expect(stderr).toMatch(
      /^firstseen: Parquet needs the packages hyparquet, hyparquet-compressors, .*; run npm install hyparquet hyparquet-compressors, .* \[E_PACKAGE\]\n$/,
    );
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  });

  it.skipIf('zstdCompress' in zlib)('without the packages for zstd in older versions of Node, names them', () => {
    const read = join(alone, 'in.zst');
    writeFileSync(read, Buffer.from('28b52ffd2006310000610a620a610a', 'hex'));
    const written = join(alone, 'out.zst');
    for (const [args, name] of [
      [[read], 'fzstd'],
      [['-o', written], '@hpcc-js/wasm-zstd'],
    ] as const) {
      const { status, stdout, stderr } = firstseen(alone, [...args]);
      expect(stderr).toMatch(
        new RegExp(`zstd, which in Node .* needs the package ${name}, .*; run npm install ${name},`),
      );
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    }
    expect(existsSync(written)).toBe(false);
  });

  it('without the laboratory, tells the user which command installs it', () => {
    const { version } = JSON.parse(readFileSync(join(labFolder, 'package.json'), 'utf8'));
    const { status, stdout, stderr } = firstseen(alone, smallRun);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toBe(
      'firstseen: lab requires the package firstseen-lab, which is not installed; ' +
        `run: npm install --save-dev firstseen-lab@${version} [E_USAGE]\n`,
    );
  });
});

describe('firstseen-lab', () => {
  it('has the same version as the firstseen that it requires', () => {
    const read = (path: string) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const { version } = read(packageFolder);
    const lab = read(labFolder);
    expect(lab.version).toBe(version);
    expect(lab.peerDependencies).toEqual({ firstseen: version });
    expect(lab.devDependencies).toEqual({ firstseen: version });
  });

  it('contains its build but no results', () => {
    const outside = laboratory.files.filter((path) => !path.startsWith('dist/'));
    expect(outside.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  });

  it.each([
    ['beside the command', () => firstseen(both, smallRun)],
    ['beside the current folder', () => firstseen(alone, smallRun, both)],
  ])('runs when it is installed %s', (_where, run) => {
    const { status, stdout, stderr } = run();
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^exact +classic .* 1KiB +0 /m);
    expect(stdout).toMatch(/^qht +blocked .* 1KiB /m);
  });

  it('exits with the code of an error, whether its library is in the same folder or not', () => {
    for (const installed of [alone, both]) {
      const { status, stderr } = firstseen(installed, ['lab', 'run', '--memory', 'x'], both);
      expect(stderr).toMatch(/^firstseen: .* \[E_[A-Z]+\]\n$/);
      expect(status).toBe(2);
    }
  });

  it('prints the output that the program of its README states', () => {
    const [program = ''] = blocks('js', readFileSync(join(labFolder, 'README.md'), 'utf8'));
    writeFileSync(join(both, 'program.mjs'), program);
    const printed = execFileSync(process.execPath, ['program.mjs'], { cwd: both, encoding: 'utf8' });
    expect(printed.trimEnd().split('\n')).toEqual(promisedLines(program));
  });
});
