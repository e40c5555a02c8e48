// The repository, and the command as it is built.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));
export const firstseen = join(repository, 'packages/firstseen/bin/firstseen.js');
