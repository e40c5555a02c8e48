// Builds the project: the kernels (release, debug and shared), the TypeScript modules and the file that contain kernels, and both
// packages with their declarations. With --library-code it builds only the code of the library and of the command.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, deflateRawSync } from 'node:zlib';
import binaryen from 'binaryen';
import { laboratoryTables, libraryTables, writeAbi } from './abi.mjs';
import { bundleLibrary } from './build/bundle.mjs';
import { compileLaboratory, declareLibrary } from './build/declarations.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const library = 'packages/firstseen';
const laboratory = 'packages/lab';
const sharedKernelPath = `${library}/src/threads/sharedkernel.wasm.br`;

/** WebAssembly features that Node 20 and later support. */
const features = ['simd', 'bulk-memory', 'mutable-globals', 'sign-ext', 'nontrapping-float-to-int'].map(
  (feature) => `--enable-${feature}`,
);

const commonFlags = ['--runtime', 'stub', '--importMemory', '--enable', 'simd', '--enable', 'bulk-memory'];
const release = ['-O3', '--noAssert', '--bindings', 'raw', ...commonFlags];
const variants = {
  // tools/abi.mjs reads these bindings, and the values of constants from the debug build.
  release,
  debug: ['--debug', ...commonFlags],
};

/** The build for a memory that threads share. */
const threads = ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '65535'];

/** Every file of these folders is an entry, so that a new family or stream is compiled without a change to this script. */
function entriesIn(folder) {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`);
}

function run(script, args) {
  execFileSync(process.execPath, [join(modules, script), ...args], { cwd: root, stdio: 'inherit' });
}

/**
 * Removes the constants from what a module exports. The host has them from abi.ts. Without them the module is shorter, and an
 * instance of it does not create an object for each.
 */
function removeConstants(path) {
  const module = binaryen.readBinary(readFileSync(path));
  const exported = Array.from({ length: module.getNumExports() }, (_, i) =>
    binaryen.getExportInfo(module.getExportByIndex(i)),
  );
  for (const { kind, name } of exported) if (kind === binaryen.ExternalGlobal) module.removeExport(name);
  writeFileSync(path, module.emitBinary());
  module.dispose();
}

/**
 * The compiler inlines only small functions, and a detector's rule calls many functions. More inlining makes an element one
 * eighth faster.
 */
function optimize(path, moreFeatures = []) {
  removeConstants(join(root, path));
  const most = ['always', 'flexible'].map((kind) => `--${kind}-inline-max-function-size=250`);
  run('binaryen/bin/wasm-opt', [path, '-O3', ...features, ...moreFeatures, ...most, '-o', path]);
}

/** Builds the kernel of a package: the release build as text in its sources, and both builds as files for the tests. */
function buildKernel(folder, entries) {
  mkdirSync(join(root, folder, 'build'), { recursive: true });
  for (const [variant, flags] of Object.entries(variants)) {
    run('assemblyscript/bin/asc.js', [...entries, '--outFile', `${folder}/build/kernel.${variant}.wasm`, ...flags]);
  }
  optimize(`${folder}/build/kernel.release.wasm`);
  writeModule(`${folder}/build/kernel.release.wasm`, `${folder}/src/kernel/module.ts`, 'kernelText');
}

// With memory for shorter blocks than the default, the text is shorter.
const deflated = (bytes) => deflateRawSync(bytes, { level: 9, memLevel: 7 });

/**
 * Writes a WebAssembly module as text in TypeScript, so that loading it needs no file access. The text is compressed, which makes
 * it a third as long and the first use 2 to 6 milliseconds later.
 */
function writeModule(wasmPath, modulePath, name) {
  const base64 = deflated(readFileSync(join(root, wasmPath))).toString('base64');
  writeFileSync(
    join(root, modulePath),
    `// Written by tools/build.mjs from assembly/; not to be edited.\nexport const ${name} =\n  '${base64}';\n`,
  );
}

/** Builds the kernel a second time, for a memory that threads share. */
function buildSharedKernel(folder, entries) {
  const path = `${folder}/build/kernel.shared.wasm`;
  run('assemblyscript/bin/asc.js', [...entries, '--outFile', path, ...release, ...threads]);
  optimize(path, ['--enable-threads']);
  // Only Node uses it, and Node has files, and Brotli, which makes it a fifth shorter.
  writeFileSync(join(root, sharedKernelPath), brotliCompressSync(readFileSync(join(root, path))));
}

/** Empties dist/ of a package and copies the licence of the repository to the package. */
function emptyDist(folder) {
  rmSync(join(root, folder, 'dist'), { recursive: true, force: true });
  copyFileSync(join(root, 'LICENSE'), join(root, folder, 'LICENSE'));
}

const libraryEntries = [
  `${library}/assembly/index.ts`,
  ...entriesIn(`${library}/assembly/detectors`),
  ...entriesIn(`${library}/assembly/near`),
];
buildKernel(library, libraryEntries);
buildSharedKernel(library, libraryEntries);
writeAbi(join(root, library), { tables: libraryTables });
emptyDist(library);
await bundleLibrary();
copyFileSync(join(root, sharedKernelPath), join(root, library, 'dist/chunks', basename(sharedKernelPath)));
if (!process.argv.includes('--library-code')) {
  await declareLibrary();
  buildKernel(laboratory, [`${laboratory}/assembly/index.ts`, ...entriesIn(`${laboratory}/assembly/streams`)]);
  writeAbi(join(root, laboratory), { tables: laboratoryTables });
  emptyDist(laboratory);
  await compileLaboratory();
  // The manual page contains the commands of the laboratory, so it is written after its build.
  execFileSync(process.execPath, [join(root, 'tools/manual.mjs')], { stdio: 'inherit' });
}
