// Rows that only the docs need: they are read from the source, because the package exports none of them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const source = join(dirname(fileURLToPath(import.meta.url)), '../../packages/firstseen/src');

/** Returns what a text of exports gives, whose paths are below the source of the library. */
export async function exportsOfSource(text) {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-docs-'));
  try {
    const outfile = join(folder, 'rows.mjs');
    await build({
      stdin: { contents: text, resolveDir: source, loader: 'ts' },
      ...{ bundle: true, platform: 'node', format: 'esm', packages: 'external', outfile, logLevel: 'warning' },
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
