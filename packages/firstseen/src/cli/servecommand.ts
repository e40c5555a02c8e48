// `firstseen serve`: a server of named detectors for clients of Redis and of HTTP. What it does is loaded when it is run.

import { type Command, Option } from 'commander';
import { rowsWithoutEntry, serveRows } from '../options/serve.js';
import { flagFor } from './options.js';
import type { GivenFlags } from './serve.js';
import { stopListener } from './signals.js';

export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .description('hold named detectors that clients of Redis and of HTTP share')
    .allowExcessArguments(false);
  for (const row of [...rowsWithoutEntry, ...serveRows]) command.addOption(flagFor(row));
  command.option('--check', 'ask the server that runs with these options whether it answers, and end with 0 or 1');
  command.addOption(new Option('--init', 'make the data folder, unless it is there, and end').conflicts('check'));
  command.action(async (flags: GivenFlags) => {
    // The parser gives a flag that switches something off a value that nobody gave.
    const isGiven = ([name]: [string, unknown]) => command.getOptionValueSource(name) === 'cli';
    const given = Object.fromEntries(Object.entries(flags).filter(isGiven));
    if (given.check) return (await import('./serve.js')).checkRunning(given);
    if (given.init) return (await import('./serve.js')).makeData(given);
    const stop = stopListener();
    // First, because the signal ends a process that does not handle it, and what the server is made of is loaded for a while.
    stop.listen();
    await (await import('./serve.js')).runServer(given, stop);
  });
}
