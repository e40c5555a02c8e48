// `firstseen lab`: experiments on detectors, one file for each of its commands.

import type { Command } from 'commander';
import { addAdviseCommand } from './advise.js';
import { addReproduceCommand } from './reproduce.js';
import { addRunCommand } from './run.js';

export function addLabCommand(program: Command): void {
  const lab = program.command('lab').description('experiments: detectors over streams whose truth is known');
  addRunCommand(lab);
  addReproduceCommand(lab);
  addAdviseCommand(lab);
}
