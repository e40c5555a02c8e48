// The thread that decompresses a file: fills the memory of each request, until it is terminated.

import { readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { FirstseenError } from '../../base/errors.js';
import { type CompressedFile, openCompressed } from './compressed.js';
import type { Answer } from './decompressingthread.js';
import { createWaitingDecompressor } from './waitingdecompressor.js';

const reader = await openCompressed(workerData as CompressedFile, {
  create: createWaitingDecompressor,
  readStored: (descriptor, target, position) => readSync(descriptor, target, 0, target.length, position),
});

/** Fills the memory as far as there are bytes before the end or a fault. */
async function fill(target: Uint8Array): Promise<number> {
  let filled = 0;
  try {
    for (let read = 1; read > 0 && filled < target.length; filled += read) {
      read = await reader.read(target.subarray(filled));
    }
  } catch (error) {
    // The next request gets it.
    if (filled === 0) throw error;
  }
  return filled;
}

parentPort?.on('message', async (target: Uint8Array) => {
  let answer: Answer;
  try {
    answer = { bytes: await fill(target), storedBytes: reader.storedBytes() };
  } catch (error) {
    answer = error instanceof FirstseenError ? { failure: error.data } : { error };
  }
  parentPort?.postMessage(answer);
});
