// Locks of libraries on keys of maps: what their scripts do is done with claims. The token of the lock is that of the claim.

import { isLease } from '../../claims/lease.js';
import { abortEach, claimOne, extendBy, settleOne } from '../operations/claimeach.js';
import { claimProblems } from '../operations/claimwithin.js';
import { MAX_CLAIM_MILLISECONDS } from '../operations/createoptions.js';
import { ErrorReply, OK, type Reply } from '../resp/replies.js';
import type { ScriptForm, ScriptReply } from '../scripts/forms.js';
import { MAX_TOKEN_BYTES } from '../store/portions.js';
import { BAD_EXPIRY } from './errors.js';
import { wrongTime } from './kept.js';
import type { MappedClaims } from './mapped.js';
import { isCommitted, isHeld, remainingOf } from './mappedclaims.js';

/** A lock has few keys, and each of them is logged with the token. */
export const MAX_LOCK_KEYS = 128;

/** A key of a lock. */
export interface LockKey {
  readonly mapped: MappedClaims;
  readonly key: Buffer;
}

/** The arguments of a script of a lock. */
export interface Lock {
  readonly form: ScriptForm;
  /** Those that the script uses. */
  readonly keys: readonly LockKey[];
  /** A character for each byte. */
  readonly token: string;
  /** Undefined for a script that takes no time. */
  readonly milliseconds: number | undefined;
  /** True if the time is added to what is left of the lease. */
  readonly isAdded: boolean;
  /** The bytes of the token that say whose it is, for a script that compares only these. */
  readonly ownerBytes: number | undefined;
}

const BAD_TOKEN = new ErrorReply(`ERR ${claimProblems.token}`);
const BAD_TIME = new ErrorReply(`ERR ${claimProblems.time}`);
const OTHER_VALUE = new ErrorReply(
  'ERR the key is held by this token with another value, and a claim keeps its value; release it first',
);

/** The token of the claim that holds a key. */
function holderOf({ mapped, key }: LockKey): string | undefined {
  const { entry, claims } = mapped;
  claims.advance();
  return claims.holding.get(entry.detector.fingerprint(key))?.token;
}

function isMine(key: LockKey, token: string): boolean {
  return holderOf(key) === token;
}

function isTaken({ mapped, key }: LockKey): boolean {
  return isHeld(mapped, key) || isCommitted(mapped, key);
}

function release({ mapped, key }: LockKey, token: string): boolean {
  return settleOne(abortEach, mapped, key, { holds: (lease) => lease.token === token });
}

/** Begins the lease of a key again. A time that is over frees the key, as in Redis. */
function extend(lockKey: LockKey, { token, milliseconds = 0, isAdded }: Lock): boolean {
  const { mapped, key } = lockKey;
  const length = milliseconds + (isAdded ? (remainingOf(mapped, key) ?? 0) : 0);
  if (length <= 0) return release(lockKey, token);
  return settleOne(extendBy(length), mapped, key, { holds: (lease) => lease.token === token });
}

/** Changes the keys of a lock: all or none, if the script says so. Returns the number of keys that were changed. */
function changed({ form, keys, token }: Lock, change: (key: LockKey) => boolean): number {
  if (form.keys === 'all' && !keys.every((key) => isMine(key, token))) return 0;
  return keys.filter(change).length;
}

/** Holds all keys, of which none is taken; or none of them, if the claims or the detector have no room. */
function holdAll({ keys, token, milliseconds }: Lock): boolean {
  const held: LockKey[] = [];
  try {
    for (const one of keys) {
      if (!isLease(claimOne(one.mapped, one.key, { token, leaseMilliseconds: milliseconds }))) break;
      held.push(one);
    }
  } finally {
    if (held.length < keys.length) for (const one of held) release(one, token);
  }
  return held.length === keys.length;
}

/**
 * Holds the keys of a lock. Returns the number of keys that are held now; an error for a time that is not that of the
 * lease, as for SET NX.
 */
function acquire(lock: Lock): number | ErrorReply {
  const { keys, token, milliseconds = 0 } = lock;
  if (keys.some(isTaken)) return 0;
  if (token.length === 0 || token.length > MAX_TOKEN_BYTES) return BAD_TOKEN;
  if (milliseconds <= 0) return BAD_EXPIRY;
  for (const { mapped, key } of keys) {
    const wrong = wrongTime(mapped, { milliseconds, isLease: true }, key);
    if (wrong) return wrong;
  }
  return holdAll(lock) ? keys.length : 0;
}

/** Begins the leases again if the token holds all keys; otherwise as `acquire`. */
function renew(lock: Lock): number | ErrorReply {
  const { keys, token, ownerBytes } = lock;
  if (keys.every((key) => isMine(key, token))) return actions.extend(lock);
  const owner = token.slice(0, ownerBytes);
  const isOwner = ownerBytes !== undefined && keys.every((key) => holderOf(key)?.startsWith(owner));
  return isOwner ? OTHER_VALUE : acquire(lock);
}

/** The number of keys, or of milliseconds, that a script finds; 0 if it does nothing. */
const actions: Readonly<Record<ScriptForm['action'], (lock: Lock) => number | ErrorReply>> = {
  release: (lock) => changed(lock, (key) => release(key, lock.token)),
  extend: (lock) => changed(lock, (key) => extend(key, lock)),
  acquire,
  renew,
  remaining({ keys, token }) {
    const { mapped, key } = keys.at(-1) as LockKey;
    return keys.every((one) => isMine(one, token)) ? (remainingOf(mapped, key) ?? 0) : 0;
  },
};

function replyOf(reply: ScriptReply, count: number): Reply {
  if (reply === 'OK') return OK;
  return reply === 'found' ? count : reply;
}

/** Does what a script does, and replies what it replies. */
export function runLock(lock: Lock): Reply {
  const { form, keys, milliseconds } = lock;
  if (milliseconds !== undefined && milliseconds > MAX_CLAIM_MILLISECONDS) return BAD_TIME;
  const outcome = actions[form.action](lock);
  if (outcome instanceof ErrorReply) return outcome;
  if (outcome > 0) return replyOf(form.done, outcome);
  const isFree = form.free !== undefined && !keys.some(isTaken);
  return replyOf(isFree ? (form.free as ScriptReply) : form.otherwise, 0);
}
