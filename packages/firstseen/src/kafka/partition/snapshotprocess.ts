// The process that takes a snapshot: it reads its task from the standard input, and ends with the process that has given it.

import { ConfluentClient } from '../../io/kafka/client.js';
import type { RdProperties } from '../../io/kafka/rdkafka.js';
import { serveAnswer } from '../../io/system/program.js';
import { type SnapshotTask, takeSnapshot } from './replay.js';
import type { TakenSnapshot } from './snapshots.js';

/** A task, and how the cluster is reached. */
export interface ProcessTask {
  task: SnapshotTask;
  client: { properties: RdProperties; group: string; instance: string };
}

serveAnswer(async ({ task, client: options }: ProcessTask): Promise<TakenSnapshot> => {
  const client = await ConfluentClient.connect({ ...options, onWarning: () => undefined });
  const taken = await takeSnapshot(client, task);
  await client.close();
  return taken;
});
