// `firstseen lab`: experiments on detectors, one file for each of its commands.

import { type Command, newProgram, pointToHelp, runProgram } from 'firstseen/internal';
import { addAdviseCommand } from './advise.js';
import { addReproduceCommand } from './reproduce.js';
import { addRunCommand } from './run.js';

/** The parser of the command with the laboratory alone. */
function buildLabProgram(writeOut: (text: string) => void): Command {
  const program = newProgram(writeOut);
  const lab = program.command('lab').description('experiments: detectors over streams whose truth is known');
  addRunCommand(lab);
  addReproduceCommand(lab);
  addAdviseCommand(lab);
  pointToHelp(program, program.name());
  return program;
}

/** Does what the arguments behind `firstseen lab` ask for; returns the exit code, with all messages written. */
export function runLabCommand(args: readonly string[]): Promise<number> {
  return runProgram(buildLabProgram, ['lab', ...args]);
}
