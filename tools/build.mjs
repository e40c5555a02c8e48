// Builds the project: the kernel (release and debug), the TypeScript module that carries the release
// kernel as text, and the library with its declarations.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeAbi } from './abi.mjs';

const modules = join(dirname(fileURLToPath(import.meta.url)), '../node_modules');
const root = join(dirname(fileURLToPath(import.meta.url)), '../packages/firstseen');

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

/** Folders whose every file is an entry of its own, so that a new family or stream needs no line anywhere else in the kernel. */
const entryFolders = ['assembly/detectors', 'assembly/near', 'assembly/streams'];

function kernelEntries() {
  const entries = entryFolders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  );
  return ['assembly/index.ts', ...entries];
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

function buildKernel() {
  mkdirSync(join(root, 'build'), { recursive: true });
  for (const [variant, flags] of Object.entries(variants)) {
    run('assemblyscript/bin/asc.js', [...kernelEntries(), '--outFile', `build/kernel.${variant}.wasm`, ...flags]);
  }
  inlineMore('build/kernel.release.wasm');
  writeModule('build/kernel.release.wasm', 'src/kernel/module.ts', 'kernelBase64');
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
  const path = 'build/motifs.shared.wasm';
  const threads = ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '65535'];
  run('assemblyscript/bin/asc.js', [
    ...['assembly/near/motifs.ts', '--outFile', path],
    ...variants.release,
    ...threads,
  ]);
  inlineMore(path, ['--enable-threads']);
  writeModule(path, 'src/motifs/module.ts', 'sharedKernelBase64');
}

buildKernel();
buildSharedKernel();
writeAbi(root);
if (!process.argv.includes('--kernel-only')) {
  run('typescript/bin/tsc', ['-p', 'tsconfig.json']);
}
