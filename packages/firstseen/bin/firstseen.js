#!/usr/bin/env node
// npm links the command before the build has written dist/, so the linked file is one that is always there.

const { join } = require('node:path');
const { compiledFolder, moduleLoader } = require('./compilecache.js');

// Without a listener, SIGUSR1 opens Node's debugger, which executes what it receives. This listener is there before the modules
// load, which takes most of the start. Outside of a run, the signal has no effect.
process.on('SIGUSR1', () => {});
// The system sends the first process of a container no signal that it does not handle. Until a command handles these, they end the process,
// as they end every other one.
if (process.pid === 1) {
  for (const [signal, exitCode] of Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 })) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(exitCode);
    });
  }
}
moduleLoader(compiledFolder(process.env))(join(__dirname, '../dist/cli/main.js'));
