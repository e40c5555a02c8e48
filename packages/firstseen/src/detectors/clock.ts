// The clock of a detector whose window is a duration: that of the system or of the program, or none, if the program sets the time.

import { checkFunctions, checkWord, type OptionNames } from '../base/check.js';
import { formatDuration } from '../base/duration.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import type { DetectorExports } from '../kernel/abi.js';
import type { ResolvedParameters } from './contract.js';
import { checkTime } from './refusals.js';
import { checkWindow } from './settings.js';
import { witnessWindow } from './witness.js';

export const clockNames = ['system', 'manual'] as const;

/** The source of a detector's time: a clock, or the program. */
export type ClockName = (typeof clockNames)[number];

/** The clock of the system, as it is when it is read: tests replace `Date`. */
export function systemTime(): number {
  return Date.now();
}

/**
 * The clock of a detector whose window is a duration. These options have no effect without a window, and are refused with a window of
 * elements.
 */
export interface ClockOptions {
  /**
   * `system`, the default: each call of the detector has the time of `now`. `manual`: the time is what `advance` sets, and stays until
   * the next `advance`, for times that are in the records.
   */
  clock?: ClockName | undefined;
  /**
   * The clock, in milliseconds since 1970; `Date.now` by default. It is read at most once per call. The time of a detector never goes
   * back. While the clock is behind it by less than the window, the detector waits for it. While the clock is further behind, such as
   * after a snapshot of a machine whose clock was wrong, the time goes on by as much as the clock does.
   */
  now?: (() => number) | undefined;
}

export const clockOptionNames: OptionNames<ClockOptions> = { clock: true, now: true };

/** The options of a clock, beside a window that it may be for. */
type ClockAndWindow = ClockOptions & { window?: number | string | undefined };

/**
 * A number is a number of elements, and not of milliseconds, as that of a lease is.
 * @throws FirstseenError E_PARAMETER when a clock is given beside a window of elements.
 */
export function refuseClock({ window, clock, now }: ClockAndWindow): void {
  if (window === undefined || (clock === undefined && now === undefined)) return;
  const size = checkWindow(window);
  if ('milliseconds' in size) return;
  const duration = formatDuration(size.elements / 1000);
  throw invalidOption({
    ...(clock === undefined ? { option: 'now', given: now } : { option: 'clock', given: clock }),
    expected: phrase`left out, because ${optionName('window')} ${window} counts elements`,
    remedy: phrase`give ${optionName('window')} "${duration}" for a time`,
  });
}

/**
 * The clock that options ask for, as an option of a host; none if the program sets the time.
 * @throws FirstseenError E_PARAMETER for an invalid option, for `now` with a manual clock, and as `refuseClock`.
 */
export function givenClock(options: ClockAndWindow): { now?: () => number } {
  const { clock = 'system', now } = options;
  checkFunctions({ now });
  checkWord('clock', clock, clockNames);
  refuseClock(options);
  if (clock === 'system') return { now: now ?? systemTime };
  if (now) throw invalidOption({ option: 'now', given: now, expected: 'left out, because the clock is manual' });
  return {};
}

/** The other options. A value that is not an object passes, and the check of the other options refuses it. */
export function withoutClock<Options extends ClockOptions>(options: Options): Omit<Options, keyof ClockOptions> {
  if (typeof options !== 'object' || options === null) return options;
  const { clock: _clock, now: _now, ...others } = options;
  return others;
}

/** Turns the readings of a clock into the time of a detector. */
export class Clock {
  readonly now: () => number;
  readonly #windowMilliseconds: number;
  /** The last reading, which may be behind the time of the detector. */
  #reading = Number.NaN;

  constructor(now: () => number, windowMilliseconds: number) {
    this.now = now;
    this.#windowMilliseconds = windowMilliseconds;
  }

  /**
   * Moves the time of a detector to the present.
   * @throws FirstseenError E_PARAMETER for a reading that is not a time.
   */
  keep({ advance, clock }: DetectorExports): void {
    const before = this.#reading;
    const exactTime = this.now();
    checkTime('now', exactTime);
    const reading = Math.floor(exactTime);
    if (reading === before) return;
    this.#reading = reading;
    const time = clock?.() ?? 0;
    if (reading >= time) advance?.(reading);
    // A short way behind, it is a correction of the clock. To go on by what the clock does would count its corrections as time.
    else if (time - reading >= this.#windowMilliseconds && reading > before) advance?.(time + (reading - before));
  }

  /** Forgets the last reading, because the detector begins again. */
  clear(): void {
    this.#reading = Number.NaN;
  }
}

/** The clock of a detector with these parameters; undefined without a window in time, or if the program sets the time. */
export function clockFor(parameters: ResolvedParameters, now: (() => number) | undefined): Clock | undefined {
  return now && parameters.isTimed ? new Clock(now, witnessWindow(parameters).size) : undefined;
}

/** The error for a program that sets the time of a detector that reads a clock. */
export function ownClock(): FirstseenError {
  return new FirstseenError('E_USAGE', 'the time was given, but the detector reads a clock', {
    option: 'clock',
    remedy: phrase`create or load it with ${optionName('clock')} manual`,
  });
}
