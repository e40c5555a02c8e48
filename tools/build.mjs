// Builds what is out of date: kernels, code, declarations, the manual page, and what some tests fetch.
//   node tools/build.mjs             everything but what is fetched
//   node tools/build.mjs --command   what the command needs, with the laboratory
//   node tools/build.mjs --tests     what most tests need
//   node tools/build.mjs --library   the library and the command, without the laboratory
//   node tools/build.mjs PART...     these parts

import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { makeParts } from './build/parts.mjs';

const run = promisify(execFile);
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const library = 'packages/firstseen';
const laboratory = 'packages/lab';
const STAMPS = 'build/parts';

/** A kernel is compiled again when one of these has another version. */
const compilers = ['assemblyscript', 'binaryen', '@gfx/zopfli'].map((name) => `node_modules/${name}/package.json`);

/** Kernels are compiled in processes of their own, because the compiler keeps its thread busy. */
function kernel(name, variant, written = []) {
  const folder = `packages/${name}`;
  return {
    inputs: [`${folder}/assembly`, 'tools/build/kernel.mjs', 'tools/abi.mjs', ...compilers],
    outputs: [`${folder}/build/kernel.${variant}.wasm`, ...written.map((path) => `${folder}/${path}`)],
    make: () => run(process.execPath, [join(root, 'tools/build/kernel.mjs'), name, variant]),
  };
}

/** The kernel of Parquet, whose sources are apart, so that the other kernels are not compiled again with it. */
const parquetKernel = {
  inputs: [`${library}/assembly-parquet`, 'tools/build/parquetkernel.mjs', ...compilers],
  outputs: [`${library}/src/io/parquet/parquetkernel.wasm`],
  make: () => run(process.execPath, [join(root, 'tools/build/parquetkernel.mjs')]),
};

function npm(...args) {
  return run('npm', [...args, '--no-audit', '--no-fund'], { cwd: root, shell: process.platform === 'win32' });
}

/** A part that a function of a module makes. The module is loaded only then: bundlers and compilers take long to load. */
function making(module, name) {
  return async () => (await import(module))[name]();
}

const ofLibrary = [`${library}/src`, `${library}/package.json`, 'LICENSE', 'package-lock.json'];
const ofLaboratory = [`${laboratory}/src`, `${laboratory}/package.json`, 'LICENSE', 'package-lock.json'];

/** What is in the packages, and what npm reads. */
const packedPaths = ['package.json', 'README.md', 'LICENSE', 'bin', 'completions', 'dist', 'man'];

/** Packs both packages for tests and checks, and notes what npm reports of each: `filename`, `files` and more. */
async function packBoth() {
  const folder = join(root, 'build/packed');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Their scripts would build what is built already, and wait for this build to end.
  const workspaces = ['firstseen', 'firstseen-lab'].flatMap((name) => ['--workspace', name]);
  const { stdout } = await npm('pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...workspaces);
  writeFileSync(join(folder, 'packed.json'), stdout);
}

/** The packages of a folder that is not part of the workspace, because few tests need them. */
function fetched(folder) {
  return {
    inputs: [`${folder}/package.json`, `${folder}/package-lock.json`],
    outputs: [`${folder}/node_modules/.package-lock.json`],
    make: () => npm('ci', '--prefix', folder),
  };
}

/** What is built, in the order in which it is begun. */
const parts = {
  kernel: kernel('firstseen', 'release', [
    ...['build/kernel.release.d.ts', 'src/kernel/abi.ts'],
    ...['src/kernel/module.ts', 'src/kernel/moduledigest.ts'],
  ]),
  detectorKernel: kernel('firstseen', 'detectors', [
    'src/kernel/detectormodule.ts',
    'src/kernel/detectormoduledigest.ts',
  ]),
  sharedKernel: kernel('firstseen', 'shared', ['src/threads/sharedkernel.wasm.br']),
  parquetKernel,
  labKernel: kernel('lab', 'release', ['build/kernel.release.d.ts', 'src/kernel/abi.ts', 'src/kernel/module.ts']),
  debugKernel: kernel('firstseen', 'debug'),
  labDebugKernel: kernel('lab', 'debug'),
  code: {
    needs: ['kernel', 'detectorKernel', 'sharedKernel', 'parquetKernel'],
    inputs: [...ofLibrary, `${library}/page`, ...['bundle', 'later', 'page'].map((name) => `tools/build/${name}.mjs`)],
    outputs: [
      'LICENSE',
      'dist/index.js',
      'dist/node.js',
      'dist/cli/main.js',
      'dist/kernel.wasm',
      'dist/detectors.wasm',
      'dist/page/main.js',
    ].map((file) => `${library}/${file}`),
    make: making('./build/bundle.mjs', 'bundleLibrary'),
  },
  labCode: {
    needs: ['labKernel'],
    inputs: [...ofLaboratory, 'tools/build/bundle.mjs'],
    outputs: ['LICENSE', 'dist/index.js', 'dist/cli/command.js'].map((file) => `${laboratory}/${file}`),
    make: making('./build/bundle.mjs', 'compileLaboratory'),
  },
  declarations: {
    needs: ['code'],
    inputs: [...ofLibrary, `${library}/tsconfig.json`, 'tools/build/declarations.mjs'],
    outputs: ['index.d.ts', 'node.d.ts', 'kernel.wasm.d.ts', 'detectors.wasm.d.ts'].map(
      (file) => `${library}/dist/${file}`,
    ),
    make: making('./build/declarations.mjs', 'declareLibrary'),
  },
  labDeclarations: {
    needs: ['kernel', 'labCode'],
    inputs: [
      ...[...ofLibrary, ...ofLaboratory],
      ...[`${library}/tsconfig.json`, `${laboratory}/tsconfig.json`, 'tools/build/declarations.mjs'],
    ],
    outputs: ['index.d.ts', 'cli/command.d.ts'].map((file) => `${laboratory}/dist/${file}`),
    make: making('./build/declarations.mjs', 'declareLaboratory'),
  },
  manual: {
    // It contains the commands of the laboratory.
    needs: ['code', 'labCode'],
    inputs: [`${library}/src`, `${laboratory}/src`, `${library}/package.json`, 'package-lock.json'],
    outputs: [`${library}/man/firstseen.1`],
    make: writeManual,
  },
  packed: {
    needs: ['debugKernel', 'declarations', 'labDeclarations', 'manual'],
    inputs: [library, laboratory].flatMap((folder) => packedPaths.map((path) => `${folder}/${path}`)),
    outputs: ['build/packed/packed.json'],
    make: packBoth,
  },
  examples: fetched('examples'),
  chromium: fetched('tools/chromium'),
};

/** Writes the manual page that is shipped with the command: the output of `firstseen --generate man`. */
async function writeManual() {
  const { stdout } = await run(process.execPath, [join(root, library, 'bin/firstseen.js'), '--generate', 'man']);
  rmSync(join(root, library, 'man'), { recursive: true, force: true });
  mkdirSync(join(root, library, 'man'), { recursive: true });
  writeFileSync(join(root, library, 'man/firstseen.1'), stdout);
}

const sets = {
  '--command': ['code', 'labCode'],
  '--tests': ['code', 'labCode', 'debugKernel', 'labDebugKernel'],
  '--library': ['code', 'debugKernel', 'declarations'],
};

/** What a package needs to be packed, and the kernels of tests. The packed packages are for tests and checks. */
const everything = Object.keys(parts).filter((name) => !['chromium', 'examples', 'packed'].includes(name));

/**
 * The files of parts, with the digests of what they were made from. In another clone to which they are copied, these parts are made again only if
 * they are made from something else there.
 */
export function filesOf(names) {
  return names.flatMap((name) => [...parts[name].outputs, join(STAMPS, name)]);
}

/** Builds the parts of these names that are out of date, and what they need. @returns the names of those that were made */
export async function build(names = everything) {
  const unknown = names.find((name) => !(name in parts));
  if (unknown !== undefined) throw new Error(`there is no part ${unknown}; there are ${Object.keys(parts).join(', ')}`);
  return makeParts(parts, names, { root, folder: join(root, STAMPS) });
}

/** Builds the parts that tests need, before the first of them runs: vitest calls it. */
export async function setup() {
  await build(sets['--tests']);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const names = process.argv.slice(2).flatMap((name) => sets[name] ?? [name]);
  const made = await build(names.length > 0 ? names : undefined);
  console.error(made.length > 0 ? `built: ${made.join(', ')}` : 'everything is up to date');
}
