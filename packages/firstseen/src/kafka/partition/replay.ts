// Makes the detector of a partition again: a snapshot, and the records after it.

import { fileURLToPath } from 'node:url';
import { FirstseenError } from '../../base/errors.js';
import type { KafkaClient } from '../../io/kafka/contract.js';
import type { RdProperties } from '../../io/kafka/rdkafka.js';
import type { WorkBeside } from '../../io/system/priority.js';
import { answerOf } from '../../io/system/program.js';
import { type KeyOptions, schemeOf } from '../messages/keys.js';
import { openReader } from '../messages/reader.js';
import { Observing } from '../observing/observing.js';
import { WindowClock } from '../observing/windowclock.js';
import type { ClockNotes, PointedSnapshot } from '../pointers/pointer.js';
import type { ContainerNote } from '../repartition/containers.js';
import { unpacking } from '../repartition/unpacking.js';
import { SnapshotFolder, type TakenSnapshot } from './snapshots.js';

/** A snapshot to be taken: that of the detector before an offset, from an earlier one. */
export interface SnapshotTask extends WorkBeside {
  folder: string;
  group: string;
  input: string;
  inputId: string | undefined;
  partition: number;
  detectorId: string;
  from: PointedSnapshot;
  to: number;
  keys: KeyOptions;
  /** The decisions about the times of the records. */
  clockNotes: ClockNotes;
  unpacks?: ContainerNote | undefined;
}

/** A task, and how the cluster is reached. */
export interface ProcessTask {
  task: SnapshotTask;
  client: { properties: RdProperties; group: string; instance: string };
}

/** Takes a snapshot, here or in another process. */
export type Snapshotter = (task: SnapshotTask) => Promise<TakenSnapshot>;

/**
 * Takes a snapshot by a replay of the input.
 * @throws FirstseenError E_SNAPSHOT, E_STATE_FILE or E_KAFKA
 */
export async function takeSnapshot(client: KafkaClient, task: SnapshotTask): Promise<TakenSnapshot> {
  const { group, input, inputId, partition, detectorId, from, to, keys, clockNotes, unpacks } = task;
  const folder = new SnapshotFolder(task.folder);
  const detector = await folder.read(from, schemeOf(keys));
  const reader = await openReader(keys);
  try {
    const { low } = await client.bounds(input, partition);
    if (low > from.offset) {
      throw new FirstseenError('E_STATE_FILE', `the input does not have the records after the offset ${from.offset}`, {
        remedy: 'keep the records of the input for longer',
      });
    }
    const times = new WindowClock({ detector, notes: clockNotes, from: from.offset });
    const observing = new Observing({ detector, times, topic: input, reader });
    const unpacked = unpacking(client, input, unpacks);
    for await (const records of unpacked.records(input, [{ partition, from: from.offset, to }])) {
      times.replay(records, (some) => observing.replay(some));
    }
    times.endReplay(to);
    return await folder.write(detector, { group, input, inputId, partition, detectorId, offset: to });
  } finally {
    detector.close();
  }
}

/** Takes each snapshot in a process of its own, so that the worker never waits for a replay. */
export function snapshotInProcess(client: ProcessTask['client']): Snapshotter {
  const program = fileURLToPath(new URL('./kafkasnapshot.js', import.meta.url));
  return async (task) => {
    const input: ProcessTask = { task, client };
    return JSON.parse(await answerOf({ program, input })) as TakenSnapshot;
  };
}
