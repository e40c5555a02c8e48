// The declarations of both packages.

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

/** Those of the library in one file for each entry and one for what entries share, with what they need of bundled packages. */
export async function declareLibrary() {
  const folder = join(root, 'packages/firstseen');
  const types = join(folder, 'build/types');
  rmSync(types, { recursive: true, force: true });
  compile('-p', 'packages/firstseen/tsconfig.json', '--emitDeclarationOnly', '--outDir', types);
  const bundle = await rollup({
    input: Object.fromEntries(['index', 'node', 'internal'].map((name) => [name, join(types, `${name}.d.ts`)])),
    external: /^node:/,
    plugins: [dts({ includeExternal: ['commander'] })],
    onLog: (_level, log) => {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
    },
  });
  // Chunks are named after their files, such as `motifs.d`.
  await bundle.write({ dir: join(folder, 'dist'), entryFileNames: '[name].d.ts', chunkFileNames: 'types/[name].ts' });
  await bundle.close();
}

/** The code and the declarations of the laboratory, file by file. It is checked against the sources of the library. */
export function compileLaboratory() {
  const folder = join(root, 'packages/lab');
  const out = join(folder, 'build/out');
  rmSync(out, { recursive: true, force: true });
  compile('-p', 'packages/lab/tsconfig.json');
  renameSync(join(out, 'packages/lab/src'), join(folder, 'dist'));
  rmSync(out, { recursive: true });
}
