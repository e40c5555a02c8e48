// A thread of the comparison with rivals: does one run after another.

import { parentPort } from 'node:worker_threads';
import { runFamily, runRival } from './rivalruns.mjs';

parentPort.on('message', async (task) => {
  parentPort.postMessage(await (task.options ? runFamily(task) : runRival(task)));
});
