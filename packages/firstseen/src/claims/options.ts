// The options of claims.

import { checkBytes, checkFunctions, checkWhole, millisecondsOf, type OptionNames } from '../base/check.js';
import { formatCount } from '../base/count.js';
import type { AllGiven } from '../base/defined.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';

const DEFAULT_PENDING = 10_000;
export const DEFAULT_LEASE_MILLISECONDS = 30_000;
/** Half of what a JavaScript map can hold, because a map keeps deleted entries for a while. */
const MAX_PENDING = 2 ** 23;

/** The options of claims. All are optional. */
export interface ClaimsOptions {
  /**
   * The maximum number of pending keys, 1 to 2^23; the default is 10,000. Keys that streams deliver do not count: each stream has
   * a maximum of its own.
   */
  pending?: number | undefined;
  /**
   * The time for which a claim holds its key: a duration such as `30s`, the default, or a number of milliseconds. With
   * `Infinity` a claim never expires.
   */
  lease?: number | string | undefined;
  /**
   * Memory for the answers of committed claims and for what tells bodies apart, in bytes or as text such as `16MiB`; 0 by default. When it
   * is full, the oldest answers leave. An eighth of it is for the bodies of their keys, 16 bytes each, which stay longer. Snapshots have
   * neither.
   */
  answers?: number | string | undefined;
  /**
   * The clock of the leases, in milliseconds of any origin; the default is `performance.now()`. A clock that steps back counts as stopped.
   * A window that is a duration has the clock of its detector.
   */
  now?: (() => number) | undefined;
}

export const claimsOptionNames: OptionNames<ClaimsOptions> = {
  pending: true,
  lease: true,
  answers: true,
  now: true,
};

/** @throws FirstseenError E_PARAMETER unless this number of keys can be pending. */
export function checkPending(option: string, count: number): number {
  return checkWhole(option, count, { least: 1, most: MAX_PENDING });
}

function systemTime(): number {
  return performance.now();
}

/** The lease is in milliseconds, and the memory of answers in bytes. */
export type FilledClaimsOptions = AllGiven<Omit<ClaimsOptions, 'lease' | 'answers'>> & {
  lease: number;
  answers: number;
};

/** Milliseconds of a lease. @throws FirstseenError E_PARAMETER. */
function leaseOf({ lease }: ClaimsOptions): number | undefined {
  return lease === undefined ? undefined : millisecondsOf('lease', lease);
}

/** @throws FirstseenError E_PARAMETER; E_MEMORY unless `answers` is a size. */
export function filled(asked: ClaimsOptions): FilledClaimsOptions {
  const { pending = DEFAULT_PENDING, answers = 0, now = systemTime } = asked;
  checkFunctions({ now });
  return {
    pending: checkPending('pending', pending),
    lease: leaseOf(asked) ?? DEFAULT_LEASE_MILLISECONDS,
    answers: checkBytes('answers', answers),
    now,
  };
}

/** @throws FirstseenError E_PARAMETER when an option was given that differs from those of the table. */
export function checkSame(currentOptions: FilledClaimsOptions, askedOptions: ClaimsOptions): void {
  const { answers } = askedOptions;
  const bytes = answers === undefined ? undefined : checkBytes('answers', answers);
  const comparedOptions = { ...askedOptions, lease: leaseOf(askedOptions), answers: bytes };
  for (const name of ['pending', 'lease', 'answers', 'now'] as const) {
    if (comparedOptions[name] === undefined || comparedOptions[name] === currentOptions[name]) continue;
    const option = optionName(name);
    const difference =
      name === 'now'
        ? phrase`another ${option}`
        : phrase`${option} ${currentOptions[name]}, not ${comparedOptions[name]}`;
    throw new FirstseenError('E_PARAMETER', phrase`the detector already has claims with ${difference}`, {
      option: name,
      given: comparedOptions[name],
      remedy: 'a detector has one table of claims: give the same options, or none',
    });
  }
}

/** The time of the clock. @throws FirstseenError E_PARAMETER when it returns none. */
export function timeOf({ now }: FilledClaimsOptions): number {
  const time = now();
  if (Number.isFinite(time)) return time;
  throw new FirstseenError('E_PARAMETER', phrase`${optionName('now')} returned ${String(time)}`, {
    option: 'now',
    given: time,
    expected: 'a number of milliseconds',
    remedy: 'return a number of milliseconds',
  });
}

/** The error for a claim when this maximum number of keys is pending. */
export function fullOfClaims(pending: number): FirstseenError {
  return new FirstseenError(
    'E_CLAIMS_FULL',
    phrase`a new key was claimed, but ${formatCount(pending)} keys are pending, the maximum`,
    { remedy: phrase`commit or abort a claim, wait for a lease to expire, or raise ${optionName('pending')}` },
  );
}
