// Locks a state for one run: a folder beside the state, in which every run creates an entry with a random name, its token. A run
// creates its entry before it looks for others, and begins only after a look that finds no other, so of two runs at least one sees
// the other (Lamport, A New Solution of Dijkstra's Concurrent Programming Problem, CACM 1974).
//
// A run that cannot see whether the holder of an entry is alive watches whether the entry is renewed. It counts its own looks, so no
// two clocks are compared (Gray and Cheriton, Leases, SOSP 1989). It takes a dead run's entry away by renaming it, which is atomic
// and concerns this entry only, because no other entry ever gets this name. A run whose entry was taken away finds out before it
// writes: its next state is written inside its entry, so that even the rename that commits it fails.

import { lstatSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ErrorDetails, FirstseenError, type Phrase } from '../../base/errors.js';
import { systemPath } from '../system/paths.js';
import { systemDetails, systemProblem } from '../system/systemproblem.js';
import { codeOf, Entry, lockPath, REMOVED, removeLeftover, type Stage, UNFINISHED } from './entry.js';
import { isSameProcess, type Liveness, type Processes, type ProcessIdentity, processesHere } from './processes.js';

/** Time between two looks at the entries of other runs. */
const LOOK_MILLISECONDS = 250;
/** Looks in a row that find an entry unchanged before its holder counts as dead. */
const LEASE_LOOKS = 60;
const LEASE_SECONDS = (LEASE_LOOKS * LOOK_MILLISECONDS) / 1000;
/** Time between two renewals: several fit in a lease. */
const RENEWAL_MILLISECONDS = 3000;

/** A thing that is locked, in the words of errors. */
export interface Locked {
  kind: 'state' | 'data folder';
  path: string;
  /** The program that uses it. */
  user: 'run' | 'server';
  /** The remedy while another one uses it. */
  remedy: string | Phrase;
}

export interface LockOptions {
  /** A state that a run uses by default. */
  locked?: Locked;
  /** Called once if the run has to wait to see whether another run is alive. */
  onWarning?: ((warning: FirstseenError) => void) | undefined;
  /** The processes of this machine by default. */
  processes?: Processes;
  /** Ends the waiting with its reason. */
  signal?: AbortSignal | undefined;
}

function lockError({ kind, path }: Locked, reason: string, details: ErrorDetails): FirstseenError {
  return new FirstseenError('E_STATE_FILE', `cannot use ${kind} ${path}: ${reason}`, details);
}

/** False if there is something of that name. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(systemPath(path), { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

/** Tells if a path is a symbolic link to something that does not exist. */
function isDangling(path: string): boolean {
  const name = systemPath(path);
  const isLink = lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink && statSync(name, { throwIfNoEntry: false }) === undefined;
}

/** The number of times that an entry was found unchanged, and whether it was ever renewed meanwhile. */
interface Watched {
  content: string;
  looks: number;
  wasRenewed: boolean;
}

/** A run that wants the lock, and what it knows about the others. */
class Contender {
  readonly entry: Entry;
  readonly #state: string;
  readonly #locked: Locked;
  readonly #processes: Processes;
  readonly #watched = new Map<string, Watched>();
  #renewals = 0;

  constructor(state: string, locked: Locked, processes: Processes) {
    this.#state = state;
    this.#locked = locked;
    this.#processes = processes;
    this.entry = new Entry(state, crypto.randomUUID());
  }

  /** A run that ends removes the folder, possibly between the two calls. Every retry means that some run has ended. */
  announce(): void {
    do {
      const path = lockPath(this.#state);
      if (!makeFolder(path) && isDangling(path)) {
        throw lockError(this.#locked, `${path} is a symbolic link to nothing`, { remedy: 'remove the link' });
      }
    } while (!this.entry.create(this.#processes.self));
    this.renew('wants');
  }

  /** False if the entry was taken away. */
  renew(stage: Stage): boolean {
    return this.entry.renew(stage, this.#renewals++);
  }

  /** Renews the entry until the returned function is called, but keeps no process alive for it. */
  keepRenewed(stage: Stage): () => void {
    const renewal = setInterval(() => {
      try {
        this.renew(stage);
      } catch {
        // The run finds out when it needs the lock.
      }
    }, RENEWAL_MILLISECONDS);
    renewal.unref();
    return () => clearInterval(renewal);
  }

  /** Removes the own entry, and the folder unless it contains the entries of other runs. */
  withdraw(): void {
    try {
      this.entry.remove();
      rmdirSync(systemPath(lockPath(this.#state)));
    } catch {
      // Another run has an entry in it, or has removed it already.
    }
  }

  /**
   * Looks at all other entries and removes those of dead runs.
   * @returns the entry to wait for; undefined if there is none
   * @throws FirstseenError when another run has the lock, or wants it and comes first
   */
  look(): Entry | undefined {
    let waitsFor: Entry | undefined;
    for (const name of readdirSync(systemPath(lockPath(this.#state)))) {
      if (name === this.entry.token) continue;
      const path = join(lockPath(this.#state), name);
      if (name.endsWith(REMOVED)) removeLeftover(path);
      // Its run is killed, or makes another one: it has not looked at the others yet.
      else if (name.endsWith(UNFINISHED)) new Entry(this.#state, name).remove();
      else waitsFor = this.#judge(new Entry(this.#state, name)) ?? waitsFor;
    }
    return waitsFor;
  }

  /** The entry, if it has to be watched for longer. */
  #judge(entry: Entry): Entry | undefined {
    const holder = entry.holder();
    const liveness = this.#livenessOf(entry, holder);
    const watchedEntry = this.#watch(entry);
    const isExpired = watchedEntry.looks >= LEASE_LOOKS;
    if (liveness === 'dead' || (liveness === 'unknown' && isExpired)) {
      entry.remove();
      return undefined;
    }
    const isAlive = liveness === 'alive' || watchedEntry.wasRenewed;
    // Of runs that start together, the one with the lowest token waits until the others have given up.
    const comesFirst = watchedEntry.content.startsWith('holds') || entry.token < this.entry.token;
    if (isAlive && (comesFirst || isExpired)) throw this.#usedBy(holder);
    return entry;
  }

  /** The holder of a copy may be alive and use the original. If it uses this one all the same, it renews the entry. */
  #livenessOf(entry: Entry, holder: ProcessIdentity | undefined): Liveness {
    const liveness = holder ? this.#processes.livenessOf(holder) : 'unknown';
    return liveness === 'alive' && entry.isCopy() ? 'unknown' : liveness;
  }

  #watch(entry: Entry): Watched {
    const content = entry.content();
    const previousWatch = this.#watched.get(entry.token);
    const isRenewed = previousWatch !== undefined && previousWatch.content !== content;
    const watchedEntry: Watched = {
      content,
      looks: previousWatch === undefined || isRenewed ? 0 : previousWatch.looks + 1,
      wasRenewed: isRenewed || (previousWatch?.wasRenewed ?? false),
    };
    this.#watched.set(entry.token, watchedEntry);
    return watchedEntry;
  }

  #usedBy(holder: ProcessIdentity | undefined): FirstseenError {
    const { self } = this.#processes;
    const { user, remedy } = this.#locked;
    const which = holder && isSameProcess(holder, self) ? ' of this process' : ` (${this.#shown(holder)})`;
    return lockError(this.#locked, `another ${user}${which} uses it`, { remedy });
  }

  #shown(holder: ProcessIdentity | undefined): string {
    if (holder === undefined) return 'an unknown process';
    const { self } = this.#processes;
    const isHere = holder.host === self.host && holder.pidNamespace === self.pidNamespace;
    return `process ${holder.pid}${isHere ? '' : ` on host ${holder.host}`}`;
  }

  waitWarning(entry: Entry): FirstseenError {
    const { kind, path } = this.#locked;
    const [doubt, question] = entry.isCopy()
      ? ['and the lock seems to be a copy of that of another folder', 'it uses this one']
      : ['which cannot be seen from here', 'it is alive'];
    return new FirstseenError(
      'E_STATE_FILE',
      `${kind} ${path} is locked by ${this.#shown(entry.holder())}, ${doubt}; ` +
        `waiting up to ${LEASE_SECONDS} seconds to see whether ${question}`,
    );
  }
}

/** Looks at the others until none is left. */
async function outlast(contender: Contender, { onWarning, signal }: LockOptions): Promise<void> {
  for (let looks = 0; ; looks++) {
    signal?.throwIfAborted();
    const other = contender.look();
    if (other === undefined) return;
    // Runs that start together settle who is first within a few looks.
    if (looks === 2) onWarning?.(contender.waitWarning(other));
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
  }
}

/** A lock that is held. */
export interface StateLock {
  /** The path at which the next state is written before it replaces the old one. */
  readonly part: string;
  /** @throws FirstseenError E_STATE_FILE when another run has taken the lock, because this run was suspended for too long. */
  check(): void;
  /** Unlocks the state. Nothing happens if another run has taken the lock. */
  release(): void;
}

function lostError({ kind, path, user }: Locked): FirstseenError {
  return new FirstseenError(
    'E_STATE_FILE',
    `lost the lock of ${kind} ${path}: this ${user} did not renew it for ${LEASE_SECONDS} seconds and another ${user} took it, or it was removed`,
    { remedy: `when the other ${user} has ended, run the same command again to continue` },
  );
}

/** The locks that this process holds. One listener for all, because Node warns of more than ten. */
const held = new Set<Contender>();

function withdrawAll(): void {
  for (const contender of held) contender.withdraw();
}

function hold(resource: Locked, contender: Contender): StateLock {
  const stopRenewing = contender.keepRenewed('holds');
  if (held.size === 0) process.once('exit', withdrawAll);
  held.add(contender);
  return {
    part: contender.entry.part,
    check() {
      if (!contender.renew('holds')) throw lostError(resource);
    },
    release() {
      stopRenewing();
      held.delete(contender);
      if (held.size === 0) process.off('exit', withdrawAll);
      contender.withdraw();
    },
  };
}

/** The error for a lock that cannot be written. */
function asLockError(state: string, locked: Locked, cause: unknown): FirstseenError {
  if (cause instanceof FirstseenError) return cause;
  if (codeOf(cause) !== 'ENOTDIR') {
    return lockError(locked, systemProblem(cause, 'write').problem, systemDetails(cause, 'write'));
  }
  const remedy = `remove it if no ${locked.user} uses the ${locked.kind}`;
  return lockError(locked, `${lockPath(state)} is not a directory`, { remedy, cause });
}

/**
 * Locks a state for one run until it is released or the process ends. A run whose liveness cannot be seen, because it is in another
 * PID namespace or on another machine, is watched for up to 15 seconds.
 * @throws FirstseenError E_STATE_FILE when another run has locked the state, or the lock cannot be written. Nothing is left behind.
 */
export async function lockState(state: string, options: LockOptions = {}): Promise<StateLock> {
  const { locked = { kind: 'state', path: state, user: 'run', remedy: 'wait until it ends' } } = options;
  const contender = new Contender(state, locked, options.processes ?? processesHere());
  const stopRenewing = contender.keepRenewed('wants');
  try {
    contender.announce();
    await outlast(contender, options);
    if (!contender.renew('holds')) throw lostError(locked);
  } catch (cause) {
    contender.withdraw();
    throw options.signal?.aborted ? cause : asLockError(state, locked, cause);
  } finally {
    stopRenewing();
  }
  return hold(locked, contender);
}
