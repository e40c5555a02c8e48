// Folders that tests read from.

import { join } from 'node:path';

/** The folder of the package. */
export const packageFolder = join(import.meta.dirname, '../..');

/** The folder of the repository: README.md, docs/, examples/, tools/ and node_modules/. */
export const repositoryFolder = join(packageFolder, '../..');
