// `firstseen lab`: the laboratory is a separate package, `firstseen-lab`. It gets its arguments unchanged and returns its exit code.
// For --generate it describes its commands. Only plain data is exchanged, because a laboratory installed in the current folder has
// its own copy of the library.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { FirstseenError } from '../base/errors.js';
import { packageVersion } from './commandline.js';
import type { CommandDescription } from './describe.js';

interface LabCommand {
  runLabCommand(args: readonly string[]): Promise<number>;
  describeLabCommand(): CommandDescription;
}

/** The path of the laboratory's command as a module at `from` resolves it. */
function findLab(from: string | URL): string | undefined {
  try {
    return createRequire(from).resolve('firstseen-lab/command');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** The path of the laboratory that is installed with this package. */
function labBeside(): string | undefined {
  return findLab(import.meta.url);
}

async function loadLab(path: string | undefined): Promise<LabCommand | undefined> {
  return path === undefined ? undefined : import(pathToFileURL(path).href);
}

/**
 * Runs the laboratory with the arguments that follow `lab`; returns its exit code.
 * @throws FirstseenError E_USAGE when it is not installed.
 */
export async function forwardToLab(args: readonly string[]): Promise<number> {
  const lab = await loadLab(labBeside() ?? findLab(join(process.cwd(), 'package.json')));
  if (lab !== undefined) return lab.runLabCommand(args);
  throw new FirstseenError('E_USAGE', 'lab requires the package firstseen-lab, which is not installed', {
    remedy: `run: npm install --save-dev firstseen-lab@${packageVersion()}`,
  });
}

/**
 * Describes the laboratory's command with its own commands; nothing when it is not installed with this package. A shell may
 * ask for completions when it starts, in any folder, and must not run code from that folder.
 */
export async function describeLab(): Promise<CommandDescription | undefined> {
  return (await loadLab(labBeside()))?.describeLabCommand();
}

/** Adds the command. The laboratory parses the flags and arguments: this parser accepts them all and calls `run`. */
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
