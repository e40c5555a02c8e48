// Builds the project: the kernels (release, debug and shared), the TypeScript modules and the file that contain kernels, and both
// packages with their declarations. With --library it builds only the library and the command.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, deflateRawSync } from 'node:zlib';
import binaryen from 'binaryen';
import { laboratoryTables, libraryTables, parseBindings, writeAbi } from './abi.mjs';
import { bundleLibrary } from './build/bundle.mjs';
import { compileLaboratory, declareLibrary } from './build/declarations.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const library = 'packages/firstseen';
const laboratory = 'packages/lab';
const sharedKernelPath = `${library}/src/threads/sharedkernel.wasm.br`;
const libraryKernelPath = `${library}/build/kernel.library.wasm`;

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

/** Builds the kernel of a package: the release and the debug build as files. */
function buildKernel(folder, entries) {
  mkdirSync(join(root, folder, 'build'), { recursive: true });
  for (const [variant, flags] of Object.entries(variants)) {
    run('assemblyscript/bin/asc.js', [...entries, '--outFile', `${folder}/build/kernel.${variant}.wasm`, ...flags]);
  }
  optimize(`${folder}/build/kernel.release.wasm`);
}

// With memory for shorter blocks than the default, the text is shorter.
const deflated = (bytes) => deflateRawSync(bytes, { level: 9, memLevel: 7 });

/**
 * Writes texts as constants in TypeScript. The text of a WebAssembly module is compressed, which makes it a third as long and the
 * first use 2 to 6 milliseconds later. Loading it needs no file access.
 */
function writeTexts(path, texts) {
  const constants = Object.entries(texts).map(([name, text]) => `export const ${name} =\n  '${text}';\n`);
  const head = '// Written by tools/build.mjs from assembly/; not to be edited.\n';
  writeFileSync(join(root, path), `${head}${constants.join('\n')}`);
}

function moduleText(bytes) {
  return deflated(bytes).toString('base64');
}

/** The folders and files of assembly/ whose functions a detector needs, and those that the library needs. */
const detectorFiles = ['detectors/', 'lib/fingerprint', 'lib/home', 'lib/texts', 'partitions', 'snapshot', 'witness'];
const libraryFiles = [...detectorFiles, 'near/', 'compact', 'scan', 'scan/'];

/** The release kernel of the library with only the functions of some files of assembly/, and with custom sections. */
function partOfKernel(files, sections = {}) {
  const build = join(root, library, 'build');
  const { functions } = parseBindings(readFileSync(join(build, 'kernel.release.d.ts'), 'utf8'));
  const module = binaryen.readBinary(readFileSync(join(build, 'kernel.release.wasm')));
  module.setFeatures(binaryen.Features.All);
  for (const { file, name } of functions) {
    const place = file.slice(`${library}/assembly/`.length);
    if (!files.some((wanted) => (wanted.endsWith('/') ? place.startsWith(wanted) : place === wanted))) {
      module.removeExport(name);
    }
  }
  module.runPasses(['remove-unused-module-elements']);
  for (const [name, text] of Object.entries(sections)) module.addCustomSection(name, Buffer.from(text));
  const bytes = module.emitBinary();
  module.dispose();
  return bytes;
}

/**
 * Writes what the library has of the release kernel: a text with the functions of detectors, a text with all functions, and a file
 * with those of the library for hosts that do not compile bytes. The file carries the digest of the build that it belongs to.
 */
function writeLibraryKernels() {
  const whole = readFileSync(join(root, library, 'build/kernel.release.wasm'));
  const kernelDigest = createHash('sha256').update(whole).digest('hex').slice(0, 16);
  const sources = `${library}/src/kernel`;
  writeTexts(`${sources}/module.ts`, { kernelText: moduleText(partOfKernel(detectorFiles)), kernelDigest });
  writeTexts(`${sources}/wholemodule.ts`, { wholeKernelText: moduleText(whole) });
  writeFileSync(join(root, libraryKernelPath), partOfKernel(libraryFiles, { firstseen: kernelDigest }));
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
writeLibraryKernels();
buildSharedKernel(library, libraryEntries);
writeAbi(join(root, library), { tables: libraryTables });
emptyDist(library);
await bundleLibrary();
copyFileSync(join(root, sharedKernelPath), join(root, library, 'dist/chunks', basename(sharedKernelPath)));
copyFileSync(join(root, libraryKernelPath), join(root, library, 'dist/kernel.wasm'));
await declareLibrary();
if (!process.argv.includes('--library')) {
  buildKernel(laboratory, [`${laboratory}/assembly/index.ts`, ...entriesIn(`${laboratory}/assembly/streams`)]);
  const laboratoryKernel = readFileSync(join(root, laboratory, 'build/kernel.release.wasm'));
  writeTexts(`${laboratory}/src/kernel/module.ts`, { kernelText: moduleText(laboratoryKernel) });
  writeAbi(join(root, laboratory), { tables: laboratoryTables });
  emptyDist(laboratory);
  await compileLaboratory();
  // The manual page contains the commands of the laboratory, so it is written after its build.
  execFileSync(process.execPath, [join(root, 'tools/manual.mjs')], { stdio: 'inherit' });
}
