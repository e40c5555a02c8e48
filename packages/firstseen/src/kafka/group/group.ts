// What members of a group do alike: they join it, take the changes of their partitions, and repeat transactions that were aborted. And what
// is said of a new group that takes over from one that cannot go on.

import { setTimeout as sleep } from 'node:timers/promises';
import { FirstseenError, optionName, type Phrase, phrase } from '../../base/errors.js';
import {
  type GroupMember,
  type KafkaClient,
  NameTaken,
  TransactionAborted,
  TransactionUnknown,
} from '../../io/kafka/contract.js';
import { problemText } from '../../options/flagnames.js';

/** The partitions of a member. */
export interface Held {
  /** Those that are open, by partition. */
  readonly states: ReadonlyMap<number, unknown>;
  /** True while all partitions of the member are open, also if it has none. */
  isOpen: boolean;
  /** Opens partitions. @param begin takes the offsets from which they have to be read */
  open(
    member: GroupMember,
    partitions: readonly number[],
    begin: (positions: ReadonlyMap<number, number>) => void | Promise<void>,
  ): Promise<void>;
  /** Forgets what was not committed. */
  close(partitions: readonly number[]): void;
  /**
   * Looks after a transaction that failed whether the pointers are lost that others would open partitions by.
   * @returns true if they are, and the partitions go on as this member has them
   */
  keep(member: GroupMember): Promise<boolean>;
}

export interface Membership {
  client: KafkaClient;
  /** The topic that the group reads. */
  topic: string;
  held: Held;
  signal: AbortSignal;
  onWarning: (message: string) => void;
}

export interface RepeatedWrite {
  held: Held;
  /** Writes one transaction with what is emitted, of the partitions that are still held. */
  write: () => Promise<void>;
  /** Takes the number of transactions that were aborted. */
  counts: { aborted: number };
  onWarning: (message: string) => void;
}

/** Time before each repetition of a transaction. After the last one, the partitions are opened again. */
export const PAUSES_MILLISECONDS = [50, 200, 800, 2000];

/** Time that a member has to work after it has joined again, before it may lose its name again. */
const KEPT_MILLISECONDS = 60_000;
/** Time that a step counts for at most. One that opens partitions takes long, and does not show who has the name. */
const STEP_MILLISECONDS = 1000;

/** Without records for this time, a partition goes on to its end. Sooner, each mark of a transaction would cost a pointer. */
const QUIET_MILLISECONDS = 60_000;

/**
 * Joins a group, and works until the signal. When coordinators of a group change, a member may join twice under its name, and is then refused
 * as the first of the two. So one whose name is taken joins again. Two workers of one name would take it from each other for ever, so the
 * first of them ends that loses it again soon.
 * @throws what the work throws; FirstseenError E_KAFKA
 */
export async function workAsMember(
  { client, topic, held, signal, onWarning }: Membership,
  step: (member: GroupMember) => Promise<void>,
): Promise<void> {
  let worked = KEPT_MILLISECONDS;
  while (!signal.aborted) {
    const member = await client.join(topic);
    try {
      while (!signal.aborted) {
        const began = performance.now();
        await step(member);
        worked += Math.min(performance.now() - began, STEP_MILLISECONDS);
      }
    } catch (error) {
      if (!(error instanceof NameTaken)) throw error;
      if (signal.aborted) return;
      if (worked < KEPT_MILLISECONDS) throw error;
      worked = 0;
      onWarning('another worker has the same instance name, or brokers have changed: the worker joins its group again');
    } finally {
      leave(held);
      await member.close();
    }
  }
}

/** Closes all partitions of a member that is in its group no more. */
function leave(held: Held): void {
  held.close([...held.states.keys()]);
  held.isOpen = false;
}

async function open(held: Held, ...opening: Parameters<Held['open']>): Promise<void> {
  held.isOpen = false;
  await held.open(...opening);
  held.isOpen = true;
}

export async function takeChanges(member: GroupMember, held: Held): Promise<void> {
  for (const { kind, partitions } of member.changes()) {
    if (kind === 'assigned') await open(held, member, partitions, (positions) => member.start(positions));
    else {
      if (kind === 'lost') leave(held);
      else held.close(partitions);
      member.stop(partitions);
    }
  }
}

/** Goes back to what was committed: the partitions have taken what was not. */
export async function reopen(member: GroupMember, held: Held): Promise<void> {
  const partitions = [...held.states.keys()];
  held.close(partitions);
  await open(held, member, partitions, (positions) => member.seek(positions));
}

/**
 * Writes what was emitted. A transaction that was aborted is repeated without the partitions that were given up or lost. So a change of
 * the group costs no replay.
 */
export async function writeRepeatedly(
  member: GroupMember,
  { held, write, counts, onWarning }: RepeatedWrite,
): Promise<void> {
  for (const pause of [...PAUSES_MILLISECONDS, undefined]) {
    let isUnknown = false;
    try {
      return await write();
    } catch (error) {
      isUnknown = error instanceof TransactionUnknown;
      if (!isUnknown && !(error instanceof TransactionAborted)) throw error;
      counts.aborted++;
      const what = isUnknown
        ? 'the outcome of a transaction is not known; the worker goes on from what is committed'
        : 'a transaction was aborted, and is repeated';
      onWarning(`${what}: ${problemText(error)}`);
    }
    const isKept = await held.keep(member);
    await takeChanges(member, held);
    if ((isUnknown && !isKept) || pause === undefined) return reopen(member, held);
    await sleep(pause);
  }
}

/**
 * Tells if what is before the end of a partition that was read to its end, such as marks of transactions, has to be committed. The retention
 * removes it, and an offset before it would seem to lack records.
 * @param hasRecords whether another partition had records in this step
 * @param readAt when this partition had records last
 */
export function goesToEnd(hasRecords: boolean, readAt: number): boolean {
  return !hasRecords || Date.now() - readAt >= QUIET_MILLISECONDS;
}

/** A new group in place of this one, for remedies. */
export const newGroup: Phrase = phrase`another ${optionName('group')} with ${optionName('fromGroup')} and the name of this one, which goes on where it stopped`;

/** An error of a detector in the words of a group: a detector that is full keeps its memory and its algorithm as long as its group. */
export function inGroup(error: unknown): unknown {
  if (!(error instanceof FirstseenError) || error.code !== 'E_FULL') return error;
  const { problem, details } = error.data;
  const remedy = phrase`give more ${optionName('memory')}, or an ${optionName('algorithm')} that forgets, and ${newGroup}`;
  return new FirstseenError('E_FULL', problem, { ...details, remedy, cause: error });
}
