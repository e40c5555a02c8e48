// Parts of the build that only some tests need. vitest.config.ts builds the others before the first test.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryFolder } from './folders.js';

type Part = 'declarations' | 'labDeclarations' | 'packed' | 'examples' | 'chromium';

/** Builds parts unless they are up to date. Test files that run at the same time wait for each other. */
export function requireBuilt(...parts: Part[]): void {
  execFileSync(process.execPath, [join(repositoryFolder, 'tools/build.mjs'), ...parts], { stdio: 'pipe' });
}
