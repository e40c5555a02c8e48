// Opens a partition that a worker was given: its pointer, its snapshot, and where it has to read from.

import { randomBytes } from 'node:crypto';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { Detector } from '../detectors/detector.js';
import type { KafkaClient } from '../io/kafka/contract.js';
import { settingsWithKeys } from '../plan/keys.js';
import type { MessageKeys } from './messagekeys.js';
import { observerOf, type Scanning } from './observers.js';
import { PartitionState } from './partition.js';
import { decodePointer, type PointedSnapshot, type Pointer, pointerKey } from './pointer.js';
import { schemeOf } from './replay.js';
import type { WorkerSettings } from './settings.js';
import type { SnapshotFolder } from './snapshots.js';

export interface OpeningContext {
  client: KafkaClient;
  settings: WorkerSettings;
  folder: SnapshotFolder;
  onWarning: (message: string) => void;
  /** Finds keys in JSON. */
  scanner: Scanning;
  messageKeys: MessageKeys | undefined;
}

/** Records at the end of the pointers that are read first. If the pointer of the partition is not among them, more are read. */
const LAST_RECORDS = 64;

/** The latest pointer of a partition; undefined if there is none. It waits until no transaction of a pointer is open. */
export async function latestPointer(
  client: KafkaClient,
  { group, topics: { input, pointers } }: Pick<WorkerSettings, 'group' | 'topics'>,
  partition: number,
): Promise<Pointer | undefined> {
  const key = Buffer.from(pointerKey(group, { input, partition }));
  const { low, high } = await client.bounds(pointers, partition);
  for (let to = high, records = LAST_RECORDS; to > low; records *= 4) {
    const from = Math.max(low, to - records);
    let found: Uint8Array | null = null;
    for await (const batch of client.records({ topic: pointers, partition, from, to })) {
      for (const record of batch) if (record.key && key.equals(record.key)) found = record.value;
    }
    if (found) return decodePointer(found, `of partition ${partition} in ${pointers}`);
    to = from;
  }
  return undefined;
}

function differences(saved: Record<string, unknown>, asked: WorkerSettings['asked']): string[] {
  const names = [...new Set([...Object.keys(saved), ...Object.keys(asked)])];
  const shown = (value: unknown) => (value === undefined ? 'not given' : JSON.stringify(value));
  return names
    .map((name) => [name, shown(saved[name]), shown(asked[name])] as const)
    .filter(([, one, other]) => one !== other)
    .map(([name, one, other]) => `${name} was ${one} and is ${other}`);
}

/** @throws FirstseenError E_STATE_DIFFERS for a group that began with other options */
function checkSame({ settings }: Pointer, { asked, group }: WorkerSettings): void {
  const found = differences(JSON.parse(settings) as Record<string, unknown>, asked);
  if (found.length === 0) return;
  const problem = phrase`the group ${group} has a state of other options: ${found.join('; ')}`;
  throw new FirstseenError('E_STATE_DIFFERS', problem, {
    remedy: phrase`give the same options, or another ${optionName('group')}, which begins with nothing seen`,
  });
}

/** @throws FirstseenError E_STATE_DIFFERS for a group that began with other options in any partition */
export async function checkPointers(client: KafkaClient, settings: WorkerSettings): Promise<void> {
  for (let partition = 0; partition < settings.partitions; partition++) {
    const pointer = await latestPointer(client, settings, partition);
    if (pointer) checkSame(pointer, settings);
  }
}

function tooOld(settings: WorkerSettings, partition: number, offset: number, low: number): FirstseenError {
  const { input } = settings.topics;
  const problem = phrase`partition ${partition} of ${input} begins at the offset ${low}, but the state needs the records from ${offset} on: the retention of the topic has removed them`;
  throw new FirstseenError('E_STATE_DIFFERS', problem, {
    remedy: phrase`give another ${optionName('group')}, which begins with nothing seen, so that repeats of earlier records pass once more; and then keep records for longer, or give a smaller ${optionName('snapshotEvery')}`,
  });
}

function notSeen(settings: WorkerSettings, { file }: PointedSnapshot): FirstseenError {
  const problem = phrase`the folder ${settings.folder} does not have ${file}, which the pointer of the group names`;
  return new FirstseenError('E_STATE_FILE', problem, {
    remedy: phrase`give all workers of the group the same folder as ${optionName('state')}, or restore the file from a copy`,
  });
}

/** The detector of the newest snapshot that is whole, and from which the input can be replayed. */
async function restore(
  { settings, folder, onWarning }: OpeningContext,
  { partition, snapshots }: Pointer,
  low: number,
): Promise<{ detector: Detector; snapshots: readonly PointedSnapshot[] }> {
  for (const [i, snapshot] of snapshots.entries()) {
    if (!(await folder.has(snapshot))) throw notSeen(settings, snapshot);
    if (snapshot.offset < low) throw tooOld(settings, partition, snapshot.offset, low);
    try {
      const detector = await folder.read(snapshot, schemeOf(settings.keys));
      return { detector, snapshots: snapshots.slice(i) };
    } catch (error) {
      const isDamaged = error instanceof FirstseenError && error.code === 'E_SNAPSHOT';
      if (!isDamaged || i === snapshots.length - 1) throw error;
      onWarning(`${error.message}; the snapshot before it is used, and the replay is longer`);
    }
  }
  throw new Error('a pointer has at least one snapshot');
}

/** @throws FirstseenError E_STATE_DIFFERS for a partition of which less is there than was given out */
function checkEnd({ position, input, partition }: Pointer, high: number): void {
  if (high >= position) return;
  const problem = `partition ${partition} of ${input} ends at the offset ${high}, but its records were given out up to ${position}`;
  throw new FirstseenError('E_STATE_DIFFERS', problem, {
    remedy: phrase`restore the topic, or give another ${optionName('group')}: the topic has lost records or was made again`,
  });
}

/** @throws FirstseenError E_STATE_DIFFERS for a group with offsets and without a pointer */
async function begin(
  { settings, folder, client, scanner, messageKeys }: OpeningContext,
  partition: number,
  committed: number,
): Promise<PartitionState> {
  const { topics, group, from, detector: options, keys } = settings;
  if (committed >= 0) {
    const problem = phrase`the group ${group} has the offset ${committed} of partition ${partition}, but ${topics.pointers} has no pointer of it`;
    throw new FirstseenError('E_STATE_DIFFERS', problem, {
      remedy: phrase`give the topic that has it as ${optionName('pointers')}, or another ${optionName('group')}, which begins with nothing seen`,
    });
  }
  const { low, high } = await client.bounds(topics.input, partition);
  const position = from === 'latest' ? high : low;
  const detector = await Detector.ofSettings(await settingsWithKeys({ ...options, clock: 'manual' }));
  const detectorId = randomBytes(8).toString('hex');
  const { file, offset, writtenMilliseconds } = await folder.write(detector, {
    input: topics.input,
    partition,
    detectorId,
    offset: position,
  });
  const snapshot = { file, offset, writtenMilliseconds };
  const observing = observerOf({ detector, topic: topics.input, keys, scanner, messageKeys });
  return new PartitionState({
    partition,
    detectorId,
    observing,
    snapshots: [snapshot],
    position,
    isNew: true,
    replayed: undefined,
  });
}

/**
 * Opens a partition.
 * @param committed the offset that the group has committed; -1 without one
 * @throws FirstseenError E_STATE_DIFFERS, E_STATE_FILE, E_SNAPSHOT or E_KAFKA when it cannot go on exactly
 */
export async function openPartition(
  context: OpeningContext,
  partition: number,
  committed: number,
): Promise<PartitionState> {
  const { client, settings, onWarning, scanner, messageKeys } = context;
  const pointer = await latestPointer(client, settings, partition);
  if (pointer === undefined) return begin(context, partition, committed);
  checkSame(pointer, settings);
  if (committed !== pointer.position) {
    onWarning(
      `the group ${settings.group} has the offset ${committed} of partition ${partition}; the worker goes on at ${pointer.position}, which its pointer says`,
    );
  }
  const { low, high } = await client.bounds(settings.topics.input, partition);
  checkEnd(pointer, high);
  const { detector, snapshots } = await restore(context, pointer, low);
  const { keys } = settings;
  const observing = observerOf({ detector, topic: settings.topics.input, keys, scanner, messageKeys });
  const { detectorId, position, observed, duplicates } = pointer;
  return new PartitionState({
    ...{ partition, detectorId, observing, snapshots, position, isNew: false },
    replayed: { observed, duplicates },
  });
}
