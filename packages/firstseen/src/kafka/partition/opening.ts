// Opens the partitions that a worker was given: their pointers, their snapshots, and where it has to read from.

import { randomBytes } from 'node:crypto';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { Detector } from '../../detectors/detector.js';
import type { GroupMember, KafkaClient, KafkaRecord } from '../../io/kafka/contract.js';
import { problemText } from '../../options/flagnames.js';
import { settingsWithKeys } from '../../plan/keys.js';
import { newGroup } from '../group/group.js';
import { inputLocation, schemeOf } from '../messages/keys.js';
import type { Reads } from '../messages/records.js';
import { Observing } from '../observing/observing.js';
import { earlyText, type TimeCounts, WindowClock } from '../observing/windowclock.js';
import { beginningOf, notedBeginning } from '../pointers/beginning.js';
import {
  type Beginning,
  type ClockNotes,
  decodePointer,
  type EmittedNote,
  otherOffset,
  type PointedSnapshot,
  type Pointer,
} from '../pointers/pointer.js';
import {
  allPartitions,
  checkRemade,
  checkUncommitted,
  isRemade,
  isUnused,
  latestPointers,
  offsetsBeside,
} from '../pointers/pointers.js';
import { changedOptions } from '../pointers/sameoptions.js';
import { pointersOf, type WorkerSettings } from '../settings.js';
import { observeSilences } from '../takeover/observingsilences.js';
import { checkTopics } from '../topics.js';
import { type PartitionStart, PartitionState } from './partition.js';
import { SnapshotFolder } from './snapshots.js';

export interface OpeningContext {
  client: KafkaClient;
  member: GroupMember;
  settings: WorkerSettings;
  folder: SnapshotFolder;
  onWarning: (message: string) => void;
  /** Finds the records of messages, and their keys. */
  reader: Reads;
  /** Takes what is counted of the times of records. */
  times?: TimeCounts | undefined;
}

/** The remedy for an input that was made again. */
export const beginAgain = phrase`give another ${optionName('group')}, which begins with nothing seen`;

/** Partitions that are opened at the same time: each reads a file, or writes one. */
const MAX_AT_ONCE = 8;

/** Tells if a group began with the same options. @throws FirstseenError E_STATE_DIFFERS if it did not, and has given something out */
function hasSameOptions(pointer: Pointer, { asked, group }: WorkerSettings): boolean {
  const changes = changedOptions(JSON.parse(pointer.settings) as Record<string, unknown>, asked);
  if (changes.length === 0) return true;
  if (isUnused(pointer)) return false;
  const problem = phrase`the group ${group} was started with other options: ${changes.join('; ')}`;
  throw new FirstseenError('E_STATE_DIFFERS', problem, {
    remedy: phrase`give the same options, or ${newGroup}`,
  });
}

/** @throws FirstseenError E_STATE_DIFFERS for a group that began with other options in any partition */
export async function checkPointers(client: KafkaClient, settings: WorkerSettings): Promise<void> {
  const pointers = await latestPointers(
    client,
    pointersOf(settings),
    allPartitions(settings.partitions),
    decodePointer,
  );
  for (const pointer of pointers.values()) hasSameOptions(pointer, settings);
}

function tooOld(settings: WorkerSettings, partition: number, offset: number, low: number): FirstseenError {
  const { input } = settings.topics;
  const problem = phrase`partition ${partition} of ${input} begins at the offset ${low}, but the state needs the records from ${offset} on: the retention of the topic has removed them`;
  throw new FirstseenError('E_STATE_DIFFERS', problem, {
    remedy: phrase`give ${newGroup}, and ${optionName('allowsMissing')} if it is to go on without what is gone; and then keep records for longer, or give a smaller ${optionName('snapshotEvery')}`,
  });
}

function notSeen(settings: WorkerSettings, { file }: PointedSnapshot): FirstseenError {
  const problem = phrase`the folder ${settings.folder} does not have ${file}, which the pointer of the group names`;
  return new FirstseenError('E_STATE_FILE', problem, {
    remedy: phrase`give all workers of the group the same folder as ${optionName('state')}, or restore the file from a copy, or give ${newGroup}`,
  });
}

/**
 * A topic that is not compacted loses its pointers in the end, and then the brokers remove the offsets too. The group would look new.
 * @param missing partitions without a pointer
 * @throws FirstseenError E_STATE_DIFFERS for one that has emitted something
 */
export async function checkSnapshots(
  folder: SnapshotFolder,
  { group, topics, folder: path, keys }: WorkerSettings,
  { missing, inputId }: { missing: readonly number[]; inputId: string | undefined },
): Promise<void> {
  for (const partition of missing) {
    const file = await folder.findUsed({ group, input: topics.input, partition, inputId }, schemeOf(keys));
    if (file === undefined) continue;
    const problem = phrase`the folder ${path} has ${file}, but ${topics.pointers} has no pointer of partition ${partition}: the topic has lost its pointers, or is not the right one`;
    throw new FirstseenError('E_STATE_DIFFERS', problem, {
      remedy: phrase`give the topic that has them as ${optionName('pointers')}, and make sure that its cleanup.policy is compact; or give another ${optionName('group')}, which begins with nothing seen`,
    });
  }
}

/** Warns of a topic of pointers that is not compacted. It is still right: pointers that are lost are noticed. */
async function checkCompacted(
  client: KafkaClient,
  { topics: { pointers } }: WorkerSettings,
  onWarning: (message: string) => void,
): Promise<void> {
  if (!(await client.takesKeyless(pointers))) return;
  onWarning(
    `the topic ${pointers} of the pointers takes records without keys, so its cleanup.policy is not compact, unless its brokers do not check keys: set it to compact, or the topic loses the pointers after its retention, and the group cannot go on`,
  );
}

/**
 * Checks the topics of a group whose pointers are in a topic of so many partitions. Nothing can be done about them for one that was taken over.
 * @throws FirstseenError as `checkTopics`; E_STATE_DIFFERS with the name of the group that has taken over
 */
async function checkTopicsOf(client: KafkaClient, settings: WorkerSettings, partitions: number): Promise<void> {
  try {
    await checkTopics(client, settings);
  } catch (error) {
    await latestPointers(client, pointersOf({ ...settings, partitions }), allPartitions(partitions), decodePointer);
    throw error;
  }
}

/**
 * Makes the topic of the pointers, unless there is one.
 * @throws FirstseenError for a start that is refused, which makes none
 */
export async function preparePointers(
  client: KafkaClient,
  settings: WorkerSettings,
  onWarning: (message: string) => void,
): Promise<void> {
  const { topics, partitions } = settings;
  const { pointers, ...otherTopics } = topics;
  const before = await client.partitionsOf(pointers);
  if (before !== undefined) {
    await checkTopicsOf(client, settings, before);
    return checkCompacted(client, settings, onWarning);
  }
  await checkTopics(client, { topics: otherTopics, partitions });
  const inputId = await client.topicId(topics.input);
  const missing = allPartitions(partitions);
  await checkSnapshots(new SnapshotFolder(settings.folder), settings, { missing, inputId });
  await client.makeCompacted(pointers, partitions);
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
      onWarning(`${problemText(error)}; the snapshot before it is used, and the replay is longer`);
    }
  }
  throw new Error('a pointer has at least one snapshot');
}

/** @throws FirstseenError E_STATE_DIFFERS for a partition that ends before what was emitted */
function checkEnd({ position, input, partition }: Pointer, high: number): void {
  if (high >= position) return;
  const problem = `partition ${partition} of ${input} ends at the offset ${high}, but its records were emitted up to ${position}`;
  throw new FirstseenError('E_STATE_DIFFERS', problem, {
    remedy: phrase`restore the topic, or give another ${optionName('group')}: the topic has lost records or was re-created`,
  });
}

interface PartitionPlace {
  partition: number;
  /** The ids of the input and of the output. */
  inputId: string | undefined;
  outputId: string | undefined;
  /** The offset at which the partition begins if it has no pointer; undefined for its first record. */
  beginning: number | undefined;
  /** A detector that has observed what comes before, if anything does. */
  detector: Detector | undefined;
  /** The notes of the groups before, if there are any. */
  given: EmittedNote | undefined;
  /** The offset that the group has committed; -1 without one. */
  committed: number;
  pointer: Pointer | undefined;
}

/** Returns the observer of the records of a partition, with the clock of its window. */
function watched(
  { settings, reader, times: counts, onWarning }: OpeningContext,
  { detector, notes, from }: { detector: Detector; notes: ClockNotes; from: number },
): Pick<PartitionStart, 'observing' | 'clock'> {
  const { clock: options, topics } = settings;
  const onEarly = (record: KafkaRecord, lead: number) =>
    onWarning(earlyText(inputLocation(topics, record), record, lead));
  const clock = new WindowClock({ detector, options, notes, from, counts, onEarly });
  return { clock, observing: new Observing({ detector, times: clock, topic: topics.input, reader }) };
}

function newDetector({ detector }: WorkerSettings): Promise<Detector> {
  return settingsWithKeys({ ...detector, clock: 'manual' }).then((settings) => Detector.ofSettings(settings));
}

/**
 * Detectors that have observed what a group that takes over has to know, by partition.
 * @throws FirstseenError E_STATE_DIFFERS for records that are gone; an error of a detector, such as E_FULL
 */
async function detectorsAfter(
  { client, settings, reader }: OpeningContext,
  { takeover, positions }: Beginning,
  partitions: readonly number[],
): Promise<Map<number, Detector>> {
  const detectors = new Map<number, Detector>();
  const silences = partitions.flatMap((partition) => {
    const silence = takeover?.silences[partition];
    return silence ? [[partition, silence] as const] : [];
  });
  try {
    for (const [partition] of silences) detectors.set(partition, await newDetector(settings));
    const { allowsMissing = false, topics } = settings;
    const observing = { detectors, reader, allowsMissing, input: topics.input, positions };
    await observeSilences(client, new Map(silences), observing);
    return detectors;
  } catch (error) {
    for (const detector of detectors.values()) detector.close();
    throw error;
  }
}

/** Begins with nothing emitted, also in place of a detector of other options that has observed nothing. */
async function begin(
  context: OpeningContext,
  { partition, inputId, outputId, beginning, pointer, detector: observed, given }: PartitionPlace,
): Promise<PartitionState> {
  const { settings, folder, client } = context;
  const { topics } = settings;
  const { low } = await client.bounds(topics.input, partition);
  const begun = pointer && !isRemade(pointer, inputId) ? pointer.position : beginning;
  const position = Math.max(low, begun ?? low);
  const detector = observed ?? (await newDetector(settings));
  const detectorId = randomBytes(8).toString('hex');
  const { file, offset, writtenMilliseconds } = await folder.write(detector, {
    group: settings.group,
    input: topics.input,
    inputId,
    partition,
    detectorId,
    offset: position,
  });
  const snapshot = { file, offset, writtenMilliseconds };
  return new PartitionState({
    ...{ partition, inputId, detectorId, position, ...watched(context, { detector, notes: {}, from: position }) },
    ...{ snapshots: [snapshot], isNew: true, superseded: pointer?.snapshots ?? [], replayed: undefined },
    ...{ given, outputId },
  });
}

/** Tells if a partition begins with nothing seen: nothing of it was emitted, and it has no pointer, or one of other options or of another topic. */
function isBegunAgain(
  settings: WorkerSettings,
  { pointer, inputId }: Pick<PartitionPlace, 'pointer' | 'inputId'>,
): boolean {
  if (pointer === undefined) return true;
  return !hasSameOptions(pointer, settings) || (isUnused(pointer) && isRemade(pointer, inputId));
}

async function openPartition(context: OpeningContext, place: PartitionPlace): Promise<PartitionState> {
  const { partition, inputId, committed, pointer } = place;
  const { client, settings, onWarning } = context;
  if (pointer === undefined || isBegunAgain(settings, place)) return begin(context, place);
  checkRemade(pointer, inputId, beginAgain);
  if (committed !== pointer.position) {
    const { group } = settings;
    onWarning(otherOffset({ group, partition, offset: committed, position: pointer.position }));
  }
  const { low, high } = await client.bounds(settings.topics.input, partition);
  checkEnd(pointer, high);
  const { detector, snapshots } = await restore(context, pointer, low);
  const from = (snapshots[0] as PointedSnapshot).offset;
  const { detectorId, position, observed, duplicates, given } = pointer;
  return new PartitionState({
    ...{ partition, inputId, detectorId, snapshots, position, isNew: false, superseded: [] },
    ...watched(context, { detector, notes: pointer, from }),
    replayed: { observed, duplicates },
    ...{ given, outputId: given.outputId },
  });
}

/**
 * Opens partitions, several at the same time.
 * @param committed the offsets that the group has committed, by partition; -1 without one
 * @throws FirstseenError E_STATE_DIFFERS, E_STATE_FILE, E_SNAPSHOT or E_KAFKA when one of them cannot go on exactly
 */
export async function openPartitions(
  context: OpeningContext,
  committed: ReadonlyMap<number, number>,
): Promise<readonly PartitionState[]> {
  const { client, member, settings } = context;
  const { topics, partitions: inputPartitions, from } = settings;
  const of = pointersOf(settings);
  const inputId = await client.topicId(topics.input);
  const outputId = await client.topicId(topics.output);
  const assigned = [...committed.keys()];
  const pointers = await latestPointers(client, of, assigned, decodePointer);
  const missing = assigned.filter((partition) => !pointers.has(partition));
  checkUncommitted(of, missing, committed);
  if (missing.length > 0) {
    const noted = await notedBeginning({ client, of, inputId });
    // A group that takes over writes a snapshot of what it has observed before its first pointer.
    if (noted?.takeover === undefined) await checkSnapshots(context.folder, settings, { missing, inputId });
  }
  let beginning: Beginning | undefined;
  let detectors = new Map<number, Detector>();
  const begun = assigned.filter((partition) => isBegunAgain(settings, { pointer: pointers.get(partition), inputId }));
  if (begun.length > 0) {
    // Other workers may have emitted others of its partitions, with other options.
    await checkPointers(client, settings);
    beginning = await beginningOf({ client, member, of, inputId, inputPartitions, isLatest: from === 'latest' });
    if (beginning) detectors = await detectorsAfter(context, beginning, begun);
  }
  const left = (await offsetsBeside(member, committed, pointers)).entries();
  const states: PartitionState[] = [];
  const openLeft = async () => {
    for (const [partition, offset] of left) {
      const pointer = pointers.get(partition);
      const place = { partition, inputId, outputId, committed: offset, pointer };
      const given = beginning?.takeover?.silences[partition]?.given;
      const start = { beginning: beginning?.positions[partition], detector: detectors.get(partition), given };
      states.push(await openPartition(context, { ...place, ...start }));
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: MAX_AT_ONCE }, openLeft));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed === undefined) return states;
  for (const state of states) state.close();
  for (const detector of detectors.values()) detector.close();
  throw failed.reason;
}
