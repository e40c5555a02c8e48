// Builds the declarations of both packages.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { publicEntries } from './bundle.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** Compiles the declarations of a project, one file for each module. */
async function declare(project, outDir) {
  rmSync(outDir, { recursive: true, force: true });
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const args = ['-p', project, '--emitDeclarationOnly', '--outDir', outDir];
  await promisify(execFile)(process.execPath, [compiler, ...args], { cwd: root }).catch(({ stdout, message }) => {
    throw new Error(stdout || message);
  });
}

/** Rolls declarations up: one file per entry, and files for the parts that entries share. */
async function rollUp({ input, external, plugins, dir }) {
  const bundle = await rollup({
    input,
    external,
    plugins,
    onLog: (_level, log) => {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
    },
  });
  await bundle.write({
    dir,
    entryFileNames: '[name].d.ts',
    // The names of chunks, such as `motifs.d`, already contain `.d`.
    chunkFileNames: 'types/[name].ts',
    // A chunk that only declares something global must be a module.
    footer: ({ exports }) => (exports.length === 0 ? 'export {};' : ''),
  });
  await bundle.close();
}

const kernelDeclaration = `import type { ModuleOptions } from './index.js';
/** A compiled kernel, where a host or a bundler imports WebAssembly as a module. */
declare const module: NonNullable<ModuleOptions['module']>;
export default module;
`;

/** Marks what exists only for the compiler, such as classes that no program makes by itself, so that its use as a value is an error. */
function typesOnly(namesOf) {
  const marked = (list, names) =>
    list.replace(/[^,]+/g, (one) => (names.has(one.trim().split(' ').at(-1)) ? one : one.replace(/\S/, 'type $&')));
  return {
    name: 'types-only',
    renderChunk: (code, { isEntry, name }) =>
      isEntry ? code.replace(/^export \{(.*?)\}/gm, (_all, list) => `export {${marked(list, namesOf(name))}}`) : null,
  };
}

/** The same declarations for CommonJS: the compiler takes their format from the package.json beside them. */
function copyForCommonJs(dist) {
  const files = [...publicEntries.map((name) => `${name}.d.ts`), 'types'];
  mkdirSync(join(dist, 'cjs'), { recursive: true });
  writeFileSync(join(dist, 'cjs/package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`);
  for (const file of files) cpSync(join(dist, file), join(dist, 'cjs', file), { recursive: true });
}

/**
 * Writes the declarations of the public entries, whose bundles are there. `firstseen/internal` has none: only code of this repository uses
 * it, and that is checked with the sources.
 */
export async function declareLibrary() {
  const folder = join(root, 'packages/firstseen');
  const types = join(folder, 'build/types');
  await declare('packages/firstseen/tsconfig.json', types);
  const names = {};
  for (const entry of publicEntries) {
    names[entry] = new Set(Object.keys(await import(pathToFileURL(join(folder, `dist/${entry}.js`)))));
  }
  await rollUp({
    input: Object.fromEntries(publicEntries.map((name) => [name, join(types, `${name}.d.ts`)])),
    external: /^node:/,
    plugins: [dts(), typesOnly((entry) => names[entry])],
    dir: join(folder, 'dist'),
  });
  for (const name of ['kernel', 'detectors']) writeFileSync(join(folder, `dist/${name}.wasm.d.ts`), kernelDeclaration);
  copyForCommonJs(join(folder, 'dist'));
}

/** Resolves `firstseen/internal` to the declarations of its sources, so that its types are copied to where they are used. */
function internalTypes(path) {
  return { name: 'internal', resolveId: (name) => (name === 'firstseen/internal' ? path : null) };
}

/** Writes the declarations of the laboratory, which is checked with the sources of the library. */
export async function declareLaboratory() {
  const folder = join(root, 'packages/lab');
  const types = join(folder, 'build/types');
  await declare('packages/lab/tsconfig.json', types);
  const sources = join(types, 'packages/lab/src');
  await rollUp({
    input: { index: join(sources, 'index.d.ts'), 'cli/command': join(sources, 'cli/command.d.ts') },
    external: /^(?:node:|firstseen(?:$|\/(?!internal$)))/,
    plugins: [internalTypes(join(types, 'packages/firstseen/src/internal.d.ts')), dts()],
    dir: join(folder, 'dist'),
  });
}
