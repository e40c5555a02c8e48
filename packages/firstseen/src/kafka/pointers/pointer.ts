// The pointer of a partition: how far its records were emitted, and the snapshots from which the detector of that point can be made
// again. It is a record of a compacted topic, and is committed with the outputs, so that it is always the truth about them.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { isCount } from '../../base/jsonchecks.js';
import type { RecordContent } from '../../io/kafka/contract.js';
import { groupOfHalf } from '../group/halves.js';

/** A snapshot of the detector before an offset of its partition. */
export interface PointedSnapshot {
  /** The name of the file in the state folder. */
  file: string;
  /** The offset of the first record that the snapshot does not have. */
  offset: number;
  /** The time at which the snapshot was written, in milliseconds since 1970. */
  writtenMilliseconds: number;
}

/** Records of these offsets did not move the window if their times are later than this one. */
export interface TimeLimit {
  from: number;
  /** The offset after the last one. */
  to: number;
  timeMilliseconds: number;
}

/** The window was set back to a time before the record of this offset. */
export interface ClockReset {
  offset: number;
  timeMilliseconds: number;
}

/** The decisions about times by the clock of a machine, as far as a replay needs them. Most pointers have none. */
export interface ClockNotes {
  limits?: readonly TimeLimit[];
  resets?: readonly ClockReset[];
}

/**
 * The time of the window before the record of an offset of the input, in milliseconds since 1970. So many records were in the output then.
 */
export type ClockPoint = readonly [offset: number, records: number, timeMilliseconds: number];

/** A note of the records that a partition has emitted, as far as its output does not tell of them. */
export interface EmittedNote {
  /** The id of the output when the group began. */
  outputId?: string | undefined;
  /** Records of the output. */
  records: number;
  /** The last of them that has a time: how many records there were with it, and its time. */
  last?: readonly [records: number, timestamp: number] | undefined;
  /** The way of the window's clock where the times of these records do not say it. The last point is at the position. Empty if the window is not a duration. */
  clock: readonly ClockPoint[];
}

export interface Pointer extends ClockNotes {
  /** The topic of the input, and its id, where brokers have ids: a topic that was made again has another one. */
  input: string;
  inputId?: string | undefined;
  partition: number;
  /** The random name of the detector, as 16 hexadecimal digits. Files of other groups, and of other clusters, have other names. */
  detectorId: string;
  /** The offset of the first record that was not emitted. */
  position: number;
  /** Elements that the detector has observed before the position, and those that were duplicates: a replay has to arrive at the same. */
  observed: number;
  duplicates: number;
  /** The options that decide the answers, in short. */
  settings: string;
  /** The newest first. */
  snapshots: readonly PointedSnapshot[];
  given: EmittedNote;
}

/**
 * The position up to which a partition of the topic was cut that the first half of a worker with `--repartition` reads.
 */
export type CutPointer = Pick<Pointer, 'input' | 'inputId' | 'partition' | 'position'>;

/** Records that are observed before a partition gives anything out: those of a topic from an offset up to another one. */
export interface Silence {
  topic: string;
  /** The id of the topic. */
  topicId?: string | undefined;
  from: number;
  to: number;
  /** The note of records that were emitted before; undefined for a partition of which none were. */
  given?: EmittedNote | undefined;
}

/** A topic to which a group has written. */
export interface OutputTopic {
  topic: string;
  /** Its id when the group began. */
  id?: string | undefined;
}

/** The note of a group that has taken over from earlier groups. */
export interface Takeover {
  /** The groups that came before, the latest first. */
  groups: readonly string[];
  /** The topic of the pointers of the latest. */
  pointers: string;
  /** The offsets before which none of these groups has emitted anything, by partition. */
  since: readonly number[];
  /** The topics to which these groups have written. */
  outputs: readonly OutputTopic[];
  /** By partition. */
  silences: readonly Silence[];
}

/**
 * The beginning of a group that does not begin with the first records: the ends of all partitions at its first start,
 * or the positions of an old group.
 */
export interface Beginning {
  inputId?: string | undefined;
  positions: readonly number[];
  takeover?: Takeover;
}

/** The mark that takes the place of a partition's pointer once a new group has taken the partition over. */
export interface TakenPointer extends CutPointer {
  takenBy: string;
}

export const POINTER_VERSION = 2;
/** In place of a version, so that no worker of the old group goes on, whatever its version is. */
const TAKEN = 'taken over';

const DETECTOR_ID = /^[0-9a-f]{16}$/;

/** The key of the pointer of a partition: groups and inputs may share a topic. */
export function pointerKey(group: string, { input, partition }: Pick<Pointer, 'input' | 'partition'>): string {
  return JSON.stringify([group, input, partition]);
}

/** Returns the parts of a pointer's key; undefined for a key that is not that of a pointer. */
function keyParts(key: string): unknown[] | undefined {
  try {
    const parts: unknown = JSON.parse(key);
    return Array.isArray(parts) ? parts : undefined;
  } catch {
    return undefined;
  }
}

/** The input whose pointer a key is, for a group; undefined for other keys. */
export function inputOfKey(key: string, group: string): string | undefined {
  const [itsGroup, input, partition] = keyParts(key) ?? [];
  return itsGroup === group && typeof input === 'string' && partition !== undefined ? input : undefined;
}

/** The key of where a group begins. */
export function beginningKey(group: string, input: string): string {
  return JSON.stringify([group, input]);
}

export function encodePointer(pointer: Pointer | CutPointer | Beginning): Uint8Array {
  return Buffer.from(JSON.stringify({ version: POINTER_VERSION, ...pointer }));
}

/** The record that a transaction has of a pointer, or of where a group begins. */
export function pointerRecord(key: string, pointer: Pointer | CutPointer | Beginning): RecordContent {
  return { key: Buffer.from(key), value: encodePointer(pointer), timestamp: Date.now(), headers: undefined };
}

/** The record that a transaction has of a partition that a new group takes over. */
export function takenRecord(key: string, pointer: TakenPointer): RecordContent {
  const value = Buffer.from(JSON.stringify({ version: TAKEN, ...pointer }));
  return { key: Buffer.from(key), value, timestamp: Date.now(), headers: undefined };
}

/** Says that a group has another offset than its pointer, as when brokers have removed its offsets or somebody has set them. */
export function otherOffset(at: { group: string; partition: number; offset: number; position: number }): string {
  const { group, partition, offset, position } = at;
  const has = offset < 0 ? 'no offset' : `the offset ${offset}`;
  return `the group ${group} has ${has} of partition ${partition}; the worker goes on at ${position}, which its pointer says`;
}

function isSnapshot(value: unknown): value is PointedSnapshot {
  const { file, offset, writtenMilliseconds } = (value ?? {}) as Partial<PointedSnapshot>;
  // The name of a file, not a path: who writes to the topic does not choose what is read.
  return typeof file === 'string' && /^[\w.-]+$/.test(file) && [offset, writtenMilliseconds].every(isCount);
}

function haveCounts(list: unknown, names: readonly string[]): boolean {
  const isOne = (one: unknown) => names.every((name) => isCount((one as Record<string, unknown> | null)?.[name]));
  return Array.isArray(list) && list.every(isOne);
}

function areClockNotes({ limits = [], resets = [] }: Partial<ClockNotes>): boolean {
  return haveCounts(limits, ['from', 'to', 'timeMilliseconds']) && haveCounts(resets, ['offset', 'timeMilliseconds']);
}

function areCounts(list: unknown): list is number[] {
  return Array.isArray(list) && list.every(isCount);
}

function areCountsOf(list: unknown, length: number): boolean {
  return areCounts(list) && list.length === length;
}

function isGivenOut(value: unknown): value is EmittedNote {
  const { outputId = '', records, last = [0, 0], clock } = (value ?? {}) as Partial<EmittedNote>;
  const arePoints = Array.isArray(clock) && clock.every((point) => areCountsOf(point, 3));
  return typeof outputId === 'string' && isCount(records) && areCountsOf(last, 2) && arePoints;
}

function isSilence(value: unknown): value is Silence {
  const { topic, topicId = '', from, to, given } = (value ?? {}) as Partial<Silence>;
  const areTexts = [topic, topicId].every((text) => typeof text === 'string');
  return areTexts && [from, to].every(isCount) && (given === undefined || isGivenOut(given));
}

function isOutputTopic(value: unknown): value is OutputTopic {
  const { topic, id = '' } = (value ?? {}) as Partial<OutputTopic>;
  return [topic, id].every((text) => typeof text === 'string');
}

function areNames(list: unknown): list is string[] {
  return Array.isArray(list) && list.every((name) => typeof name === 'string');
}

function isTakeover({ groups, pointers, outputs, since, silences }: Takeover): boolean {
  const areTexts = typeof pointers === 'string' && areNames(groups);
  const areTopics = Array.isArray(outputs) && outputs.every(isOutputTopic);
  return areTexts && areTopics && areCounts(since) && Array.isArray(silences) && silences.every(isSilence);
}

function isBeginning({ inputId = '', positions, takeover }: Partial<Beginning>): boolean {
  return typeof inputId === 'string' && areCounts(positions) && (takeover === undefined || isTakeover(takeover));
}

function isCutPointer({ input, inputId = '', partition, position }: Partial<Pointer>): boolean {
  return [input, inputId].every((text) => typeof text === 'string') && [partition, position].every(isCount);
}

function isPointer(value: Partial<Pointer>): value is Pointer {
  const { detectorId, position, observed, duplicates, settings, snapshots, given } = value;
  return (
    isCutPointer(value) &&
    areClockNotes(value) &&
    typeof detectorId === 'string' &&
    DETECTOR_ID.test(detectorId) &&
    [observed, duplicates].every(isCount) &&
    typeof settings === 'string' &&
    Array.isArray(snapshots) &&
    snapshots.length > 0 &&
    snapshots.every((one) => isSnapshot(one) && one.offset <= (position as number)) &&
    isGivenOut(given)
  );
}

function broken(place: string, problem: string): FirstseenError {
  return new FirstseenError('E_STATE_FILE', `the pointer ${place} ${problem}`, {
    remedy: 'use the version of firstseen that wrote it, or start with another group',
  });
}

/** @param givenAs as of `TakeoverOptions` */
function takenOver(
  { takenBy, input, partition, position }: Partial<TakenPointer>,
  place: string,
  givenAs: (group: string) => string,
): FirstseenError {
  const problem = phrase`the pointer ${place} says that the group ${String(takenBy)} has taken over the partition ${Number(partition)} of ${String(input)} at the offset ${Number(position)}`;
  return new FirstseenError('E_STATE_DIFFERS', problem, {
    remedy: phrase`give ${optionName('group')} ${givenAs(String(takenBy))}, which goes on there; a third group can take over from that one with ${optionName('fromGroup')}`,
  });
}

/**
 * @throws FirstseenError E_STATE_FILE for what is not a pointer of this version, by `isOne`; E_STATE_DIFFERS for a partition that a new group has
 * taken over
 */
function decode<Kind>(
  bytes: Uint8Array,
  place: string,
  isOne: (value: Partial<Pointer> & Partial<Beginning>) => boolean,
  givenAs = (group: string) => group,
): Kind {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    throw broken(place, 'is not JSON');
  }
  const { version, ...pointer } = (value ?? {}) as Partial<Pointer> & { version?: unknown };
  if (version === TAKEN) throw takenOver(pointer, place, givenAs);
  if (version !== POINTER_VERSION) {
    throw broken(place, `has the version ${version}, but this version of firstseen reads ${POINTER_VERSION}`);
  }
  if (isOne(pointer)) return pointer as Kind;
  throw broken(place, 'lacks members that a pointer must have');
}

/** @param place where the pointer is, for errors. @throws FirstseenError E_STATE_FILE for what is not a pointer of this version */
export function decodePointer(bytes: Uint8Array, place: string): Pointer {
  return decode(bytes, place, isPointer);
}

/** @param place where the pointer is, for errors. @throws FirstseenError E_STATE_FILE for what is not a pointer of this version */
export function decodeCutPointer(bytes: Uint8Array, place: string): CutPointer {
  return decode(bytes, place, isCutPointer, groupOfHalf);
}

/**
 * Decodes the pointer of a partition that may have been taken over.
 * @param place where it is, for errors. @throws FirstseenError E_STATE_FILE for what is not a pointer of this version
 */
export function decodeOldPointer<Kind extends CutPointer>(
  bytes: Uint8Array,
  place: string,
  decodeOne: (bytes: Uint8Array, place: string) => Kind,
): Kind | TakenPointer {
  const text = Buffer.from(bytes).toString();
  const { version, ...pointer } = JSON.parse(text) as TakenPointer & { version: unknown };
  return version === TAKEN ? pointer : decodeOne(bytes, place);
}

/** @param place where it is, for errors. @throws FirstseenError E_STATE_FILE for what is not a beginning of this version */
export function decodeBeginning(bytes: Uint8Array, place: string): Beginning {
  return decode(bytes, place, isBeginning);
}
