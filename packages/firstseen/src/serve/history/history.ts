// What the detectors of a server did over time: all together, and a bounded number of them one by one.

import { runInTurns, type Steps } from '../../base/steps.js';
import type { DetectorEntry } from '../store/entry.js';
import type { DetectorStore } from '../store/store.js';
import { type CommandCounts, CommandHistory } from './commandhistory.js';
import { type Counted, countAgain, countFirst, type Incidents, type RecordRates } from './counted.js';
import { fullnessNow } from './fullness.js';
import { type Moment, type PointsOfTime, spans } from './points.js';
import { Series } from './series.js';

/** Detectors with a history. If there are more, those that were looked at last have one. */
export const MAX_HISTORIES = 128;
const MILLISECONDS = 1000;
/** Detectors that are looked at in a step. */
const STEP_DETECTORS = 64;
/** Seconds between two looks at a witness, which take a quarter of a millisecond each. */
const WITNESS_SECONDS = 10;

interface Held {
  readonly series: Series;
  /** The second in which it was looked at last. */
  lookedAt: number;
}

export interface HistoryOptions {
  /** The clock, in milliseconds: that of the machine by default. */
  now?: () => number;
  /** The counts of the server's commands. */
  counts?: CommandCounts;
}

export class History {
  readonly #store: DetectorStore;
  readonly #now: () => number;
  /** The history of the commands of all clients. */
  readonly commands: CommandHistory;
  readonly #totals = new Series();
  readonly #held = new Map<DetectorEntry, Held>();
  readonly #counted = new WeakMap<DetectorEntry, Counted>();
  readonly #moments = { recent: [] as number[], day: [] as number[] };
  readonly #listeners = new Set<() => void>();
  #second = 0;
  #lookedAt: number;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isStopped = false;

  constructor(store: DetectorStore, { now = Date.now, counts }: HistoryOptions = {}) {
    this.#store = store;
    this.#now = now;
    this.commands = new CommandHistory(counts);
    this.#lookedAt = now();
  }

  /** Begins to look at the detectors each second. What they did before is in no rate. */
  start(): void {
    for (const entry of this.#store.list()) this.#counted.set(entry, countFirst(entry, undefined));
    this.#lookedAt = this.#now();
    this.#timer = setInterval(() => void this.#lookInTurns(), MILLISECONDS);
    this.#timer.unref();
  }

  /** Ends it, and tells those that listen. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Bytes of the numbers that are kept. */
  get bytes(): number {
    return this.#totals.bytes + [...this.#held.values()].reduce((sum, { series }) => sum + series.bytes, 0);
  }

  get totals(): Series {
    return this.#totals;
  }

  /** The number of seconds that were looked at. */
  get second(): number {
    return this.#second;
  }

  /** The rates of a detector; undefined before it was looked at. */
  ratesOf(entry: DetectorEntry): RecordRates | undefined {
    return this.#counted.get(entry);
  }

  /** Returns the incidents of a detector in the minutes that are kept. */
  incidentsOf(entry: DetectorEntry): Incidents {
    const { lookOf } = this.#counted.get(entry) ?? {};
    const isRecent = (look: number | undefined) => look !== undefined && this.#second - look <= spans.recent.points;
    return {
      isRefusing: isRecent(lookOf?.isRefusing),
      isLate: isRecent(lookOf?.isLate),
      isShortening: isRecent(lookOf?.isShortening),
      isUnstoring: isRecent(lookOf?.isUnstoring),
    };
  }

  /** The history of a detector that has one. It counts as looked at by nobody. */
  heldSeriesOf(entry: DetectorEntry): Series | undefined {
    return this.#held.get(entry)?.series;
  }

  /** The history of a detector, which it has from now on. */
  seriesOf(entry: DetectorEntry): Series {
    const held = this.#held.get(entry);
    if (held) {
      held.lookedAt = this.#second;
      return held.series;
    }
    if (this.#held.size >= MAX_HISTORIES) this.#held.delete(this.#minWanted());
    return this.#hold(entry, this.#second);
  }

  /** The points of a history from a second on. */
  pointsOf(series: Series, from = 0): PointsOfTime {
    const { recent, day } = this.#moments;
    const { seconds } = spans.day;
    const counts = {
      recent: Math.min(this.#second - from, recent.length),
      day: Math.min(Math.floor(this.#second / seconds) - Math.floor(from / seconds), day.length),
    };
    const points = series.latestPoints(this.#second, counts);
    return { times: { recent: latestOf(recent, counts.recent), day: latestOf(day, counts.day) }, points };
  }

  /** Calls back after each look, and when there are no more. @returns a function that ends it */
  onLook(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Looks at all detectors. Clients are answered in between: to reach the memory of thousands of detectors takes many milliseconds. */
  async #lookInTurns(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    await runInTurns(this.lookInSteps());
    this.#isLooking = false;
  }

  /** Looks at all detectors, some in each step. */
  *lookInSteps(): Steps<void> {
    const now = this.#now();
    const seconds = Math.max(now - this.#lookedAt, 1) / MILLISECONDS;
    this.#lookedAt = now;
    const sum = { records: 0, duplicates: 0, pending: 0 };
    let refusals = 0;
    let looked = 0;
    for (const entry of this.#store.list()) {
      if (++looked % STEP_DETECTORS === 0) yield;
      if (this.#isStopped) return;
      // It may have been removed since the look began.
      if (this.#store.find(entry.name) !== entry) continue;
      const rates = this.#count(entry, seconds);
      sum.records += rates.records;
      sum.duplicates += rates.duplicates;
      refusals += rates.refusals;
      sum.pending += entry.claims?.stats().pending ?? 0;
      if (this.#held.size < MAX_HISTORIES && !this.#held.has(entry)) this.#hold(entry, 0);
    }
    this.#putHeld();
    this.commands.look(seconds, refusals);
    const unknown = { falsePositives: Number.NaN, falseNegatives: Number.NaN };
    const fullness = this.#store.usedBytes / this.#store.memoryBytes;
    this.#totals.put(this.#second, { ...sum, ...unknown, fullness });
    this.#keepTime(now);
    this.#second++;
    for (const listener of this.#listeners) listener();
  }

  #count(entry: DetectorEntry, seconds: number): RecordRates {
    const counted = this.#counted.get(entry);
    if (counted) {
      countAgain(counted, entry, seconds, this.#second);
      return counted;
    }
    const first = countFirst(entry, this.#second);
    this.#counted.set(entry, first);
    return first;
  }

  #putHeld(): void {
    let place = 0;
    for (const [entry, { series }] of this.#held) {
      if (this.#store.find(entry.name) !== entry) this.#held.delete(entry);
      // The witnesses take turns, so that no second is long.
      else series.put(this.#second, this.#momentOf(entry, series, place++ % WITNESS_SECONDS));
    }
  }

  #momentOf(entry: DetectorEntry, { latest }: Series, turn: number): Moment {
    const { records, duplicates } = this.#counted.get(entry) as Counted;
    const isTurn = this.#second % WITNESS_SECONDS === turn;
    const { falsePositives, falseNegatives } = isTurn ? measuredRates(entry) : latest;
    return {
      ...{ records, duplicates, falsePositives, falseNegatives },
      fullness: fullnessNow(entry)?.share ?? Number.NaN,
      pending: entry.claims?.stats().pending ?? Number.NaN,
    };
  }

  #hold(entry: DetectorEntry, lookedAt: number): Series {
    const series = new Series();
    this.#held.set(entry, { series, lookedAt });
    return series;
  }

  #minWanted(): DetectorEntry {
    const [first] = [...this.#held].sort(([, one], [, other]) => one.lookedAt - other.lookedAt);
    return (first as [DetectorEntry, Held])[0];
  }

  #keepTime(now: number): void {
    const { recent, day } = this.#moments;
    keepLast(recent, now, spans.recent.points);
    const { seconds, points } = spans.day;
    if (this.#second % seconds === seconds - 1) keepLast(day, now, points);
  }
}

function latestOf(times: readonly number[], count: number): number[] {
  return times.slice(times.length - count);
}

function keepLast(times: number[], time: number, most: number): void {
  times.push(time);
  if (times.length > most) times.shift();
}

function measuredRates({ detector }: DetectorEntry): Pick<Moment, 'falsePositives' | 'falseNegatives'> {
  const { witnessBytes } = detector.settings;
  const witness = witnessBytes > 0 ? detector.statsWithoutLoad().witness : undefined;
  return {
    falsePositives: witness?.falsePositiveRate.estimate ?? Number.NaN,
    falseNegatives: witness?.falseNegativeRate.estimate ?? Number.NaN,
  };
}
