// The pages that describe the command: docs/COMMAND.md and those of docs/command.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from './folders.js';

const folder = join(repositoryFolder, 'docs/command');

/** The text of each page of docs/command. */
export const commandPages = readdirSync(folder)
  .sort()
  .map((name) => readFileSync(join(folder, name), 'utf8'));

/** The index of these pages. */
export const commandIndex = readFileSync(join(repositoryFolder, 'docs/COMMAND.md'), 'utf8');
