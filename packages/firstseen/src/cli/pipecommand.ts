// `firstseen pipe`: detectors for a program in any language, over standard input and output. What it does is loaded when it is run.

import type { Command } from 'commander';
import { stopListener } from './signals.js';

const AFTER_HELP = `
A program starts it, and writes frames to its standard input; docs/PIPE.md describes them.`;

export function addPipeCommand(program: Command): void {
  program
    .command('pipe')
    .description('hold detectors for a program in another language, which sends frames of keys')
    .allowExcessArguments(false)
    .addHelpText('after', AFTER_HELP)
    .action(async () => {
      const stop = stopListener();
      // First, because the signal ends a process that does not handle it, and what the pipe is made of is loaded for a while.
      stop.listen();
      await (await import('./pipe.js')).pipeDetectors(stop);
    });
}
