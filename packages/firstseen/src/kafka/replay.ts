// Makes the detector of a partition again: a snapshot, and the records after it.

import { FirstseenError } from '../base/errors.js';
import type { KafkaClient } from '../io/kafka/contract.js';
import type { KeySchemeOptions } from '../records/keyscheme.js';
import type { ContainerNote } from './containers.js';
import type { KeyOptions } from './keys.js';
import { Observing } from './observing.js';
import type { PointedSnapshot } from './pointer.js';
import { KeyScanner } from './scanning.js';
import { SnapshotFolder, type TakenSnapshot } from './snapshots.js';
import { unpacking } from './unpacking.js';

/** A snapshot to be taken: that of the detector before an offset, from an earlier one. */
export interface SnapshotTask {
  folder: string;
  input: string;
  partition: number;
  detectorId: string;
  from: PointedSnapshot;
  to: number;
  keys: KeyOptions;
  unpacks?: ContainerNote | undefined;
}

/** Takes a snapshot, here or in another process. */
export type Snapshotter = (task: SnapshotTask) => Promise<TakenSnapshot>;

/** How keys are made, as snapshots record it. A key that is not in the value is made by the same rules. */
export function schemeOf({ format, keys }: KeyOptions): KeySchemeOptions {
  return format === 'lines' ? {} : { format, keys };
}

/** What finds keys in JSON; undefined where they are not in JSON. */
export async function scannerFor(keys: KeyOptions): Promise<KeyScanner | undefined> {
  return keys.format === 'ndjson' ? KeyScanner.open(keys) : undefined;
}

/**
 * Takes a snapshot by a replay of the input.
 * @throws FirstseenError E_SNAPSHOT, E_STATE_FILE or E_KAFKA
 */
export async function takeSnapshot(client: KafkaClient, task: SnapshotTask): Promise<TakenSnapshot> {
  const { input, partition, detectorId, from, to, keys, unpacks } = task;
  const folder = new SnapshotFolder(task.folder);
  const detector = await folder.read(from, schemeOf(keys));
  const scanner = await scannerFor(keys);
  try {
    const { low } = await client.bounds(input, partition);
    if (low > from.offset) {
      throw new FirstseenError('E_STATE_FILE', `the input does not have the records after the offset ${from.offset}`, {
        remedy: 'keep the records of the input for longer',
      });
    }
    const observing = new Observing({ detector, topic: input, keys, scanner });
    const unpacked = unpacking(client, input, unpacks);
    for await (const records of unpacked.records(input, [{ partition, from: from.offset, to }])) {
      observing.replay(records);
    }
    return await folder.write(detector, { input, partition, detectorId, offset: to });
  } finally {
    detector.close();
  }
}
