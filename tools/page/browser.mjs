// The Chromium of the tests, for tools. It is a module of TypeScript, so it is bundled first.

import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { build as buildParts } from '../build.mjs';

const root = join(fileURLToPath(import.meta.url), '../../..');

/** Opens the browser, which is fetched first if it is missing. @returns as `openBrowser` of the tests */
export async function openBrowser() {
  await buildParts(['chromium']);
  // As deep as the module, because it finds the root of the repository from its place.
  const outfile = join(root, 'packages/firstseen/build/browser/browser.mjs');
  await build({
    entryPoints: [join(root, 'packages/firstseen/test/support/browser.ts')],
    ...{ outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external', logLevel: 'warning' },
  });
  return (await import(pathToFileURL(outfile).href)).openBrowser();
}
