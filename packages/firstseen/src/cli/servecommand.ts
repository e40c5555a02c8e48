// `firstseen serve`: a server of named detectors for clients of Redis and of HTTP. What it does is loaded when it is run.

import { type Command, Option } from 'commander';
import { rowsWithoutEntry, serveRows } from '../options/serve.js';
import { flagFor, givenValues } from './options.js';
import { stopListener } from './signals.js';

export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .description('hold named detectors that clients of Redis and of HTTP share')
    .allowExcessArguments(false);
  const rows = [...rowsWithoutEntry, ...serveRows];
  for (const row of rows) command.addOption(flagFor(row));
  command.option('--check', 'check that the server with these options answers, and exit with 0 or 1');
  command.addOption(new Option('--init', 'make the data folder, unless it exists, and exit').conflicts('check'));
  command.action(async ({ check, init }: { check?: true; init?: true }) => {
    const flagValues = givenValues(command, rows);
    if (check) return (await import('./serve.js')).checkRunning(flagValues);
    if (init) return (await import('./serve.js')).makeData(flagValues);
    const stop = stopListener();
    // First, because the signal ends a process that does not handle it, and what the server is made of is loaded for a while.
    stop.listen();
    await (await import('./serve.js')).runServer(flagValues, stop);
  });
}
