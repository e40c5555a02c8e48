// `firstseen serve`: a server of named detectors for clients of Redis. What it does is loaded when it is run.

import type { Command } from 'commander';
import { rowsWithoutEntry, serveRows } from '../options/serve.js';
import { flagFor } from './options.js';
import type { GivenFlags } from './serve.js';

export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .description('hold named detectors that clients of Redis share')
    .allowExcessArguments(false);
  for (const row of [...rowsWithoutEntry, ...serveRows]) command.addOption(flagFor(row));
  command.action(async (given: GivenFlags) => (await import('./serve.js')).runServer(given));
}
