// The process that takes a snapshot: it reads its task from the standard input, and ends with the process that has given it.

import { ConfluentClient } from '../../io/kafka/client.js';
import { lowerUnlessUrgent } from '../../io/system/priority.js';
import { serveAnswer } from '../../io/system/program.js';
import { type ProcessTask, takeSnapshot } from './replay.js';
import type { TakenSnapshot } from './snapshots.js';

serveAnswer(async ({ task, client: options }: ProcessTask): Promise<TakenSnapshot> => {
  lowerUnlessUrgent(task);
  const client = await ConfluentClient.connect({ ...options, onWarning: () => undefined });
  const taken = await takeSnapshot(client, task);
  await client.close();
  return taken;
});
