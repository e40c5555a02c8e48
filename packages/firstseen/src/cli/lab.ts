// `firstseen lab`: the laboratory is a package of its own, `firstseen-lab`. Its arguments go to it as they are, and its exit code
// comes back; nothing else passes between them, since a laboratory beside the current folder has a library of its own.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { FirstseenError } from '../errors.js';
import { packageVersion } from './commandline.js';

interface LabCommand {
  runLabCommand(args: readonly string[]): Promise<number>;
}

/** The file of the laboratory's command as a module in `from` finds it. */
function findLab(from: string | URL): string | undefined {
  try {
    return createRequire(from).resolve('firstseen-lab/command');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/**
 * The laboratory that is installed beside this package, or else beside the current folder.
 * @throws FirstseenError E_USAGE when there is none.
 */
async function loadLab(): Promise<LabCommand> {
  const path = findLab(import.meta.url) ?? findLab(join(process.cwd(), 'package.json'));
  if (path !== undefined) return import(pathToFileURL(path).href);
  throw new FirstseenError(
    'E_USAGE',
    `lab requires the package firstseen-lab, which is not installed; run: npm install --save-dev firstseen-lab@${packageVersion()}`,
  );
}

/**
 * Runs the laboratory with the arguments of the whole command line; returns its exit code.
 * @throws FirstseenError E_USAGE when it is not installed.
 */
export async function runLab(args: readonly string[]): Promise<number> {
  const { runLabCommand } = await loadLab();
  return runLabCommand(args.toSpliced(args.indexOf('lab'), 1));
}

/** Flags and arguments are the laboratory's to read: this parser takes them all and calls `run`. */
export function addLabCommand(program: Command, run: () => Promise<void>): void {
  program
    .command('lab')
    .description('experiments: detectors over streams whose truth is known')
    .helpOption(false)
    .passThroughOptions()
    .allowUnknownOption()
    .allowExcessArguments()
    .action(run);
}
