// Compacts the log in another process, so that the server never waits for it.

import { fork } from 'node:child_process';
import { setPriority } from 'node:os';
import type { Compactor } from './datafolder.js';

/** The server has what the processor does first. */
const LOW_PRIORITY = 10;
const MOST_ERROR_CHARACTERS = 1000;

/** Runs compactprocess.ts. It ends when this process does. */
export const compactInProcess: Compactor = (task) =>
  new Promise((resolve, reject) => {
    const child = fork(new URL('./compact.js', import.meta.url), [JSON.stringify(task)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
    });
    let errors = '';
    child.stderr?.on('data', (text: Buffer) => {
      errors = (errors + text).slice(0, MOST_ERROR_CHARACTERS);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(errors.trim() || `the process ended with ${signal ?? code}`));
    });
    try {
      if (child.pid !== undefined) setPriority(child.pid, LOW_PRIORITY);
    } catch {
      // It has ended, or the system does not allow it: it runs as it is.
    }
  });
