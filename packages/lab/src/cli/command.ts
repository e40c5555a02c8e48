// `firstseen lab`: experiments on detectors, one file for each of its commands.

import {
  type Command,
  type CommandDescription,
  describeCommand,
  newProgram,
  pointToHelp,
  runProgram,
} from 'firstseen/internal';
import { addAdviseCommand } from './advise.js';
import { flagOfLabOption } from './flagnames.js';
import { addReproduceCommand } from './reproduce.js';
import { addRunCommand } from './run.js';

/** Adds the laboratory to the parser of `firstseen`. */
function addLabCommand(program: Command): Command {
  const lab = program.command('lab').description('experiments: detectors over streams whose truth is known');
  addRunCommand(lab);
  addReproduceCommand(lab);
  addAdviseCommand(lab);
  return lab;
}

/** The parser of `firstseen`, with the laboratory as its only command. */
function buildLabProgram(writeOut: (text: string) => void): Command {
  const program = newProgram(writeOut);
  addLabCommand(program);
  pointToHelp(program, program.name());
  return program;
}

/** Runs the command with the arguments after `firstseen lab`, and writes its messages; returns the exit code. */
export function runLabCommand(args: readonly string[]): Promise<number> {
  return runProgram(buildLabProgram, ['lab', ...args], flagOfLabOption);
}

/** Describes the command as plain data, for the manual page and the completions of `firstseen`. */
export function describeLabCommand(): CommandDescription {
  return describeCommand(addLabCommand(newProgram(() => {})));
}
