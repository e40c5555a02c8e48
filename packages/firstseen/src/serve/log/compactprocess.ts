// The process that compacts the log: the task is its argument.

import { Socket } from 'node:net';
import { lowerUnlessUrgent } from '../../io/system/priority.js';
import { headerChecksum } from '../../snapshot/checksum.js';
import { compact } from './compact.js';
import { type CompactTask, PROGRESS } from './supervision.js';

/** A pipe of the server, which ends with it. */
const PIPE = 3;

const server = new Socket({ fd: PIPE });
server.on('close', () => process.exit(1));
server.on('error', () => undefined);
server.resume();

/** Time between two bytes that tell the progress. */
const PROGRESS_MILLISECONDS = 1000;
let toldAt = performance.now();

/** Tells the server that something was read or written. */
function onProgress(): void {
  const now = performance.now();
  if (now - toldAt < PROGRESS_MILLISECONDS) return;
  toldAt = now;
  process.stderr.write(PROGRESS);
}

async function run(): Promise<void> {
  const task = JSON.parse(process.argv[2] as string) as CompactTask;
  lowerUnlessUrgent(task);
  await compact({ ...task, checksum: await headerChecksum(undefined), onProgress });
}

run().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`, () => process.exit(1));
  },
);
