// The process that takes a snapshot: it reads its task from the standard input, and ends with the process that has given it.

import { createInterface } from 'node:readline';
import { ConfluentClient } from '../io/kafka/client.js';
import type { RdProperties } from '../io/kafka/rdkafka.js';
import { type SnapshotTask, takeSnapshot } from './replay.js';

/** A task, and how the cluster is reached. */
export interface ProcessTask {
  task: SnapshotTask;
  client: { properties: RdProperties; group: string; instance: string };
}

async function run(line: string): Promise<string> {
  const { task, client: options } = JSON.parse(line) as ProcessTask;
  const client = await ConfluentClient.connect({ ...options, onWarning: () => undefined });
  const taken = await takeSnapshot(client, task);
  await client.close();
  return JSON.stringify(taken);
}

const lines = createInterface({ input: process.stdin });
lines.on('close', () => process.exit(1));
lines.once('line', (line) => {
  run(line).then(
    (taken) => process.stdout.write(taken, () => process.exit(0)),
    (error: unknown) => {
      process.stderr.write(error instanceof Error ? error.message : String(error), () => process.exit(1));
    },
  );
});
