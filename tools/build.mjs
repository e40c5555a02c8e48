// Builds the project: the kernels (release and debug), the TypeScript modules that carry the release kernels as text, and both
// packages with their declarations. With --library-code it builds the code of the library and of the command alone.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { laboratoryTables, libraryTables, writeAbi } from './abi.mjs';
import { bundleLibrary } from './build/bundle.mjs';
import { compileLaboratory, declareLibrary } from './build/declarations.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const library = 'packages/firstseen';
const laboratory = 'packages/lab';

/** What every engine that Node 20 and later are built on has. */
const features = ['simd', 'bulk-memory', 'mutable-globals', 'sign-ext', 'nontrapping-float-to-int'].map(
  (feature) => `--enable-${feature}`,
);

const sharedFlags = ['--runtime', 'stub', '--importMemory', '--enable', 'simd', '--enable', 'bulk-memory'];
const variants = {
  // The bindings are the source of the border (tools/abi.mjs).
  release: ['-O3', '--noAssert', '--bindings', 'raw', ...sharedFlags],
  debug: ['--debug', ...sharedFlags],
};

/** Every file of such a folder is an entry of its own, so that a new family or stream needs no line anywhere else. */
function entriesIn(folder) {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`);
}

function run(script, args) {
  execFileSync(process.execPath, [join(modules, script), ...args], { cwd: root, stdio: 'inherit' });
}

/**
 * The compiler inlines only small functions, and a rule is made of many: inlining more takes an eighth off the time of an
 * element.
 */
function inlineMore(path, moreFeatures = []) {
  const most = ['always', 'flexible'].map((kind) => `--${kind}-inline-max-function-size=250`);
  run('binaryen/bin/wasm-opt', [path, '-O3', ...features, ...moreFeatures, ...most, '-o', path]);
}

/** The kernel of a package: its release build as text in its sources, and both builds as files for the tests. */
function buildKernel(folder, entries) {
  mkdirSync(join(root, folder, 'build'), { recursive: true });
  for (const [variant, flags] of Object.entries(variants)) {
    run('assemblyscript/bin/asc.js', [...entries, '--outFile', `${folder}/build/kernel.${variant}.wasm`, ...flags]);
  }
  inlineMore(`${folder}/build/kernel.release.wasm`);
  writeModule(`${folder}/build/kernel.release.wasm`, `${folder}/src/kernel/module.ts`, 'kernelBase64');
}

/** A module as text in TypeScript, so that loading it needs no file access. */
function writeModule(wasmPath, modulePath, name) {
  const base64 = readFileSync(join(root, wasmPath)).toString('base64');
  writeFileSync(
    join(root, modulePath),
    `// Written by tools/build.mjs from assembly/; not to be edited.\nexport const ${name} =\n  '${base64}';\n`,
  );
}

/** Range motifs once more, for a memory that threads share: the same source, only without the rest of the kernel. */
function buildSharedKernel() {
  const path = `${library}/build/motifs.shared.wasm`;
  const threads = ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '65535'];
  run('assemblyscript/bin/asc.js', [
    ...[`${library}/assembly/near/motifs.ts`, '--outFile', path],
    ...variants.release,
    ...threads,
  ]);
  inlineMore(path, ['--enable-threads']);
  writeModule(path, `${library}/src/jobs/motifs/module.ts`, 'sharedKernelBase64');
}

/** Begins the build of a package, which carries the licence and the changelog of the repository. */
function emptyDist(folder) {
  rmSync(join(root, folder, 'dist'), { recursive: true, force: true });
  for (const name of ['LICENSE', 'CHANGELOG.md']) copyFileSync(join(root, name), join(root, folder, name));
}

buildKernel(library, [
  `${library}/assembly/index.ts`,
  ...entriesIn(`${library}/assembly/detectors`),
  ...entriesIn(`${library}/assembly/near`),
]);
buildSharedKernel();
writeAbi(join(root, library), { tables: libraryTables, shared: 'motifs.shared' });
emptyDist(library);
await bundleLibrary();
if (!process.argv.includes('--library-code')) {
  await declareLibrary();
  buildKernel(laboratory, [`${laboratory}/assembly/index.ts`, ...entriesIn(`${laboratory}/assembly/streams`)]);
  writeAbi(join(root, laboratory), { tables: laboratoryTables });
  emptyDist(laboratory);
  compileLaboratory();
  // After the laboratory, because they contain its commands.
  execFileSync(process.execPath, [join(root, 'tools/completions.mjs')], { stdio: 'inherit' });
}
