// A worker: it reads the partitions that its group gives it, and writes what is seen for the first time. Outputs, pointers and the offsets
// of the group are one transaction (docs/decisions/109-kafka.md).

import { formatCounted } from '../base/count.js';
import type { GroupMember, KafkaClient, KafkaRecord } from '../io/kafka/contract.js';
import { type Held, inGroup, takeChanges, workAsMember } from './group/group.js';
import { byPartition } from './messages/keys.js';
import { openReader } from './messages/reader.js';
import type { Reads } from './messages/records.js';
import type { Outcome, Outcomes } from './observing/observing.js';
import type { TimeCounts } from './observing/windowclock.js';
import { beginAgain, openPartitions } from './partition/opening.js';
import type { PartitionState } from './partition/partition.js';
import type { Snapshotter } from './partition/replay.js';
import { SnapshotFolder } from './partition/snapshots.js';
import { Snapshotting } from './partition/snapshotting.js';
import type { Pointer } from './pointers/pointer.js';
import { remadeInput, sendPointers } from './pointers/pointers.js';
import { keepPositions, RemadeTopics, remadeOutput, remadePointers } from './pointers/remade.js';
import { Narrowing } from './refusals/narrowing.js';
import { pointersOf, type WorkerSettings } from './settings.js';
import { checkTopics } from './topics.js';

export interface WorkerOptions {
  client: KafkaClient;
  settings: WorkerSettings;
  snapshotter: Snapshotter;
  onWarning: (message: string) => void;
  /** Told what the worker was given, and what it has to read again. */
  onNotice: (message: string) => void;
}

/** The numbers of what a worker has done, for a monitor. */
interface WorkerCounts {
  /** Records that were emitted, by what they are. */
  records: Record<Outcome, number>;
  /** Messages whose times are far behind the window, or ahead of the clock. */
  times: TimeCounts;
  /** Records that were observed again. */
  replayed: number;
  committed: number;
  aborted: number;
  /** Time that commits took. */
  commitSeconds: number;
  snapshots: number;
  failedSnapshots: number;
}

function newCounts(): WorkerCounts {
  return {
    records: { distinct: 0, duplicate: 0, passed: 0, dropped: 0, tombstone: 0 },
    times: { late: 0, early: 0 },
    ...{ replayed: 0, committed: 0, aborted: 0, commitSeconds: 0, snapshots: 0, failedSnapshots: 0 },
  };
}

/** Time by which a file that no pointer names has to be older than the worker to be removed: clocks of machines differ. */
const MARGIN_MILLISECONDS = 60_000;
/** Time after which a step that has not ended is taken to wait for brokers. */
const WAITING_MILLISECONDS = 10_000;

/** The records that a partition emitted, with their outcomes. */
interface EmittedOf extends Outcomes {
  state: PartitionState;
}

/** A partition with the pointer that a transaction has of it. */
interface ChangedPartition {
  state: PartitionState;
  pointer: Pointer;
}

export class Worker {
  readonly #options: WorkerOptions;
  readonly #folder: SnapshotFolder;
  readonly #states = new Map<number, PartitionState>();
  readonly #held: Held = {
    states: this.#states,
    isOpen: false,
    open: (member, partitions, begin) => this.#open(member, partitions, begin),
    close: (partitions) => this.#close(partitions),
    keep: (member) => keepPositions(this.#remade as RemadeTopics, member, this.#states),
  };
  readonly #snapshotting: Snapshotting;
  readonly #narrowing: Narrowing;
  readonly #asked: string;
  /** The topic to which a record is written, by what it is. */
  readonly #topicsOf: Readonly<Record<Outcome, string | undefined>>;
  readonly counts: WorkerCounts = newCounts();
  #reader: Reads | undefined;
  #remade: RemadeTopics | undefined;
  #stepBeganAt = 0;
  #signal: AbortSignal | undefined;

  constructor(options: WorkerOptions) {
    const { settings, snapshotter, onWarning } = options;
    this.#options = options;
    this.#folder = new SnapshotFolder(settings.folder);
    const { topics, dropsRefused: drops = false } = settings;
    const { input, source } = topics;
    this.#narrowing = new Narrowing({ input, source, states: this.#states, drops });
    this.#asked = JSON.stringify(settings.asked);
    const { output, duplicatesTo: duplicate } = topics;
    this.#topicsOf = { distinct: output, passed: output, tombstone: output, duplicate, dropped: undefined };
    this.#snapshotting = new Snapshotting({
      settings,
      take: snapshotter,
      onTaken: (state, snapshot) => {
        this.counts.snapshots++;
        // What was given up meanwhile is another worker's.
        if (this.#states.get(state.partition) === state) state.name(snapshot);
      },
      onFailure: (message) => {
        this.counts.failedSnapshots++;
        onWarning(message);
      },
    });
  }

  /** Ready while the worker is in its group, and emits the records of what it has, also if that is nothing. */
  get phase(): 'loading' | 'ready' | 'draining' {
    if (this.#signal?.aborted) return 'draining';
    const isReplaying = [...this.#states.values()].some(({ isReplayed }) => !isReplayed);
    const isWaiting = performance.now() - this.#stepBeganAt > WAITING_MILLISECONDS;
    return this.#held.isOpen && !isReplaying && !isWaiting ? 'ready' : 'loading';
  }

  /** The partitions that the worker has. */
  get states(): ReadonlyMap<number, PartitionState> {
    return this.#states;
  }

  /**
   * Works until the signal. What was read is then written, or will be read again.
   * @throws FirstseenError when it cannot go on exactly; nothing is lost or repeated by a worker that starts again
   */
  async run(signal: AbortSignal): Promise<void> {
    const { client, settings, onWarning } = this.#options;
    await this.#folder.check();
    this.#reader = await openReader(settings.keys, settings.checksMessageKeys);
    this.#signal = signal;
    const { input, output, duplicatesTo = output } = settings.topics;
    const topics = [...new Set([input, output, duplicatesTo])];
    const remade = await RemadeTopics.of({ client, topics, pointers: pointersOf(settings), signal });
    this.#remade = remade;
    const membership = { client, topic: input, held: this.#held, signal, onWarning };
    await workAsMember(membership, (member) => this.#step(member, remade));
  }

  /** @throws FirstseenError E_STATE_DIFFERS for an input that was made again */
  #goOnWith(topic: string): void {
    const { settings, onWarning } = this.#options;
    if (topic === settings.topics.input) throw remadeInput(topic, beginAgain);
    const isPointers = topic === settings.topics.pointers;
    if (isPointers) for (const state of this.#states.values()) state.isChanged = true;
    onWarning(isPointers ? remadePointers(topic) : remadeOutput(topic));
  }

  async #step(member: GroupMember, remade: RemadeTopics): Promise<void> {
    this.#stepBeganAt = performance.now();
    for (const topic of await remade.look()) this.#goOnWith(topic);
    await takeChanges(member, this.#held);
    const { records, ends } = await this.#narrowing.fetch(member, this.#options.settings.maxRecords);
    const outputs = this.#take(records, ends);
    // What is before the end of a partition that had records may be one that was refused.
    const busy = new Set(outputs.map(({ state }) => state));
    for (const state of this.#states.values()) if (!busy.has(state)) state.skipToEnd(busy.size > 0);
    if (!(await this.#writeAll(member, outputs))) return;
    this.#snapshotting.takeDue(this.#states.values());
    this.#refuse(outputs);
  }

  /**
   * Writes what was emitted. A repetition leaves out the partitions that were given up or lost, so that a change of the group costs no replay.
   * @returns false if an output has refused it, and it is read again to find the record
   */
  #writeAll(member: GroupMember, outputs: readonly EmittedOf[]): Promise<boolean> {
    const { counts } = this;
    const { onWarning } = this.#options;
    const isHeld = ({ state }: EmittedOf) => this.#states.get(state.partition) === state;
    const isUncommitted = ({ state }: EmittedOf) => state.position > state.committedPosition;
    const write = () =>
      this.#write(
        member,
        outputs.filter((output) => isHeld(output) && isUncommitted(output)),
      );
    const records = outputs.flatMap((output) => output.records);
    const send = (some: ReadonlySet<KafkaRecord>) => this.#send(member, outputs, (record) => some.has(record));
    return this.#narrowing.write(member, { held: this.#held, write, counts, onWarning, records, send });
  }

  #close(partitions: readonly number[]): void {
    this.#narrowing.forget(partitions);
    for (const partition of partitions) {
      this.#states.get(partition)?.close();
      this.#states.delete(partition);
    }
  }

  async #open(
    member: GroupMember,
    partitions: readonly number[],
    begin: (positions: ReadonlyMap<number, number>) => void | Promise<void>,
  ): Promise<void> {
    const opened = partitions.length > 0 ? await this.#openStates(member, partitions) : [];
    await begin(new Map(opened.map(({ partition, next }) => [partition, next])));
    this.#tellOpened(partitions);
  }

  async #openStates(member: GroupMember, partitions: readonly number[]): Promise<readonly PartitionState[]> {
    const { client, settings, onWarning } = this.#options;
    await checkTopics(client, settings, 'E_KAFKA');
    const committed = await member.committed(partitions);
    const reading = { reader: this.#reader as Reads, times: this.counts.times };
    const opened = await openPartitions(
      { client, member, settings, folder: this.#folder, onWarning, ...reading },
      committed,
    );
    for (const state of opened) this.#states.set(state.partition, state);
    return opened;
  }

  #tellOpened(partitions: readonly number[]): void {
    if (partitions.length === 0) return;
    const left = partitions.reduce((sum, partition) => sum + (this.#states.get(partition)?.replayLeft ?? 0), 0);
    const { unpacks, keys } = this.#options.settings;
    const unit = unpacks ? 'container' : keys.isBatch ? 'message' : 'record';
    const numbers = [...partitions].sort((one, other) => one - other).join(', ');
    this.#options.onNotice(
      `the worker has the partition${partitions.length === 1 ? '' : 's'} ${numbers}; it reads ${formatCounted(left, unit)} again`,
    );
  }

  #take(records: readonly KafkaRecord[], ends: ReadonlyMap<number, number>): EmittedOf[] {
    const outputs: EmittedOf[] = [];
    for (const [partition, list] of byPartition(records)) {
      const state = this.#states.get(partition);
      // Records of a partition that was given up were read before.
      if (state === undefined) continue;
      const output = this.#takeOf(state, list);
      outputs.push({ ...output, state });
      this.counts.replayed += list.length - output.taken;
    }
    for (const [partition, end] of ends) this.#states.get(partition)?.reachEnd(end);
    return outputs;
  }

  #takeOf(state: PartitionState, records: readonly KafkaRecord[]): Outcomes {
    try {
      const output = state.take(records);
      for (const [i, record] of output.records.entries())
        if (this.#narrowing.isDropped(record)) output.outcomes[i] = 'dropped';
      return output;
    } catch (error) {
      throw inGroup(error);
    }
  }

  /** Writes what was emitted, as one transaction. */
  async #write(member: GroupMember, outputs: readonly Outcomes[]): Promise<void> {
    const changed = this.#changed();
    if (changed.length === 0) return;
    const began = performance.now();
    await member.begin();
    // The client asks the brokers to add each partition to the transaction. If the pointers came last, the commit would wait for that.
    await this.#sendPointers(member, changed);
    await this.#send(member, outputs);
    await member.commit(new Map(changed.map(({ pointer: { partition, position } }) => [partition, position])));
    this.counts.commitSeconds += (performance.now() - began) / 1000;
    this.counts.committed++;
    for (const { outcomes, sizes } of outputs) {
      for (const [i, outcome] of outcomes.entries()) this.counts.records[outcome] += sizes[i] as number;
    }
    for (const one of changed) await this.#settle(one);
  }

  async #send(
    member: GroupMember,
    outputs: readonly Outcomes[],
    isSent: (record: KafkaRecord) => boolean = () => true,
  ): Promise<void> {
    for (const { records, outcomes } of outputs) {
      for (let i = 0; i < outcomes.length; i++) {
        const topic = this.#topicsOf[outcomes[i] as Outcome];
        const record = records[i] as KafkaRecord;
        if (topic === undefined || !isSent(record)) continue;
        const full = member.send(topic, record.partition, record);
        if (full) await full;
      }
    }
  }

  /** The partitions that have to be committed. */
  #changed(): ChangedPartition[] {
    const states = [...this.#states.values()].filter(({ isChanged }) => isChanged);
    return states.map((state) => ({ state, pointer: state.pointer(this.#options.settings.topics.input, this.#asked) }));
  }

  #sendPointers(member: GroupMember, changed: readonly ChangedPartition[]): Promise<void> {
    const next = changed.map(({ state, pointer }) => ({ pointer, committedPosition: state.committedPosition }));
    return sendPointers(member, pointersOf(this.#options.settings), next);
  }

  /** The pointer is committed: it names all files that are needed. */
  async #settle({ state, pointer }: ChangedPartition): Promise<void> {
    await this.#folder.remove(state.settle(pointer));
    if (!state.hasOrphans) return;
    state.hasOrphans = false;
    await this.#folder.removeOthers(
      pointer,
      [...pointer.snapshots, ...state.snapshots],
      state.openedAt - MARGIN_MILLISECONDS,
    );
  }

  /** @throws FirstseenError for a record that a policy refuses, after those before it were written */
  #refuse(outputs: readonly Outcomes[]): void {
    const refused = outputs.find(({ failure }) => failure !== undefined);
    if (refused) throw refused.failure;
  }
}
