#!/usr/bin/env node
// npm links the command before the build has written dist/, so the linked file is one that is always there.

const { existsSync, mkdirSync, statSync } = require('node:fs');
const { enableCompileCache } = require('node:module');

/**
 * Makes a folder whose parent exists. To make the parents too, Node 22 and 24 try for ever in /proc, which is the home of some users of
 * the system.
 */
function makeFolder(path) {
  if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
}

/**
 * Keeps compiled code, as Node 22.1 and later can. Who can write it can run code as this user, so it is in a folder that only this user can
 * write.
 */
function keepCompiledCode({ HOME, XDG_CACHE_HOME }) {
  const caches = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`);
  if (!enableCompileCache || !caches || process.platform === 'win32') return;
  const folder = `${caches}/firstseen`;
  try {
    makeFolder(caches);
    makeFolder(folder);
    const { uid, mode } = statSync(folder);
    if (uid === process.getuid() && (mode & 0o022) === 0) enableCompileCache(folder);
  } catch {
    // The command starts without it.
  }
}

// Without a listener, SIGUSR1 opens Node's debugger, which executes what it receives. This listener is there before the modules
// load, which takes most of the start. Outside of a run, the signal has no effect.
process.on('SIGUSR1', () => {});
keepCompiledCode(process.env);
require('../dist/cli/main.js');
