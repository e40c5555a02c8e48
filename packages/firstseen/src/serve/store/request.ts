// What a detector is made from.

import { isDeepStrictEqual } from 'node:util';
import type { CreateOptions } from '../../plan/keys.js';
import type { FilterGoal } from '../../plan/registry.js';

/** Asks for a secret that nobody else has. */
export const RANDOM_SECRET = 'random';

/** A filter that was reserved for a number of elements. */
export interface Filter extends FilterGoal {
  /** True if it refuses elements beyond its capacity. Otherwise its rate of false positives grows. */
  isNonScaling: boolean;
}

/** A detector whose keys can be held while their records are delivered. */
export interface ClaimsRequest {
  /** The time for which a claim holds its key, unless it says so itself; 30 seconds by default. */
  leaseMilliseconds?: number | undefined;
  /** The most keys that are held at a time; 10,000 by default. */
  pending?: number | undefined;
}

/** The request that a detector is made from. */
export interface DetectorRequest {
  options: CreateOptions;
  filter?: Filter | undefined;
  claims?: ClaimsRequest | undefined;
}

/** A request as it may be written: a secret is in the snapshot, and the request says that it was asked for. */
export function writableRequest(request: DetectorRequest): DetectorRequest {
  const { secret } = request.options;
  return { ...request, options: { ...request.options, secret: secret && RANDOM_SECRET } };
}

/** The options that say what is expected, and decide nothing of a detector that exists. */
const EXPECTATIONS = ['fpr', 'distinctElements', 'lengthElements', 'gapsElements'] as const;

/**
 * Returns a request with the expectations of a later one for the same detector; undefined if none has changed. What the later one leaves out
 * stays.
 */
export function withExpectations(request: DetectorRequest, later: DetectorRequest): DetectorRequest | undefined {
  const changed = EXPECTATIONS.filter((name) => {
    const value = later.options[name];
    return value !== undefined && !isDeepStrictEqual(value, request.options[name]);
  });
  if (changed.length === 0) return undefined;
  const expectations = Object.fromEntries(changed.map((name) => [name, later.options[name]]));
  return { ...request, options: { ...request.options, ...expectations } };
}

/** JSON in which a whole number of 64 bits, such as a seed, is a text. */
export function jsonText(value: object): string {
  return JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? String(member) : member));
}
