// Builds the declarations of both packages.

import { execFileSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

function compile(...args) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, ...args], { cwd: root, stdio: 'inherit' });
}

/** Leaves comments out of the declarations that only the other packages of the repository use. */
function shortened(code, { name }) {
  return name === 'internal' ? code.replaceAll(/^ *\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/gm, '') : null;
}

/** Writes one declaration file per entry and files for shared parts, including the types of bundled packages that they use. */
export async function declareLibrary() {
  const folder = join(root, 'packages/firstseen');
  const types = join(folder, 'build/types');
  rmSync(types, { recursive: true, force: true });
  compile('-p', 'packages/firstseen/tsconfig.json', '--emitDeclarationOnly', '--outDir', types);
  const bundle = await rollup({
    input: Object.fromEntries(['index', 'node', 'internal'].map((name) => [name, join(types, `${name}.d.ts`)])),
    external: /^node:/,
    plugins: [dts({ includeExternal: ['commander'] }), { name: 'short', renderChunk: shortened }],
    onLog: (_level, log) => {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
    },
  });
  // The names of chunks, such as `motifs.d`, already contain `.d`.
  await bundle.write({ dir: join(folder, 'dist'), entryFileNames: '[name].d.ts', chunkFileNames: 'types/[name].ts' });
  await bundle.close();
}

/** Compiles the code and declarations of the laboratory without bundling. It is type-checked with the sources of the library. */
export function compileLaboratory() {
  const folder = join(root, 'packages/lab');
  const out = join(folder, 'build/out');
  rmSync(out, { recursive: true, force: true });
  compile('-p', 'packages/lab/tsconfig.json');
  renameSync(join(out, 'packages/lab/src'), join(folder, 'dist'));
  rmSync(out, { recursive: true });
}
