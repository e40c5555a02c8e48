// `firstseen pipe`: detectors for a program in any language, over standard input and output. What it does is loaded when it is run.

import type { Command } from 'commander';
import { stopListener } from './signals.js';

export function addPipeCommand(program: Command): void {
  program
    .command('pipe')
    .description('hold detectors for a program in any language')
    .allowExcessArguments(false)
    .action(async () => {
      const stop = stopListener();
      // First, because the signal ends a process that does not handle it, and what the pipe is made of is loaded for a while.
      stop.listen();
      await (await import('./pipe.js')).pipeDetectors(stop);
    });
}
