#!/usr/bin/env node
// npm links the command before the build has written dist/, so the linked file is one that is always there.

const { join } = require('node:path');
const { compiledFolder, moduleLoader } = require('./compilecache.js');

// Without a listener, SIGUSR1 opens Node's debugger, which executes what it receives. This listener is there before the modules
// load, which takes most of the start. Outside of a run, the signal has no effect.
process.on('SIGUSR1', () => {});
moduleLoader(compiledFolder(process.env))(join(__dirname, '../dist/cli/main.js'));
