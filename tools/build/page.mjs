// Builds the page of the server: its script with the package that draws plots, and its style, as files that the server sends. Builds the style
// of the report of a run too.

import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Files that are sent as they are. */
const copied = ['index.html', 'icon.svg'];

/** @returns the files of which the script is made, as paths from `root` */
export async function bundlePage(root) {
  const sources = join(root, 'packages/firstseen/page');
  const outdir = join(root, 'packages/firstseen/dist/page');
  mkdirSync(outdir, { recursive: true });
  for (const file of copied) copyFileSync(join(sources, file), join(outdir, file));
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['main.ts', 'style.css', 'report.css'].map((file) => join(sources, file)),
    outdir,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    // The package says that nothing but what it exports is of use, and that would leave out a module that is imported for what it does.
    ignoreAnnotations: true,
    metafile: true,
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs).map((path) => join(root, path));
}
