// Why a worker does not move: its calls of the client are watched, and what it hears of the partitions that it reads
// (docs/decisions/130-why-a-worker-stands-still.md).

import { setTimeout as sleep } from 'node:timers/promises';
import { formatCounted } from '../../base/count.js';
import type { Fetched, GroupChange, KafkaClient, KafkaRecord } from '../../io/kafka/contract.js';
import { isUnanswered } from '../../io/kafka/errors.js';

/** The causes that can hold a worker up. */
export const reasons = ['brokers', 'group', 'input', 'output', 'disk'] as const;
export type Reason = (typeof reasons)[number];

/** A cause that holds a worker up, and its duration. */
export interface Holdup {
  /** The half of a worker that has two. */
  half?: string | undefined;
  reason: Reason;
  text: string;
  milliseconds: number;
}

/** A cause that a check has found to hold a worker up. */
interface Finding {
  reason: Reason;
  text: string;
  /** The time from which on the worker has not moved. */
  since: number;
  /** Tells if it has not moved since it was found. */
  isStill: () => boolean;
}

/** Time after which standing still is told. Brokers that change take some seconds. */
const TOLD_MILLISECONDS = 30_000;
/** Time after which a worker that is not ready says what it waits for. */
const WAITING_MILLISECONDS = 3000;
const CHECK_MILLISECONDS = 10_000;
/** Brokers that answer at all say within this time where a partition ends. */
const ANSWER_MILLISECONDS = 5000;

export interface HoldupOptions {
  /** The half that is watched, of a worker that has two. */
  half?: string | undefined;
  /** The topic that is read. */
  topic: string;
  /** Asks where partitions end. */
  client: Pick<KafkaClient, 'bounds'>;
  onWarning: (message: string) => void;
  /** A clock, in milliseconds. */
  now?: () => number;
}

/** A call that has not returned. */
interface Call {
  reason: Reason;
  doing: string;
  since: number;
}

/** Transactions that were aborted, one after the other. */
interface Aborts {
  /** The begin of the first of them. */
  since: number;
  /** The end of the last of them. */
  at: number;
  problem: string;
}

/** The last response of the brokers for a partition that is read. */
interface Heard {
  at: number;
  /** Its end, if that was heard last. */
  end: number | undefined;
  /** The time at which the brokers said that there is more after that end. */
  behindSince?: number;
}

export class Holdups {
  readonly #options: HoldupOptions;
  readonly #now: () => number;
  readonly #calls = new Set<Call>();
  readonly #heard = new Map<number, Heard>();
  #paused: ReadonlySet<number> = new Set();
  #lastCallAt: number;
  #lastRecordAt: number;
  /** The time of the last request for records. */
  #lastFetchAt: number;
  /** The time at which it became a member without an assignment, not even an empty one. */
  #unassignedSince: number | undefined;
  /** The begin of the last transaction. */
  #beganAt = 0;
  #aborts: Aborts | undefined;
  /** A question for the end of a partition that is not answered. While there is one, nothing else is asked: each takes a thread of the process. */
  #question: Promise<number | undefined> | undefined;
  #lastAnswerAt: number;
  /** The time of the first of the requests to brokers that have failed one after the other. */
  #unansweredSince: number | undefined;
  #found: Finding | undefined;

  constructor(options: HoldupOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#lastCallAt = this.#now();
    this.#lastRecordAt = this.#lastCallAt;
    this.#lastFetchAt = this.#lastCallAt;
    this.#lastAnswerAt = this.#lastCallAt;
  }

  /** The cause that holds the worker up, as the last check has found it; undefined once the worker has moved since. */
  get current(): Holdup | undefined {
    if (!this.#found?.isStill()) return undefined;
    const { reason, text, since } = this.#found;
    return { half: this.#options.half, reason, text, milliseconds: this.#now() - since };
  }

  /** The call that the worker waits for, if it has not returned for some seconds. It may not hold the worker up yet. */
  get waiting(): Holdup | undefined {
    const [call] = this.#calls;
    const milliseconds = this.#now() - (call?.since ?? Number.POSITIVE_INFINITY);
    if (call === undefined || milliseconds < WAITING_MILLISECONDS) return undefined;
    return { half: this.#options.half, reason: call.reason, text: call.doing, milliseconds };
  }

  async during<Value>(
    reason: Reason,
    doing: string,
    request: () => Promise<Value>,
    since = this.#now(),
  ): Promise<Value> {
    const call = { reason, doing, since };
    this.#calls.add(call);
    try {
      return await request();
    } finally {
      this.#calls.delete(call);
      this.#lastCallAt = this.#now();
    }
  }

  /** A request to brokers. One that is made again because nobody has answered it waits since the first time. */
  async asking<Value>(doing: string, request: () => Promise<Value>): Promise<Value> {
    const since = this.#unansweredSince ?? this.#now();
    try {
      const value = await this.during('brokers', doing, request, since);
      this.#unansweredSince = undefined;
      return value;
    } catch (error) {
      this.#unansweredSince = isUnanswered(error) ? since : undefined;
      throw error;
    }
  }

  begun(): void {
    this.#beganAt = this.#now();
  }

  committed(): void {
    this.#aborts = undefined;
  }

  aborted(problem: string): void {
    this.#aborts = { since: this.#aborts?.since ?? this.#beganAt, at: this.#now(), problem };
  }

  joined(): void {
    this.#heard.clear();
    this.#aborts = undefined;
    this.#unassignedSince = this.#now();
  }

  changed(changes: readonly GroupChange[]): void {
    // What was not committed may be another worker's now.
    if (changes.length > 0) this.#aborts = undefined;
    for (const { kind } of changes) this.#unassignedSince = kind === 'lost' ? this.#now() : undefined;
  }

  started(partitions: Iterable<number>): void {
    for (const partition of partitions) this.#heard.set(partition, { at: this.#now(), end: undefined });
  }

  stopped(partitions: readonly number[]): void {
    for (const partition of partitions) this.#heard.delete(partition);
  }

  paused(partitions: ReadonlySet<number>): void {
    for (const partition of this.#paused) if (!partitions.has(partition)) this.started([partition]);
    this.#paused = partitions;
  }

  fetched({ records, ends }: Fetched): void {
    const at = this.#now();
    this.#lastFetchAt = at;
    if (records.length > 0) this.#lastRecordAt = at;
    for (let i = 0; i < records.length; i++) {
      const { partition } = records[i] as KafkaRecord;
      if (records[i + 1]?.partition !== partition) this.#hear(partition, { at, end: undefined });
    }
    for (const [partition, end] of ends) this.#hear(partition, { at, end });
  }

  #hear(partition: number, heard: Heard): void {
    if (this.#heard.has(partition)) this.#heard.set(partition, heard);
  }

  /** Looks what holds the worker up, and tells it once. @param signal ends the wait for an answer of brokers */
  async check(signal?: AbortSignal): Promise<void> {
    const before = this.current;
    this.#found = await this.#find(signal);
    const { current } = this;
    if (current !== undefined && current.reason !== before?.reason) this.#options.onWarning(holdupText(current));
  }

  async #find(signal: AbortSignal | undefined): Promise<Finding | undefined> {
    const [call] = this.#calls;
    const waiting = (call && this.#findCall(call)) ?? this.#findAborts();
    if (waiting) return this.#orBrokers(waiting, signal);
    const { topic } = this.#options;
    const [idleSince, disk] = [this.#lastCallAt, 'the folder of its snapshots does not answer, or is slow'];
    const isIdle = () => this.#calls.size === 0 && this.#lastCallAt === idleSince;
    const idle = call ? undefined : this.#after(idleSince, 'disk', disk, isIdle);
    if (idle) return idle;
    if (this.#unassignedSince !== undefined) return this.#findUnassigned(this.#unassignedSince, signal);
    const read = [...this.#heard].filter(([partition]) => !this.#paused.has(partition));
    // While others send much, a partition may have to wait for its turn.
    const areOthersSilent = this.#lastFetchAt - this.#lastRecordAt >= TOLD_MILLISECONDS;
    for (const [partition, heard] of areOthersSilent ? read : []) {
      const { at, end } = heard;
      if (end !== undefined || this.#lastFetchAt - at < TOLD_MILLISECONDS) continue;
      const doing = `the brokers send nothing of partition ${partition} of ${topic}, not even its end`;
      return this.#after(at, 'brokers', doing, () => this.#heard.get(partition) === heard);
    }
    const quiet = read.filter(([, { at }]) => this.#lastFetchAt - at >= TOLD_MILLISECONDS - CHECK_MILLISECONDS);
    return this.#findOpen(quiet, signal);
  }

  #findCall(call: Call): Finding | undefined {
    const { reason, doing, since } = call;
    const isAskedAgain = () => reason === 'brokers' && this.#unansweredSince === since;
    return this.#after(since, reason, doing, () => this.#calls.has(call) || isAskedAgain());
  }

  /** Returns the cause that holds a worker up, or brokers that do not answer at all, whatever is asked of them. */
  async #orBrokers(finding: Finding, signal: AbortSignal | undefined): Promise<Finding> {
    if ((await this.#endOf(0, signal)) !== undefined || signal?.aborted) return finding;
    const { since, text, isStill } = finding;
    return { reason: 'brokers', text: `they do not answer, while ${text}`, since, isStill };
  }

  /** A member loses its partitions when brokers do not answer, and also when its group gives them to others. */
  async #findUnassigned(since: number, signal: AbortSignal | undefined): Promise<Finding | undefined> {
    const doing = 'the group assigns no partitions to it: another member may hold them, and not answer';
    const finding = this.#after(since, 'group', doing, () => this.#unassignedSince === since);
    if (finding === undefined || (await this.#endOf(0, signal)) !== undefined) return finding;
    return this.#unanswered(0, finding) ?? finding;
  }

  /** Brokers that have not said where a partition ends. @param since the time from which on the worker does not move */
  #unanswered(partition: number, { since, isStill }: Pick<Finding, 'since' | 'isStill'>): Finding | undefined {
    const doing = `the brokers do not say where partition ${partition} of ${this.#options.topic} ends`;
    const answeredAt = this.#lastAnswerAt;
    const isUnansweredStill = () => isStill() && this.#lastAnswerAt === answeredAt;
    return this.#after(Math.max(since, answeredAt), 'brokers', doing, isUnansweredStill);
  }

  /** Each of many transactions ends soon, so no call takes long, and yet nothing is committed. */
  #findAborts(): Finding | undefined {
    if (this.#aborts === undefined) return undefined;
    const { since, at, problem } = this.#aborts;
    // One that is not repeated holds nothing up.
    if (this.#now() - at >= TOLD_MILLISECONDS) return undefined;
    const isStill = () => this.#aborts?.since === since;
    return this.#after(since, 'output', `transactions are aborted: ${problem}`, isStill);
  }

  #after(since: number, reason: Reason, text: string, isStill: () => boolean): Finding | undefined {
    return this.#now() - since < TOLD_MILLISECONDS ? undefined : { reason, text, since, isStill };
  }

  /** Looks for partitions that have more than what is committed: an open transaction holds back what is after its begin. */
  async #findOpen(
    quiet: readonly (readonly [number, Heard])[],
    signal: AbortSignal | undefined,
  ): Promise<Finding | undefined> {
    const { topic } = this.#options;
    for (const [partition, heard] of quiet) {
      const { at, end, behindSince } = heard;
      if (end === undefined) continue;
      const isStill = () => this.#heard.get(partition) === heard;
      const high = await this.#endOf(partition, signal);
      if (high === undefined) return this.#unanswered(partition, { since: at, isStill });
      if (high <= end || !isStill()) continue;
      // It may have come a moment ago: it has to be missing from what is fetched later.
      heard.behindSince ??= this.#now();
      if (behindSince === undefined || this.#lastFetchAt < behindSince) continue;
      const text = `${formatCounted(high - end, 'offset')} of partition ${partition} of ${topic} from ${end} on wait for a transaction that its producer has not ended`;
      return this.#after(at, 'input', text, isStill);
    }
    return undefined;
  }

  /** The end of a partition, for who reads what is not committed too; undefined if the brokers do not say it soon. */
  async #endOf(partition: number, signal: AbortSignal | undefined): Promise<number | undefined> {
    if (this.#question) return undefined;
    const { client, topic } = this.#options;
    const question = client.bounds(topic, partition).then(
      ({ high }) => {
        this.#lastAnswerAt = this.#now();
        return high;
      },
      () => undefined,
    );
    this.#question = question;
    void question.finally(() => {
      this.#question = undefined;
    });
    const answered = new AbortController();
    const either = AbortSignal.any([answered.signal, ...(signal ? [signal] : [])]);
    const late = sleep(ANSWER_MILLISECONDS, undefined, { ref: false, signal: either }).catch(() => undefined);
    try {
      return await Promise.race([question, late]);
    } finally {
      answered.abort();
    }
  }

  /** Checks until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(CHECK_MILLISECONDS, undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) await this.check(signal);
    }
  }
}

/** Returns the call that a worker waits for, as a line. */
export function waitingText({ half, reason, text, milliseconds }: Holdup): string {
  return `${half ?? 'the worker'} has waited for ${Math.floor(milliseconds / 1000)} s for the ${reason}: ${text}`;
}

/** Returns the cause that holds a worker up, as a line. */
export function holdupText({ half, reason, text, milliseconds }: Holdup): string {
  return `${half ?? 'the worker'} has made no progress for ${Math.floor(milliseconds / 1000)} s, because of the ${reason}: ${text}`;
}
