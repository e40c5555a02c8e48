// Compiles the kernel of Parquet: `node tools/build/parquetkernel.mjs`. It allocates in a memory of its own, and has neither detectors
// nor threads, so it is compiled apart from the others.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main } from 'assemblyscript/asc';
import binaryen from 'binaryen';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const path = 'packages/firstseen/src/io/parquet/parquetkernel.wasm';
const flags = ['-O3', '--noAssert', '--runtime', 'minimal', '--enable', 'simd', '--enable', 'bulk-memory'];

/** What Node 20 and later support. */
const features = ['SIMD128', 'BulkMemory', 'BulkMemoryOpt', 'MutableGlobals', 'SignExt', 'NontrappingFPToInt'];

/** More inlining than the compiler does: what is called for each value is short. */
const MAX_INLINED = 60;

function optimized(bytes) {
  const module = binaryen.readBinary(bytes);
  module.setFeatures(features.reduce((all, name) => all | binaryen.Features[name], 0));
  binaryen.setOptimizeLevel(3);
  binaryen.setShrinkLevel(0);
  binaryen.setAlwaysInlineMaxSize(MAX_INLINED);
  binaryen.setFlexibleInlineMaxSize(MAX_INLINED);
  module.optimize();
  return module.emitBinary();
}

const { error, stderr } = await main(
  [
    'packages/firstseen/assembly-parquet/index.ts',
    ...['--baseDir', root, '--outFile', path],
    ...flags,
    // Nothing in it is an assertion, and the host has no function for one.
    ...['--use', 'abort='],
  ],
  {},
);
if (error) throw new Error(`${error.message}\n${stderr}`);
writeFileSync(join(root, path), optimized(readFileSync(join(root, path))));
