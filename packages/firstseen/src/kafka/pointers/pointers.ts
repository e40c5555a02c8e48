// The latest pointers of a group. They are near the end of their topic, so it is read from there.

import { FirstseenError, optionName, type Phrase, phrase } from '../../base/errors.js';
import { assertInvariant } from '../../base/invariant.js';
import type { GroupMember, KafkaClient, KafkaRecord } from '../../io/kafka/contract.js';
import { type CutPointer, decodeCutPointer, inputOfKey, type Pointer, pointerKey, pointerRecord } from './pointer.js';

export interface PointersOf {
  group: string;
  /** The topic whose partitions the pointers are of. */
  input: string;
  /** The topic of the pointers, and the number of its partitions. */
  topic: string;
  partitions: number;
}

/** Records at the end of a partition that are read first. If a pointer is not among them, more are read. */
const LAST_RECORDS = 64;

type Values = ReadonlyMap<string, Uint8Array>;

/** The partition of its topic that has the pointer of a partition: the input of `--repartition` may have more than it. */
export function placeOfPointer({ partitions }: Pick<PointersOf, 'partitions'>, partition: number): number {
  return partition % partitions;
}

/** The numbers of so many partitions. */
export function allPartitions(count: number): number[] {
  return Array.from({ length: count }, (_, partition) => partition);
}

/** A pointer to be committed, and the position of the one that was committed before it. */
export interface NextPointer {
  pointer: CutPointer & Partial<Pick<Pointer, 'snapshots'>>;
  committedPosition: number;
}

/** @throws FirstseenError E_INVARIANT for a pointer after which records would be emitted again, or could not be observed again */
function checkNext({ pointer, committedPosition }: NextPointer): void {
  const { partition, position, snapshots = [] } = pointer;
  const isNotBefore = position >= committedPosition;
  assertInvariant(isNotBefore, 'the position of a pointer never falls', { partition, position, committedPosition });
  for (const { offset } of snapshots) {
    assertInvariant(offset <= position, 'a pointer names no snapshot after its position', {
      partition,
      offset,
      position,
    });
  }
}

/**
 * Writes pointers within a transaction.
 * @throws FirstseenError E_INVARIANT, and none is written, if one does not follow what is committed
 */
export async function sendPointers(
  member: GroupMember,
  of: Omit<PointersOf, 'input'>,
  pointers: readonly NextPointer[],
): Promise<void> {
  for (const pointer of pointers) checkNext(pointer);
  for (const { pointer } of pointers) {
    const full = member.send(
      of.topic,
      placeOfPointer(of, pointer.partition),
      pointerRecord(pointerKey(of.group, pointer), pointer),
    );
    if (full) await full;
  }
}

/** @param later the values that come after this record */
function take({ key, value }: KafkaRecord, later: Values, values: Map<string, Uint8Array>): void {
  if (key === null || value === null) return;
  const text = Buffer.from(key).toString();
  if (!later.has(text)) values.set(text, value);
}

/**
 * The latest values by their keys. Besides those that are looked for, it has others: all of a partition that lacks one of these.
 * It waits until no transaction is open in these partitions.
 */
export async function latestValues(
  client: KafkaClient,
  topic: string,
  keysByPlace: ReadonlyMap<number, readonly string[]>,
): Promise<Values> {
  const values = new Map<string, Uint8Array>();
  const isMissing = (partition: number) => keysByPlace.get(partition)?.some((key) => !values.has(key)) ?? false;
  const boundsOf = async (partition: number) => ({ partition, ...(await client.bounds(topic, partition)) });
  let left = (await Promise.all([...keysByPlace.keys()].map(boundsOf))).filter(({ low, high }) => low < high);
  for (let records = LAST_RECORDS; left.length > 0; records *= 4) {
    const ranges = left.map(({ partition, low, high }) => ({
      ...{ partition, from: Math.max(low, high - records), to: high },
    }));
    const later = new Map(values);
    for await (const batch of client.records(topic, ranges)) for (const record of batch) take(record, later, values);
    left = left
      .map(({ partition, low, high }) => ({ partition, low, high: Math.max(low, high - records) }))
      .filter(({ partition, low, high }) => low < high && isMissing(partition));
  }
  return values;
}

/** @throws FirstseenError E_STATE_DIFFERS for a group that has pointers of another input, whose records it has emitted */
function checkOtherInputs(values: Values, { group, input, topic }: PointersOf): void {
  for (const [key, value] of values) {
    const other = inputOfKey(key, group);
    if (other === undefined || other === input || isUnused(decodeCutPointer(value, `of ${other} in ${topic}`)))
      continue;
    const problem = phrase`the group ${group} has read the topic ${other}, and would now read ${input}: what it has emitted would be emitted again`;
    throw new FirstseenError('E_STATE_DIFFERS', problem, {
      remedy: phrase`give the topics as before, or another ${optionName('group')} and other outputs`,
    });
  }
}

/**
 * The latest pointers, by partition; none for a partition without one. It waits until no transaction of a pointer is open.
 * @throws FirstseenError what `decode` throws for what is not a pointer; E_STATE_DIFFERS if the group has emitted the records of another topic
 */
export async function latestPointers<Kind extends CutPointer>(
  client: KafkaClient,
  of: PointersOf,
  partitions: readonly number[],
  decode: (bytes: Uint8Array, place: string) => Kind,
): Promise<ReadonlyMap<number, Kind>> {
  const { group, input, topic } = of;
  const keys = new Map(partitions.map((partition) => [partition, pointerKey(group, { input, partition })]));
  const keysByPlace = new Map<number, string[]>();
  for (const [partition, key] of keys) {
    const place = placeOfPointer(of, partition);
    keysByPlace.set(place, [...(keysByPlace.get(place) ?? []), key]);
  }
  const values = await latestValues(client, topic, keysByPlace);
  const pointers = new Map<number, Kind>();
  for (const [partition, key] of keys) {
    const value = values.get(key);
    if (value) pointers.set(partition, decode(value, `of partition ${partition} in ${topic}`));
  }
  // A group reads one topic: one that has a pointer of it has none of others.
  if (pointers.size === 0) checkOtherInputs(values, of);
  return pointers;
}

/**
 * @param missing partitions without a pointer
 * @param committed the offsets that the group has committed, by partition; -1 without one
 * @throws FirstseenError E_STATE_DIFFERS for a group that has an offset of a partition, and no pointer: something else has written it
 */
export function checkUncommitted(
  { group, topic }: PointersOf,
  missing: readonly number[],
  committed: ReadonlyMap<number, number>,
): void {
  const offsetOf = (partition: number) => committed.get(partition) ?? -1;
  const partition = missing.find((one) => offsetOf(one) >= 0);
  if (partition === undefined) return;
  const problem = phrase`the group ${group} has the offset ${offsetOf(partition)} of partition ${partition}, but ${topic} has no pointer of that partition`;
  throw new FirstseenError('E_STATE_DIFFERS', problem, {
    remedy: phrase`give the topic that has it as ${optionName('pointers')}, or another ${optionName('group')}, which begins with nothing seen`,
  });
}

/** Tells if nothing was emitted yet, so that nothing depends on how the group began. */
export function isUnused({ observed, position, snapshots }: CutPointer & Partial<Pointer>): boolean {
  return observed === 0 && snapshots?.length === 1 && snapshots[0]?.offset === position;
}

/** Tells if a topic was made again since a pointer of it was written. Its records have other offsets then. */
export function isRemade({ inputId }: Pick<CutPointer, 'inputId'>, now: string | undefined): boolean {
  return inputId !== undefined && now !== undefined && inputId !== now;
}

/** The error for an input that was made again. */
export function remadeInput(input: string, remedy: string | Phrase): FirstseenError {
  const problem = phrase`the topic ${input} was re-created after the group began: its records have other offsets now`;
  return new FirstseenError('E_STATE_DIFFERS', problem, { remedy });
}

/** @throws FirstseenError E_STATE_DIFFERS for a topic that was made again */
export function checkRemade(pointer: CutPointer, now: string | undefined, remedy: string | Phrase): void {
  if (isRemade(pointer, now)) throw remadeInput(pointer.input, remedy);
}

/**
 * The offsets again, where they are not those of the pointers. The pointers were read later, and a transaction may have ended in between, as
 * that of a worker before this one. What differs then was changed by somebody else.
 */
export async function offsetsBeside(
  member: Pick<GroupMember, 'committed'>,
  committed: ReadonlyMap<number, number>,
  pointers: ReadonlyMap<number, Pick<CutPointer, 'position'>>,
): Promise<ReadonlyMap<number, number>> {
  const differs = ([partition, offset]: readonly [number, number]) => {
    const pointer = pointers.get(partition);
    return pointer !== undefined && pointer.position !== offset;
  };
  const differing = [...committed].filter(differs).map(([partition]) => partition);
  return differing.length === 0 ? committed : new Map([...committed, ...(await member.committed(differing))]);
}
