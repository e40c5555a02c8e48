// The thread that plans, one request after the other, until it is terminated.

import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { FirstseenError } from '../../base/errors.js';
import { REGISTER_COUNT } from '../../kernel/abi.js';
import { headerChecksum } from '../../snapshot/checksum.js';
import { encodeHeader } from '../../snapshot/format.js';
import { encodeTrailer } from '../../snapshot/frame.js';
import { planningHere } from './planning.js';
import type { PlanAnswer, PlanTask } from './thread.js';

/** The server has what the processor does first. */
const LOW_PRIORITY = 10;

// On Linux it is the priority of this thread. Elsewhere it would be that of the server.
if (process.platform === 'linux') setPriority(LOW_PRIORITY);

const checksum = headerChecksum(undefined);

/** Settings have objects that do not pass between threads, so they pass as the header of a snapshot. */
async function headerFor(options: Extract<PlanTask, { settings: unknown }>['settings']): Promise<Uint8Array> {
  const settings = await planningHere.settingsOf(options);
  const none = { note: new Uint8Array(0), storedCellsBytes: 0, storedWitnessBytes: 0 };
  const header = encodeHeader({ settings, registers: new BigUint64Array(REGISTER_COUNT), ...none });
  return Uint8Array.from([...header, ...encodeTrailer((await checksum)(header))]);
}

async function answerTo(task: PlanTask): Promise<PlanAnswer> {
  try {
    if ('settings' in task) return { header: await headerFor(task.settings) };
    if ('prediction' in task) return { predicted: await planningHere.predict(task.prediction) };
    return { recommended: await planningHere.recommend(task.advice) };
  } catch (error) {
    return error instanceof FirstseenError ? { failure: error.data } : { error };
  }
}

let last: Promise<unknown> = Promise.resolve();
parentPort?.on('message', (task: PlanTask) => {
  last = last.then(async () => parentPort?.postMessage(await answerTo(task)));
});
