// The process that compacts the log: the task is its argument.

import { Socket } from 'node:net';
import { headerChecksum } from '../../snapshot/checksum.js';
import { type CompactOptions, compact } from './compact.js';

/** A pipe of the server, which ends with it. */
const PIPE = 3;

const server = new Socket({ fd: PIPE });
server.on('close', () => process.exit(1));
server.on('error', () => undefined);
server.resume();

async function run(): Promise<void> {
  const task = JSON.parse(process.argv[2] as string) as Omit<CompactOptions, 'checksum'>;
  await compact({ ...task, checksum: await headerChecksum(undefined) });
}

run().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`, () => process.exit(1));
  },
);
