// The thread that decompresses a file: fills the memory of each request, until it is terminated.

import { parentPort, workerData } from 'node:worker_threads';
import { FirstseenError } from '../../errors.js';
import type { Answer } from './decompressingthread.js';
import { type CompressedFile, openCompressed } from './reader.js';

const reader = await openCompressed(workerData as CompressedFile);
/** A fault after bytes that were read, for the next request. */
let fault: unknown;

/** Fills the memory as far as there are bytes before the end or a fault. */
async function fill(target: Uint8Array): Promise<number> {
  let filled = 0;
  try {
    if (fault !== undefined) throw fault;
    for (let read = 1; read > 0 && filled < target.length; filled += read) {
      read = await reader.read(target.subarray(filled));
    }
  } catch (error) {
    if (filled === 0) throw error;
    fault = error;
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
