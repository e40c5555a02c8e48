// Claims by the commands of Redis, which have no token: a value says whose the claim is, and is not compared.

import { FirstseenError } from '../../base/errors.js';
import { isLease } from '../../claims/lease.js';
import { abortEach, type Claiming, claimEach, commitEach, settleOne } from '../operations/claimeach.js';
import { spanAt } from '../resp/batch.js';
import { writeError } from './errors.js';
import type { MappedClaims } from './mapped.js';
import type { CommandContext, NextCommands } from './row.js';

/** The argument of SET that is the token of the claim. */
export const VALUE = 2;

/** The keys of a batch, and the replies to SET. */
interface MappedKeys {
  readonly next: NextCommands;
  readonly context: CommandContext;
  readonly ok: Buffer;
  readonly none: Buffer;
}

/** Claims keys as `SET NX PX`: OK, or null for a key that is held or committed. @returns the number of keys that were answered */
export function claimMapped(claiming: Claiming, leaseMilliseconds: number, mapped: MappedKeys): number {
  const { next, context, ok, none } = mapped;
  const { commands, index, writer, keys, tokens } = next;
  const tokenOf = (i: number) => tokens.of(commands.bytes, ...spanAt(commands, index + i, VALUE));
  // Many programs give all keys the same value, so a claim with the value of the holder is that of another program, and no retry.
  return claimEach(claiming, keys, { leaseMilliseconds, isRepeatable: false, tokenOf }, (_, outcome) => {
    if (outcome instanceof FirstseenError) writeError(next, outcome, context);
    else writer.bytes(isLease(outcome) ? ok : none);
  });
}

/** Marks keys seen, as `SET` without NX: whoever holds them, and if nobody does. @returns the number of keys that were answered */
export function commitMapped(claiming: Claiming, { next, context, ok }: MappedKeys): number {
  return commitEach(claiming, next.keys, { holds: () => true, marksAll: true }, (_, isDone) => {
    if (isDone instanceof FirstseenError) writeError(next, isDone, context);
    else next.writer.bytes(ok);
  });
}

/** Frees a key, as DEL: whoever holds it. @returns whether it was held */
export function abortMapped(claiming: Claiming, key: Uint8Array): boolean {
  return settleOne(abortEach, claiming, key, { holds: () => true });
}

/** The reply to GET: the value of a claim, the word of the map for a committed key, or null. */
export function valueMapped(claiming: MappedClaims, key: Uint8Array): Buffer | string | null {
  const { entry, claims } = claiming;
  claims.advance();
  const holder = claims.holding.get(entry.detector.fingerprint(key));
  if (holder?.token !== undefined) return Buffer.from(holder.token, 'latin1');
  return isCommitted(claiming, key) ? claiming.map.committed : null;
}

export function isCommitted({ entry }: Claiming, key: Uint8Array): boolean {
  entry.keepTime();
  return entry.detector.has(key);
}

/** Milliseconds until the claim of a key ends; undefined if none holds it. */
export function remainingOf({ entry, claims }: Claiming, key: Uint8Array): number | undefined {
  const time = claims.advance();
  const holder = claims.holding.get(entry.detector.fingerprint(key));
  return holder && Math.ceil(holder.expiresAt - time);
}

export function isHeld({ entry, claims }: Claiming, key: Uint8Array): boolean {
  return claims.isHeld(entry.detector.fingerprint(key));
}
