// The folder of the examples as a clone has it.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from './folders.js';

/** Copies the examples into a folder, without the packages that were fetched for them: those are thousands of files. */
export function copyExamples(folder: string): void {
  const isOfClone = (path: string) => !path.endsWith('node_modules');
  cpSync(join(repositoryFolder, 'examples'), join(folder, 'examples'), { recursive: true, filter: isOfClone });
}
