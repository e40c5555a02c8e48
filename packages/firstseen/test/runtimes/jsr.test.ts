// What would be published at JSR, checked by Deno without publishing it.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageFolder, repositoryFolder } from '../support/folders.js';
import { outputOf, pathOf } from './support/runtime.js';

test('Deno checks the types of the package for JSR, and takes them', async () => {
  const deno = pathOf('Deno');
  await outputOf(repositoryFolder, process.execPath, 'tools/jsr.mjs');
  const folder = join(packageFolder, 'build/jsr');
  const check = outputOf(folder, process.execPath, deno, 'publish', '--dry-run', '--allow-dirty');
  await expect(check).resolves.toEqual(expect.any(String));
});
