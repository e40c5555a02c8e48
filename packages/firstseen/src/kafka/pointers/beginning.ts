// Where a group begins. One that reads what comes from its first start on (`latest`) notes the ends of all partitions then, with its pointers:
// its other workers may open their partitions much later, and begin at the same time all the same. One that takes over from an old group has
// such a note with what it has taken over.

import { setTimeout as sleep } from 'node:timers/promises';
import { type GroupMember, type KafkaClient, TransactionAborted, TransactionUnknown } from '../../io/kafka/contract.js';
import { PAUSES_MILLISECONDS } from '../group/group.js';
import { type Beginning, beginningKey, decodeBeginning, pointerRecord } from './pointer.js';
import { allPartitions, isRemade, latestValues, type PointersOf } from './pointers.js';

export interface BeginningOptions {
  client: KafkaClient;
  member: GroupMember;
  of: PointersOf;
  /** The id of the input, and the number of its partitions. */
  inputId: string | undefined;
  inputPartitions: number;
  /** True if the group begins at the ends of partitions, unless it began before. */
  isLatest: boolean;
}

/** The partition of the topic of pointers that has the note. */
const PLACE = 0;

async function ends({ client, of, inputPartitions }: BeginningOptions): Promise<number[]> {
  const bounds = allPartitions(inputPartitions).map((partition) => client.bounds(of.input, partition));
  return (await Promise.all(bounds)).map(({ high }) => high);
}

/** The noted beginning of a group; undefined without a note. @throws FirstseenError E_STATE_FILE for what is not such a note */
export async function notedBeginning({
  client,
  of,
  inputId,
}: Pick<BeginningOptions, 'client' | 'of' | 'inputId'>): Promise<Beginning | undefined> {
  const key = beginningKey(of.group, of.input);
  const value = (await latestValues(client, of.topic, new Map([[PLACE, [key]]]))).get(key);
  const beginning = value && decodeBeginning(value, `of the beginning of ${of.group} in ${of.topic}`);
  return beginning && !isRemade(beginning, inputId) ? beginning : undefined;
}

/** Writes where a group begins, within a transaction. */
export async function sendBeginning(member: GroupMember, of: PointersOf, beginning: Beginning): Promise<void> {
  await member.send(of.topic, PLACE, pointerRecord(beginningKey(of.group, of.input), beginning));
}

async function note({ member, of }: BeginningOptions, beginning: Beginning): Promise<void> {
  await member.begin();
  await sendBeginning(member, of, beginning);
  await member.commit(new Map());
}

/**
 * Returns the positions at which partitions without a pointer begin; undefined for a group that begins with the first
 * records.
 * @throws FirstseenError E_KAFKA, or E_STATE_FILE for what is not such a note
 */
export async function beginningOf(options: BeginningOptions): Promise<Beginning | undefined> {
  const { inputId, isLatest } = options;
  // The ends are asked for before the note is looked for. So whoever notes them a second time, because both looked at the same time, has
  // ends from before the other one was ready.
  const positions = isLatest ? await ends(options) : undefined;
  for (const pause of PAUSES_MILLISECONDS) {
    const noted = await notedBeginning(options);
    if (noted || positions === undefined) return noted;
    try {
      await note(options, { inputId, positions });
      return { inputId, positions };
    } catch (error) {
      if (!(error instanceof TransactionAborted || error instanceof TransactionUnknown)) throw error;
      await sleep(pause);
    }
  }
  // A member that cannot commit has lost its partitions: what it begins is not written.
  return positions && { inputId, positions };
}
