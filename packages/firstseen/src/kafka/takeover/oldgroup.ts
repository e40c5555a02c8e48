// A new group takes over from an old one, which has stopped. In one transaction, as a member of the old group, it writes to the pointers of the
// old group that they are taken, and to its own where it begins. So a worker of the old group that starts again is refused, and one that is
// not done yet cannot commit: the transaction has the offsets of the old group too (docs/decisions/123-taking-over-from-a-group.md).

import { setTimeout as sleep } from 'node:timers/promises';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import {
  checkStopped,
  type GroupMember,
  type KafkaClient,
  NameTaken,
  TransactionAborted,
  TransactionUnknown,
} from '../../io/kafka/contract.js';
import { PAUSES_MILLISECONDS } from '../group/group.js';
import { notedBeginning, sendBeginning } from '../pointers/beginning.js';
import {
  type Beginning,
  type CutPointer,
  decodeOldPointer,
  pointerKey,
  type TakenPointer,
  type Takeover,
  takenRecord,
} from '../pointers/pointer.js';
import { allPartitions, checkRemade, latestPointers, type PointersOf, placeOfPointer } from '../pointers/pointers.js';

/** Time that an old group has to lose its members, of which those that have stopped stay until their sessions end. */
const GONE_MILLISECONDS = 60_000;
/** Time within which the only member of a group has all its partitions. */
const ASSIGNED_MILLISECONDS = 60_000;
const PAUSE_MILLISECONDS = 250;

/** The pointers, the beginning and the bounds that the old group has left. */
export interface Left<Kind extends CutPointer> {
  /** The latest pointers, by partition. */
  pointers: ReadonlyMap<number, Kind>;
  /** The beginning of the old group, if it was noted. */
  beginning: Beginning | undefined;
  /** The bounds of each partition. */
  bounds: readonly { low: number; high: number }[];
  /** The offsets at which the new group begins, by partition. */
  positions: readonly number[];
}

export interface TakeoverOptions<Kind extends CutPointer> {
  /** A client of the new group, and one of the old group whose name is that of the new one. */
  client: KafkaClient;
  old: KafkaClient;
  /** The pointers of both. */
  of: PointersOf;
  oldOf: PointersOf;
  inputPartitions: number;
  decode: (bytes: Uint8Array, place: string) => Kind;
  /** Returns the name to give as an option for one of the groups. Without it, that is its name. */
  givenAs?: (group: string) => string;
  /**
   * Finds the records that have to be observed first, by partition. It may be called again.
   * @throws FirstseenError for what is missing
   */
  findSilences: (left: Left<Kind>) => Promise<Pick<Takeover, 'silences' | 'outputs'>>;
  /**
   * Reports offsets that are missing and that the old group has not emitted.
   * @throws FirstseenError unless that is allowed
   */
  onLost: (partition: number, offsets: number) => void;
  /** Asks to stop. */
  signal?: AbortSignal | undefined;
  onNotice: (message: string) => void;
}

function refused(problem: ReturnType<typeof phrase>, remedy: ReturnType<typeof phrase>): FirstseenError {
  return new FirstseenError('E_STATE_DIFFERS', problem, { option: 'fromGroup', remedy });
}

function isTaken(pointer: CutPointer): pointer is TakenPointer {
  return 'takenBy' in pointer;
}

type AskedBefore = Pick<TakeoverOptions<CutPointer>, 'client' | 'of' | 'inputPartitions'> & {
  oldOf: Pick<PointersOf, 'group'>;
};

/**
 * Returns the beginning of the new group, if it has taken over before.
 * @throws FirstseenError E_STATE_DIFFERS for one that has begun otherwise
 */
export async function takenBefore({ client, of, oldOf, inputPartitions }: AskedBefore): Promise<Beginning | undefined> {
  const beginning = await notedBeginning({ client, of, inputId: await client.topicId(of.input) });
  const [from] = beginning?.takeover?.groups ?? [];
  if (from === oldOf.group) return beginning;
  const remedy = phrase`leave ${optionName('fromGroup')} out to go on, or give another ${optionName('group')}, which is new`;
  if (from !== undefined) {
    throw refused(phrase`the group ${of.group} has taken over from ${from}, not from ${oldOf.group}`, remedy);
  }
  const pointers = await latestPointers(client, of, allPartitions(inputPartitions), (bytes, place) =>
    decodeOldPointer(bytes, place, (own) => JSON.parse(Buffer.from(own).toString()) as CutPointer),
  );
  if (beginning === undefined && pointers.size === 0) return undefined;
  throw refused(
    phrase`the group ${of.group} has already begun, and can no longer take over from ${oldOf.group}`,
    remedy,
  );
}

/** Thrown if another worker of the new group has taken over since this one looked. */
class TakenMeanwhile extends Error {}

/** @throws FirstseenError E_STATE_DIFFERS if another group has taken any of them; TakenMeanwhile if the new one has */
function checkFree<Kind extends CutPointer>(
  pointers: ReadonlyMap<number, CutPointer>,
  { of, oldOf: { group }, givenAs = (name) => name }: TakeoverOptions<Kind>,
): void {
  const other = [...pointers.values()].find(isTaken);
  if (other === undefined) return;
  if (other.takenBy === of.group) throw new TakenMeanwhile();
  const name = givenAs(other.takenBy);
  throw refused(
    phrase`the group ${other.takenBy} has taken over from ${group}`,
    phrase`give ${optionName('group')} ${name} to go on, or ${optionName('fromGroup')} ${name} to take over from it`,
  );
}

/**
 * Reads the pointers, the beginning and the bounds that the old group has left.
 * @throws FirstseenError E_STATE_DIFFERS or E_STATE_FILE when it cannot be taken over; TakenMeanwhile
 */
async function look<Kind extends CutPointer>(options: TakeoverOptions<Kind>): Promise<Left<Kind>> {
  const { client, oldOf, inputPartitions, decode, onLost } = options;
  const partitions = allPartitions(inputPartitions);
  const inputId = await client.topicId(oldOf.input);
  const latest = await latestPointers(client, oldOf, partitions, (bytes, place) =>
    decodeOldPointer(bytes, place, decode),
  );
  checkFree(latest, options);
  const pointers = latest as ReadonlyMap<number, Kind>;
  const beginning = await notedBeginning({ client, of: oldOf, inputId });
  if (pointers.size === 0 && beginning === undefined) {
    throw refused(
      phrase`the topic ${oldOf.topic} has no pointer of the group ${oldOf.group} and the topic ${oldOf.input}`,
      phrase`correct the name of the group, or give the topic of its pointers as ${optionName('fromPointers')}; if they are lost, leave ${optionName('fromGroup')} out: the new group then begins with nothing seen`,
    );
  }
  const bounds = await Promise.all(partitions.map((partition) => client.bounds(oldOf.input, partition)));
  const positions = bounds.map(({ low, high }, partition) => {
    const pointer = pointers.get(partition);
    if (pointer)
      checkRemade(pointer, inputId, phrase`leave ${optionName('fromGroup')} out: the old group has read other records`);
    const position = pointer?.position ?? beginning?.positions[partition] ?? low;
    if (position > high) {
      throw refused(
        phrase`partition ${partition} of ${oldOf.input} ends at the offset ${high}, but the group ${oldOf.group} has emitted its records up to ${position}`,
        phrase`restore the topic, or leave ${optionName('fromGroup')} out`,
      );
    }
    if (position < low) onLost(partition, low - position);
    return Math.max(low, position);
  });
  return { pointers, beginning, bounds, positions };
}

/** Waits until the old group has no members, or the new one has been begun by another worker. @throws FirstseenError E_STATE_DIFFERS */
async function awaitGone(options: TakeoverOptions<never>): Promise<Beginning | undefined> {
  const { old, of, oldOf, onNotice } = options;
  // Whoever takes over has the name of the new group in the old one.
  const shown = (name: string) =>
    name === of.group ? `${name} (a worker of this group that takes over, or did until it was killed)` : name;
  const until = Date.now() + GONE_MILLISECONDS;
  for (let isTold = false; ; isTold = true) {
    const names = await old.memberNames();
    const before = await takenBefore(options);
    if (names.length === 0 || before) return before;
    const members = names.map(shown).join(', ');
    if (Date.now() > until) {
      throw refused(
        phrase`the group ${oldOf.group} has members: ${members}`,
        phrase`stop its workers, and start again; a worker that was killed stays a member until its session ends`,
      );
    }
    if (!isTold) onNotice(`the worker waits until the group ${oldOf.group} has no members: ${members}`);
    await sleep(PAUSE_MILLISECONDS);
  }
}

/** Takes the partitions that a member is given, until it has all. @throws FirstseenError E_STATE_DIFFERS when others have some for too long */
async function takePartitions(
  member: GroupMember,
  { oldOf, signal }: { oldOf: PointersOf; signal?: AbortSignal | undefined },
  ends: readonly number[],
): Promise<void> {
  const assigned = new Set<number>();
  const until = Date.now() + ASSIGNED_MILLISECONDS;
  while (assigned.size < ends.length) {
    checkStopped(signal);
    for (const { kind, partitions } of member.changes()) {
      for (const partition of partitions) assigned[kind === 'assigned' ? 'add' : 'delete'](partition);
      // Nothing is read: it begins at the ends.
      if (kind === 'assigned') member.start(new Map(partitions.map((partition) => [partition, ends[partition] ?? 0])));
      else member.stop(partitions);
    }
    if (assigned.size === ends.length) return;
    if (Date.now() > until) {
      throw refused(
        phrase`the group ${oldOf.group} has given ${assigned.size} of ${ends.length} partitions only: others are its members`,
        phrase`stop its workers, and start again`,
      );
    }
    await member.fetch(1);
  }
}

/** Writes, as a member of the old group, that its partitions are taken, and where the new group begins. */
async function write<Kind extends CutPointer>(
  member: GroupMember,
  { of, oldOf }: TakeoverOptions<Kind>,
  { inputId, left, beginning }: { inputId: string | undefined; left: Left<Kind>; beginning: Beginning },
): Promise<void> {
  await member.begin();
  for (const [partition, position] of left.positions.entries()) {
    const note = { input: oldOf.input, inputId, partition, position, takenBy: of.group };
    await member.send(oldOf.topic, placeOfPointer(oldOf, partition), takenRecord(pointerKey(oldOf.group, note), note));
  }
  await sendBeginning(member, of, beginning);
  await member.commit(new Map(left.positions.entries()));
}

/** Takes over as a member of the old group. @throws TransactionAborted, TransactionUnknown, NameTaken or TakenMeanwhile if another one was in its way */
async function takeAsMember<Kind extends CutPointer>(options: TakeoverOptions<Kind>): Promise<Beginning> {
  const { client, old, oldOf, inputPartitions, findSilences } = options;
  // What is missing is found before the old group is disturbed.
  const before = await look(options);
  await findSilences(before);
  const gone = await awaitGone(options as unknown as TakeoverOptions<never>);
  if (gone) return gone;
  const member = await old.join(oldOf.input);
  try {
    await takePartitions(
      member,
      options,
      before.bounds.map(({ high }) => high),
    );
    // Whoever of the old group was not done cannot commit any more, once its transactions have ended.
    await member.committed(allPartitions(inputPartitions));
    const beginningMeanwhile = await takenBefore(options);
    if (beginningMeanwhile) return beginningMeanwhile;
    const left = await look(options);
    const heard = await findSilences(left);
    const { beginning: first, positions } = left;
    const groups = [oldOf.group, ...(first?.takeover?.groups ?? [])];
    const { topic: pointers } = oldOf;
    const since = first?.takeover?.since ?? first?.positions ?? positions.map(() => 0);
    const inputId = await client.topicId(oldOf.input);
    const beginning = { inputId, positions, takeover: { groups, pointers, since, ...heard } };
    await write(member, options, { inputId, left, beginning });
    return beginning;
  } finally {
    await member.close();
  }
}

/**
 * Takes over from an old group, unless that was done before.
 * @returns where the new group begins
 * @throws FirstseenError E_STATE_DIFFERS or E_STATE_FILE when it cannot; nothing has changed then
 */
export async function takeOver<Kind extends CutPointer>(options: TakeoverOptions<Kind>): Promise<Beginning> {
  for (const pause of [...PAUSES_MILLISECONDS, undefined]) {
    const before = await takenBefore(options);
    if (before) return before;
    try {
      return await takeAsMember(options);
    } catch (error) {
      const isPassing = [TransactionAborted, TransactionUnknown, NameTaken, TakenMeanwhile].some(
        (kind) => error instanceof kind,
      );
      if (!isPassing || pause === undefined) throw error;
      await sleep(pause);
    }
  }
  throw new Error('the last try returns or throws');
}
