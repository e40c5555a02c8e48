// What the commands of all clients did: how many there were in the last second, and how long they took in the last minute.

import { commandSecondsLimits, Histogram } from '../../monitor/histogram.js';

/** Looks that are kept, one a second. */
const LOOKS = 60;

/** The counts of a server's commands. */
export interface CommandCounts {
  readonly commands: number;
  readonly errors: number;
  readonly commandSeconds: Histogram;
}

/** A second. */
export interface CommandRates {
  commands: number;
  /** Commands that were answered with an error. */
  errors: number;
  /** Keys that detectors refused. */
  refusals: number;
}

/** Seconds within which a share of the commands was answered: the limit of a bucket. Infinite beyond the last one. */
export interface CommandTimes {
  half: number;
  most: number;
}

/** The share of `most`. */
const MAX_SHARE = 0.99;

export class CommandHistory {
  readonly #counts: CommandCounts;
  /** The counts of the histogram at the last looks, the oldest first. */
  readonly #looks: number[][] = [];
  #counted: Pick<CommandCounts, 'commands' | 'errors'>;
  /** Those of the last second. */
  rates: CommandRates = { commands: 0, errors: 0, refusals: 0 };

  constructor(counts: CommandCounts = { commands: 0, errors: 0, commandSeconds: new Histogram(commandSecondsLimits) }) {
    this.#counts = counts;
    this.#counted = { commands: counts.commands, errors: counts.errors };
    this.#keep();
  }

  /** Notes the counts. @param seconds the time since the last look @param refusals the keys that were refused a second */
  look(seconds: number, refusals: number): void {
    const { commands, errors } = this.#counts;
    this.rates = {
      commands: (commands - this.#counted.commands) / seconds,
      errors: (errors - this.#counted.errors) / seconds,
      refusals,
    };
    this.#counted = { commands, errors };
    this.#keep();
  }

  /** The times of the last minute; undefined if no command came. */
  get times(): CommandTimes | undefined {
    const [oldest = []] = this.#looks;
    const latest = this.#looks.at(-1) as number[];
    const recent = latest.map((count, i) => count - (oldest[i] as number));
    const all = recent.reduce((sum, count) => sum + count, 0);
    return all === 0 ? undefined : { half: this.#within(recent, all / 2), most: this.#within(recent, all * MAX_SHARE) };
  }

  #keep(): void {
    this.#looks.push([...this.#counts.commandSeconds.counts]);
    if (this.#looks.length > LOOKS + 1) this.#looks.shift();
  }

  /** The limit of the bucket in which a number of values is reached. */
  #within(counts: readonly number[], values: number): number {
    let below = 0;
    const bucket = counts.findIndex((count) => {
      below += count;
      return below >= values;
    });
    return this.#counts.commandSeconds.limits[bucket] ?? Number.POSITIVE_INFINITY;
  }
}
