// The thread that decompresses files, one after the other: fills the memory of each request, until it is terminated.

import { readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { FirstseenError } from '../../base/errors.js';
import { DamagedInput } from '../source.js';
import { type Decompression, openCompressed } from './compressed.js';
import type { Answer, Request } from './decompressingthread.js';
import type { StreamReader } from './streamreader.js';
import { createWaitingDecompressor } from './waitingdecompressor.js';

const decompression: Decompression = {
  create: createWaitingDecompressor,
  readStored: (descriptor, target, position) => readSync(descriptor, target, 0, target.length, position),
};

let reader: StreamReader | undefined;

/** Fills the memory as far as there are bytes before the end or a fault. */
async function fill(target: Uint8Array): Promise<number> {
  let filledBytes = 0;
  try {
    for (let bytesRead = 1; reader && bytesRead > 0 && filledBytes < target.length; filledBytes += bytesRead) {
      bytesRead = await reader.read(target.subarray(filledBytes));
    }
  } catch (error) {
    // The next request gets it.
    if (filledBytes === 0) throw error;
  }
  return filledBytes;
}

async function bytesOf(request: Request): Promise<number> {
  if (request === 'close') {
    await reader?.close();
    reader = undefined;
  } else if ('file' in request) reader = await openCompressed(request.file, decompression);
  else return fill(request.target);
  return 0;
}

async function answerTo(request: Request): Promise<Answer> {
  try {
    const bytes = await bytesOf(request);
    return { bytes, storedBytes: reader?.storedBytes() ?? 0 };
  } catch (error) {
    if (!(error instanceof FirstseenError)) return { error };
    return { failure: error.data, isDamage: error instanceof DamagedInput };
  }
}

/** The end of the last request. Each begins when the one before has ended. */
let last: Promise<void> = Promise.resolve();

parentPort?.on('message', (request: Request) => {
  last = last.then(async () => parentPort?.postMessage(await answerTo(request)));
});
