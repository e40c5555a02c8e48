// Claims by the commands of Redis, which have no token: a value says whose the claim is, and is not compared.

import { ErrorReply, OK, type Reply } from '../resp/replies.js';
import { MOST_TOKEN_BYTES } from '../store/portions.js';
import { abortClaim, type Claiming, claimNow, commitClaim } from './claims.js';
import type { MappedClaims } from './mapped.js';

const BAD_VALUE = new ErrorReply(`ERR the value of a key that is claimed has 1 to ${MOST_TOKEN_BYTES} bytes`);

interface MappedClaim {
  value: Buffer;
  leaseMilliseconds: number;
}

/** Claims a key as `SET NX PX`. @returns OK, or null for a key that is held or committed */
export function claimMapped(claiming: Claiming, key: Uint8Array, { value, leaseMilliseconds }: MappedClaim): Reply {
  if (value.length === 0 || value.length > MOST_TOKEN_BYTES) return BAD_VALUE;
  const { entry, claims } = claiming;
  // Many programs give all keys the same value, so a claim with the value of the holder is that of another program, and no retry.
  if (claims.isHeld(entry.detector.fingerprint(key))) return null;
  const token = value.toString('latin1');
  const { verdict } = claimNow(claiming, key, { token, leaseMilliseconds });
  return verdict === 'distinct' ? OK : null;
}

/** The token of the claim that holds a key. */
function holderOf({ entry, claims }: Claiming, key: Uint8Array): string | undefined {
  return claims.heldClaim(entry.detector.fingerprint(key))?.token;
}

/** Marks a key seen, as `SET` without NX: whoever holds it, and if nobody does. */
export function commitMapped(claiming: Claiming, key: Uint8Array): Reply {
  const { entry } = claiming;
  const holder = holderOf(claiming, key);
  if (holder !== undefined) commitClaim(claiming, key, holder);
  else {
    entry.keepTime();
    const element = BigUint64Array.of(entry.detector.fingerprint(key));
    entry.detector.observeBatch(element);
    entry.recorder?.observed(entry, element);
  }
  return OK;
}

/** Frees a key, as DEL: whoever holds it. @returns whether it was held */
export function abortMapped(claiming: Claiming, key: Uint8Array): boolean {
  const holder = holderOf(claiming, key);
  return holder !== undefined && abortClaim(claiming, key, holder);
}

/** The reply to GET: the value of a claim, the word of the map for a committed key, or null. */
export function valueMapped(claiming: MappedClaims, key: Uint8Array): Reply {
  const holder = holderOf(claiming, key);
  if (holder !== undefined) return Buffer.from(holder, 'latin1');
  return isCommitted(claiming, key) ? claiming.map.committed : null;
}

export function isCommitted({ entry }: Claiming, key: Uint8Array): boolean {
  entry.keepTime();
  return entry.detector.has(key);
}

export function isHeld({ entry, claims }: Claiming, key: Uint8Array): boolean {
  return claims.isHeld(entry.detector.fingerprint(key));
}
