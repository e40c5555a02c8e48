// Takes snapshots in another process, so that the worker never waits for a replay.

import { fileURLToPath } from 'node:url';
import { answerOf } from '../../io/system/program.js';
import type { Snapshotter } from './replay.js';
import type { ProcessTask } from './snapshotprocess.js';
import type { TakenSnapshot } from './snapshots.js';

/** Takes each snapshot in a process of its own. */
export function snapshotInProcess(client: ProcessTask['client']): Snapshotter {
  const program = fileURLToPath(new URL('./kafkasnapshot.js', import.meta.url));
  return async (task) => {
    const input: ProcessTask = { task, client };
    return JSON.parse(await answerOf({ program, input, isBeside: true })) as TakenSnapshot;
  };
}
