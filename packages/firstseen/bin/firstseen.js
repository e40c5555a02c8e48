#!/usr/bin/env node
// npm links the command before the build has written dist/, so the linked file is one that is always there.

const { mkdirSync, statSync } = require('node:fs');
const { enableCompileCache } = require('node:module');

/** Makes a folder in one that exists. The recursive form would make the home of a user who has none, and never ends below /proc. */
function makeFolder(path) {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

/** The folder of all caches of the user. A path that is not absolute would be another folder for each working folder. */
function cachesFolder({ HOME, XDG_CACHE_HOME }) {
  return [XDG_CACHE_HOME, HOME && `${HOME}/.cache`].find((path) => path?.startsWith('/'));
}

/**
 * Keeps compiled code, as Node 22.1 and later can. Who can write it can run code as this user, so it is in a folder that only this user can
 * write.
 */
function keepCompiledCode(env) {
  const caches = cachesFolder(env);
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
