// The first half of a worker that repartitions: it cuts the records of the input by the hash of their keys, and writes containers of them to
// the topic that the other half reads (docs/decisions/111-repartition.md). It has no state besides its positions. They are in pointers, which
// are committed with what it writes: brokers forget the offsets of a group that nobody uses.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import type { Fetched, GroupMember, KafkaClient, KafkaRecord } from '../../io/kafka/contract.js';
import { goesToEnd, type Held, takeChanges, workAsMember } from '../group/group.js';
import type { KeyOptions } from '../messages/keys.js';
import { beginningOf } from '../pointers/beginning.js';
import { decodeCutPointer, otherOffset } from '../pointers/pointer.js';
import {
  allPartitions,
  checkRemade,
  checkUncommitted,
  latestPointers,
  offsetsBeside,
  type PointersOf,
  remadeInput,
  sendPointers,
} from '../pointers/pointers.js';
import { keepPositions, RemadeTopics, remadePointers } from '../pointers/remade.js';
import { Narrowing } from '../refusals/narrowing.js';
import { type ContainerNote, containersOf } from './containers.js';
import { InStep } from './instep.js';
import { NOWHERE, type Partitioned, Partitioner } from './partitioner.js';

export interface RepartitionSettings {
  /** The group of the first half. */
  group: string;
  /** The topic that is read. */
  source: string;
  /** The topic of the containers, and the number of its partitions. */
  topic: string;
  partitions: number;
  /** The topic of the pointers. It has as many partitions. */
  pointers: string;
  note: ContainerNote;
  keys: KeyOptions;
  /** The end of the topic at which a new group begins. */
  from: 'earliest' | 'latest';
  /** Records of a transaction. */
  maxRecords: number;
  /**
   * The greatest difference between the times of the records of partitions, in milliseconds; undefined for no limit.
   */
  stepMilliseconds?: number | undefined;
}

export interface RepartitionerOptions {
  client: KafkaClient;
  settings: RepartitionSettings;
  onWarning: (message: string) => void;
}

/** The progress of a partition of the source. */
interface SourcePartition {
  partition: number;
  /** The id of the source. */
  inputId: string | undefined;
  /** The offset of the first record that was not emitted. */
  position: number;
  /** The position that is committed; without one, that of the beginning. */
  committedPosition: number;
  /** The end of the partition when it was read to its end. */
  end: number;
  /** The time at which records of it came last. */
  readAt: number;
  /** True if the position is not committed. */
  isChanged: boolean;
}

/** Records of a partition that are emitted, with the partitions of the topic that they go to. */
interface CutRecords extends Partitioned {
  state: SourcePartition;
}

/** The remedy for a topic that was made again, or has lost records. */
const beginAgain = phrase`give another ${optionName('group')} and another ${optionName('repartition')}, and keep records for longer`;

/** @throws FirstseenError E_STATE_DIFFERS for a position that the topic does not have */
function checkPosition(source: string, partition: number, position: number, bounds: { low: number; high: number }) {
  const { low, high } = bounds;
  if (position >= low && position <= high) return;
  const lost =
    position < low
      ? 'the retention has removed records that were not read'
      : 'the topic has lost records, or was re-created';
  const problem = phrase`partition ${partition} of ${source} has the offsets from ${low} to ${high}, but was read up to ${position}: ${lost}`;
  throw new FirstseenError('E_STATE_DIFFERS', problem, { remedy: beginAgain });
}

export class Repartitioner {
  readonly #options: RepartitionerOptions;
  readonly #states = new Map<number, SourcePartition>();
  readonly #inStep: InStep;
  readonly #narrowing: Narrowing;
  #remade: RemadeTopics | undefined;
  readonly #held: Held = {
    states: this.#states,
    isOpen: false,
    open: (member, partitions, begin) => this.#open(member, partitions, begin),
    close: (partitions) => this.#close(partitions),
    keep: (member) => keepPositions(this.#remade as RemadeTopics, member, this.#states),
  };
  readonly counts = { records: 0, dropped: 0, containers: 0, committed: 0, aborted: 0 };

  constructor(options: RepartitionerOptions) {
    this.#options = options;
    const { stepMilliseconds, maxRecords, source: input, keys } = options.settings;
    this.#narrowing = new Narrowing({ input, states: this.#states, drops: keys.onError === 'drop' });
    this.#inStep = new InStep({ stepMilliseconds, maxRecords });
  }

  get isReady(): boolean {
    return this.#held.isOpen;
  }

  /** The offset up to which each partition is read, by partition. What is held back counts as not read. */
  get readUpTo(): ReadonlyMap<number, number> {
    const readUpTo = ({ partition, position, end }: SourcePartition) =>
      this.#inStep.holds(partition) ? position : Math.max(position, end);
    return new Map(Array.from(this.#states, ([partition, state]) => [partition, readUpTo(state)]));
  }

  #close(partitions: readonly number[]): void {
    for (const partition of partitions) {
      this.#states.delete(partition);
      this.#inStep.close(partition);
    }
  }

  /**
   * Works until the signal.
   * @throws FirstseenError when it cannot go on exactly; nothing is lost or repeated by one that starts again
   */
  async run(signal: AbortSignal): Promise<void> {
    const { client, settings, onWarning } = this.#options;
    const { keys, source: topic, partitions } = settings;
    const partitioner = await Partitioner.open({ keys, topic, partitions });
    try {
      const remade = await RemadeTopics.of({ client, topics: [topic], pointers: this.#pointersOf, signal });
      this.#remade = remade;
      const membership = { client, topic, held: this.#held, signal, onWarning };
      await workAsMember(membership, async (member) => {
        for (const one of await remade.look()) this.#goOnWith(one);
        await this.#step(member, partitioner);
      });
    } finally {
      partitioner.close();
    }
  }

  /** @throws FirstseenError E_STATE_DIFFERS for a source that was made again */
  #goOnWith(topic: string): void {
    const { settings, onWarning } = this.#options;
    if (topic === settings.source) throw remadeInput(topic, beginAgain);
    for (const state of this.#states.values()) state.isChanged = true;
    onWarning(remadePointers(topic));
  }

  async #step(member: GroupMember, partitioner: Partitioner): Promise<void> {
    await takeChanges(member, this.#held);
    member.pause(this.#inStep.pause());
    const fetched = await member.fetch(this.#inStep.most);
    const cut = this.#take(fetched, partitioner);
    this.#reachEnds(fetched.ends, new Set(cut.map(({ state }) => state)));
    const { counts } = this;
    const { onWarning } = this.#options;
    const isWritten = await this.#narrowing.write(member, {
      ...{ held: this.#held, counts, onWarning },
      write: () => this.#write(member, cut),
      records: cut.flatMap(({ records }) => records),
    });
    if (!isWritten) return;
    const refused = cut.find(({ failure }) => failure !== undefined);
    if (refused) throw refused.failure;
  }

  /** Takes note of the ends that were reached. What is before an end has no record, such as marks of transactions. */
  #reachEnds(ends: ReadonlyMap<number, number>, busy: ReadonlySet<SourcePartition>): void {
    for (const [partition, state] of this.#states) {
      state.end = ends.get(partition) ?? state.end;
      const { end, position, readAt } = state;
      // What is before the end of a busy one may be a record that was refused.
      const isHeld = busy.has(state) || this.#inStep.holds(partition);
      const isPassed = end > position && !isHeld && goesToEnd(busy.size > 0, readAt);
      if (isPassed) Object.assign(state, { position: end, isChanged: true });
    }
  }

  async #open(
    member: GroupMember,
    partitions: readonly number[],
    begin: (positions: ReadonlyMap<number, number>) => void | Promise<void>,
  ): Promise<void> {
    const { client, settings, onWarning } = this.#options;
    const { source, from, group } = settings;
    const all = allPartitions((await client.partitionsOf(source)) ?? 0);
    const before = await member.committed(all);
    const pointers = await latestPointers(client, this.#pointersOf, all, decodeCutPointer);
    const committed = await offsetsBeside(member, before, pointers);
    const inputId = await client.topicId(source);
    const missing = partitions.filter((partition) => !pointers.has(partition));
    checkUncommitted(this.#pointersOf, missing, committed);
    const isLatest = from === 'latest' && pointers.size === 0;
    const beginningOptions = { client, member, of: this.#pointersOf, inputId, inputPartitions: all.length, isLatest };
    const beginning = missing.length > 0 ? await beginningOf(beginningOptions) : undefined;
    for (const partition of partitions) {
      const [pointer, offset = -1] = [pointers.get(partition), committed.get(partition)];
      if (pointer) checkRemade(pointer, inputId, beginAgain);
      const bounds = await client.bounds(source, partition);
      // A partition that was added later begins with its first record.
      const position = pointer?.position ?? Math.max(bounds.low, beginning?.positions[partition] ?? bounds.low);
      if (pointer && offset !== position) onWarning(otherOffset({ group, partition, offset, position }));
      checkPosition(source, partition, position, bounds);
      const isChanged = position !== pointer?.position;
      const places = { position, committedPosition: position, end: 0 };
      this.#states.set(partition, { partition, inputId, ...places, readAt: Date.now(), isChanged });
      this.#inStep.open(partition, position);
    }
    await begin(new Map(partitions.map((partition) => [partition, this.#states.get(partition)?.position ?? 0])));
  }

  get #pointersOf(): PointersOf {
    const { group, source: input, pointers: topic, partitions } = this.#options.settings;
    return { group, input, topic, partitions };
  }

  /** Cuts what is in step, up to a record that is refused. */
  #take(fetched: Fetched, partitioner: Partitioner): CutRecords[] {
    this.#inStep.add(fetched);
    const cuts: CutRecords[] = [];
    for (const { partition, records } of this.#inStep.runs(this.#narrowing.maxMessages)) {
      const state = this.#states.get(partition) as SourcePartition;
      state.readAt = Date.now();
      const cut = partitioner.partition(records);
      for (const [i, record] of cut.records.entries()) if (this.#narrowing.isDropped(record)) cut.targets[i] = NOWHERE;
      const last = records[cut.taken - 1];
      if (last) Object.assign(state, { position: last.offset + 1, isChanged: true });
      cuts.push({ ...cut, state });
      if (cut.failure) break;
    }
    return cuts;
  }

  /** Writes containers of what was cut, as one transaction. */
  async #write(member: GroupMember, cuts: readonly CutRecords[]): Promise<void> {
    const changed = [...this.#states.values()].filter(({ isChanged }) => isChanged);
    if (changed.length === 0) return;
    const held = new Set(this.#states.values());
    const heldCuts = cuts.filter(({ state }) => held.has(state) && state.position > state.committedPosition);
    await member.begin();
    await this.#sendPositions(member, changed);
    const written = await this.#sendContainers(member, heldCuts);
    await member.commit(new Map(changed.map(({ partition, position }) => [partition, position])));
    for (const state of changed) Object.assign(state, { isChanged: false, committedPosition: state.position });
    const { counts } = this;
    counts.committed++;
    counts.containers += written.containers;
    counts.records += written.records;
    counts.dropped += written.dropped;
  }

  #sendPositions(member: GroupMember, changed: readonly SourcePartition[]): Promise<void> {
    const { source: input } = this.#options.settings;
    const next = changed.map(({ partition, inputId, position, committedPosition }) => ({
      pointer: { input, inputId, partition, position },
      committedPosition,
    }));
    return sendPointers(member, this.#pointersOf, next);
  }

  async #sendContainers(
    member: GroupMember,
    cuts: readonly CutRecords[],
  ): Promise<{ containers: number; records: number; dropped: number }> {
    const { topic, partitions, note } = this.#options.settings;
    const byTarget: KafkaRecord[][] = Array.from({ length: partitions }, () => []);
    const sent = { containers: 0, records: 0, dropped: 0 };
    for (const { records, targets, sizes } of cuts) {
      for (const [i, target] of targets.entries()) {
        sent[target === NOWHERE ? 'dropped' : 'records'] += sizes[i] as number;
        if (target !== NOWHERE) byTarget[target]?.push(records[i] as KafkaRecord);
      }
    }
    for (const [target, records] of byTarget.entries()) {
      for (const value of containersOf(note, records)) {
        // The retention of the topic counts from now on: the times of the records are in the container.
        const full = member.send(topic, target, { key: null, value, timestamp: Date.now(), headers: undefined });
        if (full) await full;
        sent.containers++;
      }
    }
    return sent;
  }
}
