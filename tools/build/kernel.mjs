// Compiles one kernel: `node tools/build/kernel.mjs PACKAGE VARIANT`, in a process of its own, so that kernels are compiled side by side.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import zopfli from '@gfx/zopfli';
import { main } from 'assemblyscript/asc';
import binaryen from 'binaryen';
import { laboratoryTables, libraryTables, writeAbi } from '../abi.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** The kernels of each package: every file of `folders` is an entry, so that a new family or stream is compiled without a change here. */
export const kernels = {
  firstseen: {
    folders: ['detectors', 'near'],
    tables: libraryTables,
    variants: ['release', 'detectors', 'debug', 'shared'],
  },
  lab: { folders: ['streams'], tables: laboratoryTables, variants: ['release', 'debug'] },
};

/** The entries of a variant that has less than the others. */
const partialVariants = { detectors: { entry: 'detectorkernel', folders: ['detectors'] } };

/** The names of what is written of a kernel that a library has as a text, in src/kernel. */
const texts = {
  release: { file: 'module', text: 'kernelText', digest: 'kernelDigest' },
  detectors: { file: 'detectormodule', text: 'detectorKernelText', digest: 'detectorKernelDigest' },
};

const common = ['--runtime', 'stub', '--importMemory', '--enable', 'simd', '--enable', 'bulk-memory'];
// tools/abi.mjs reads the bindings. `--debug` keeps the names of functions until the module is optimized.
const release = ['-O3', '--noAssert', '--debug', '--bindings', 'raw', ...common];
const flags = {
  release,
  detectors: release,
  debug: ['--debug', ...common],
  // For a memory that threads share.
  shared: [...release, '--enable', 'threads', '--sharedMemory', '--maximumMemory', '65535'],
};

/** What Node 20 and later support. */
const features = ['SIMD128', 'BulkMemory', 'BulkMemoryOpt', 'MutableGlobals', 'SignExt', 'NontrappingFPToInt'];

/**
 * More inlining than the compiler does. A detector's rule calls many functions, and this makes an element one eighth faster. A limit of
 * 250 makes the module a sixth larger (docs/decisions/056-one-kernel.md).
 */
const MAX_INLINED = 180;

/**
 * Variants that inline less. A bundle of `create` has the kernel of detectors, and a limit of 45 makes its text an eighth shorter
 * (docs/decisions/133-a-kernel-of-detectors.md).
 */
const minInlined = { detectors: 45 };

/** Functions that run once for each detector. Inlined, they would make the module 4 % larger and no element faster. */
const notInlined = ['*/random/seedRandom', '*/random/streamKey'];

function entriesOf(name, variant) {
  const assembly = `packages/${name}/assembly`;
  const { entry, folders } = partialVariants[variant] ?? { entry: 'index', folders: kernels[name].folders };
  const inFolder = (folder) =>
    readdirSync(join(root, assembly, folder))
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${assembly}/${folder}/${file}`);
  return [`${assembly}/${entry}.ts`, ...folders.flatMap(inFolder)];
}

/**
 * Removes the constants from what a module exports, and optimizes it. The host has the constants from abi.ts. Without them the module
 * is shorter, and an instance of it does not create an object for each.
 */
function optimized(bytes, variant) {
  const module = binaryen.readBinary(bytes);
  module.setFeatures(
    [...features, ...(variant === 'shared' ? ['Atomics'] : [])].reduce((all, name) => all | binaryen.Features[name], 0),
  );
  const exported = Array.from({ length: module.getNumExports() }, (_, i) =>
    binaryen.getExportInfo(module.getExportByIndex(i)),
  );
  for (const { kind, name } of exported) if (kind === binaryen.ExternalGlobal) module.removeExport(name);
  binaryen.setOptimizeLevel(3);
  binaryen.setShrinkLevel(0);
  const maxInlined = minInlined[variant] ?? MAX_INLINED;
  binaryen.setAlwaysInlineMaxSize(maxInlined);
  binaryen.setFlexibleInlineMaxSize(maxInlined);
  for (const pattern of notInlined) {
    binaryen.setPassArgument('no-inline', pattern);
    module.runPasses(['no-inline']);
  }
  // The compiler, which uses the same instance of binaryen, has set another limit. -1 means no limit, as in wasm-opt.
  binaryen.setOneCallerInlineMaxSize(-1);
  // The second pass finds what the inlining of the first made possible.
  module.optimize();
  module.optimize();
  binaryen.setDebugInfo(false);
  const result = module.emitBinary();
  module.dispose();
  return result;
}

function digestOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

/** The module with the digest of its build in a custom section, by which the library knows its kernel. */
function withDigest(bytes, digest) {
  const content = ['firstseen', digest].map((text) => Buffer.from(text));
  const [{ length: nameBytes }, { length: digestBytes }] = content;
  // Lengths below 128 take one byte. Section 0 is a custom one.
  const head = [0, 1 + nameBytes + digestBytes, nameBytes];
  return Buffer.concat([bytes, Buffer.from(head), ...content]);
}

/** Writes a constant as a module of TypeScript. */
function writeConstant(path, name, text) {
  const head = '// Written by tools/build/kernel.mjs from assembly/; not to be edited.';
  writeFileSync(path, `${head}\nexport const ${name} =\n  '${text}';\n`);
}

/**
 * Writes a module as a text in TypeScript. It is compressed, which makes it a third as long and the first use 2 to 6 milliseconds
 * later. Loading it needs no file access. Zopfli takes seconds longer than zlib, and its result is 5 % shorter. The digest has a file of
 * its own: what only checks a module that a program gives has no text.
 */
async function writeText(folder, names, bytes, digest) {
  const compressed = await zopfli.deflateAsync(bytes, { numiterations: 5 });
  writeConstant(join(folder, `${names.file}.ts`), names.text, Buffer.from(compressed).toString('base64'));
  writeConstant(join(folder, `${names.file}digest.ts`), names.digest, digest);
}

/** Compiles a kernel of the package in packages/NAME and writes what follows from it. */
async function compileKernel(name, variant) {
  const folder = join(root, 'packages', name);
  mkdirSync(join(folder, 'build'), { recursive: true });
  const path = join(folder, `build/kernel.${variant}.wasm`);
  const { error, stderr } = await main(
    [
      ...entriesOf(name, variant),
      '--baseDir',
      root,
      '--outFile',
      `packages/${name}/build/kernel.${variant}.wasm`,
      ...flags[variant],
    ],
    {},
  );
  if (error) throw new Error(`${error.message}\n${stderr}`);
  if (variant === 'debug') return;
  if (variant === 'release') writeAbi(folder, kernels[name]);
  const code = optimized(readFileSync(path), variant);
  const digest = digestOf(code);
  const bytes = withDigest(code, digest);
  writeFileSync(path, bytes);
  if (variant in texts) await writeText(join(folder, 'src/kernel'), texts[variant], bytes, digest);
  // Only Node has threads, and Node has files, and Brotli, which makes it a fifth shorter.
  else writeFileSync(join(folder, 'src/threads/sharedkernel.wasm.br'), brotliCompressSync(bytes));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await compileKernel(...process.argv.slice(2));
}
