// Input that strangers have written: the detector has a secret.

import { RANDOM_SECRET } from '../fingerprint/secret.js';
import type { PlannedOptions } from '../plan/auto.js';
import type { SharedOptions } from './options.js';

/** The options of a detector, which gets a random secret if the input comes from strangers and no secret was given. */
export function keyedIfUntrusted<Own extends Pick<PlannedOptions, 'secret'>>(
  own: Own,
  { isUntrusted = false, secretFile }: Pick<SharedOptions, 'isUntrusted' | 'secretFile'>,
): Own {
  if (!isUntrusted || secretFile !== undefined || own.secret !== undefined) return own;
  return { ...own, secret: RANDOM_SECRET };
}
