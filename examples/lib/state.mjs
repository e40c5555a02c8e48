// A detector whose state is in a file.

import { readFile, rename, writeFile } from 'node:fs/promises';
import { create, load, save } from 'firstseen';

async function loadOrCreate(path, options) {
  const snapshot = await readFile(path).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return snapshot ? load(snapshot, { keys: options.keys, format: options.format }) : create(options);
}

/**
 * Loads the detector of a state file, or creates it with the options of `create`. The returned `saveState(note)` resolves when all
 * that the detector has seen before the call is in the file. The file always has a complete state.
 */
export async function openState(path, options) {
  const detector = await loadOrCreate(path, options);
  let latestNote;
  let writing = Promise.resolve();
  let waiting;

  async function write() {
    waiting = undefined;
    await writeFile(`${path}.new`, await save(detector, latestNote), { flush: true });
    await rename(`${path}.new`, path);
  }

  function saveState(note) {
    latestNote = note;
    // All calls during a write share the next one.
    waiting ??= writing.then(write, write);
    writing = waiting;
    return waiting;
  }
  return { detector, saveState };
}
