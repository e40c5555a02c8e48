// What the server knows of a connection and of itself, as commands see it.

import type { Phase } from '../monitor/health.js';
import { commandSecondsLimits, Histogram } from '../monitor/histogram.js';
import { requestBytes } from '../options/serve.js';
import type { ClientMemory } from './clientmemory.js';
import type { ForeignConnections } from './foreign.js';
import type { History } from './history/history.js';
import type { DataFolder } from './log/datafolder.js';
import type { KeyMaps } from './maps/keymaps.js';
import type { RequestLimits } from './resp/commands.js';
import type { CommandQueue } from './resp/queue.js';
import type { ProtocolVersion } from './resp/writer.js';
import type { KnownScripts } from './scripts/known.js';
import type { DetectorStore } from './store/store.js';

/** The roles of clients. Each may do more than the one before. */
export const roles = ['none', 'read', 'observe', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Tells if a client with a role may do what needs another. */
export function mayDo(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** Commands that are queued up to EXEC. */
export interface Transaction {
  readonly queue: CommandQueue;
  /** True if a command could not be queued. Then EXEC runs none. */
  isBroken: boolean;
}

/** The presence of a client. One that has closed its side may have ended, and does not wait for anything. */
export class Presence {
  #hasLeft = false;
  #whenGone: (() => void) | undefined;
  #waitedMilliseconds = 0;

  /** The client has closed its side, or its connection. */
  leave(): void {
    this.#hasLeft = true;
    this.#whenGone?.();
  }

  /** Calls back once the client has left: at once if it has. One command of a client waits at a time. @returns how to stop waiting */
  whenGone(callback: () => void): () => void {
    const began = performance.now();
    if (this.#hasLeft) callback();
    else this.#whenGone = callback;
    return () => {
      this.#whenGone = undefined;
      this.#waitedMilliseconds += performance.now() - began;
    };
  }

  /** Returns the time for which the client has waited, and begins to count it again. */
  takeWaitedMilliseconds(): number {
    const milliseconds = this.#waitedMilliseconds;
    this.#waitedMilliseconds = 0;
    return milliseconds;
  }
}

/** A connection as commands see it. */
export interface Session {
  readonly id: number;
  readonly address: string;
  readonly openedAt: number;
  readonly presence: Presence;
  protocol: ProtocolVersion;
  role: Role;
  /** The name that the client gave itself. */
  name: string;
  /** The library of the client, as far as it says. */
  readonly library: { name: string; version: string };
  /** True if the connection ends after the replies so far. */
  isClosing: boolean;
  /** Set when the client has authenticated itself, or changed its protocol. */
  limits: RequestLimits;
  /** Undefined outside a transaction. */
  transaction: Transaction | undefined;
}

export interface ServerCounts {
  connections: number;
  refusedConnections: number;
  commands: number;
  errors: number;
  /** Changes that were refused because the log cannot be written. */
  refusedChanges: number;
  /**
   * The times that commands took to be answered, without the waits for the disk and for claims of others. Commands that were answered together
   * have taken equal shares of their time.
   */
  readonly commandSeconds: Histogram;
}

/** Nothing was counted yet. */
export function newCounts(): ServerCounts {
  const commandSeconds = new Histogram(commandSecondsLimits);
  return { connections: 0, refusedConnections: 0, commands: 0, errors: 0, refusedChanges: 0, commandSeconds };
}

/** The server as commands see it. */
export interface ServerState {
  readonly phase: Phase;
  readonly store: DetectorStore;
  /** The keys of Redis that have a detector. */
  readonly maps: KeyMaps;
  /** The scripts of locks that clients have sent. */
  readonly scripts: KnownScripts;
  /** The folder in which changes are logged; undefined if they are only in memory. */
  readonly data: DataFolder | undefined;
  readonly sessions: ReadonlyMap<number, Session>;
  /** The history of the detectors over time. */
  readonly history: History;
  readonly counts: ServerCounts;
  /** The memory of what clients have sent. */
  readonly clientMemory: ClientMemory;
  readonly foreignConnections: ForeignConnections;
  readonly version: string;
  readonly port: number;
  readonly startedAt: number;
  /** Memory of a filter that is made when an element is added to it; undefined if none is made. */
  readonly autoCreateBytes: number | undefined;
  /** The limits of commands of clients that are known. */
  readonly requestLimits: RequestLimits;
  /** The role that a name and a password give; undefined for wrong ones. Absent if everybody has every role. */
  readonly authenticate: ((user: string, password: string) => Role | undefined) | undefined;
}

/** Limits of clients that are known, and of those that are not, as in Redis. */
export const knownLimits: RequestLimits = {
  argumentBytes: 2 ** 20,
  commandArguments: 2 ** 20,
  requestBytes: requestBytes.default,
  batchArguments: 2 ** 14,
  refusal: 'invalid',
};
/** A command that authenticates the client changes the limits of those after it, so each is parsed by itself. */
export const unknownLimits: RequestLimits = {
  argumentBytes: 2 ** 14,
  commandArguments: 10,
  requestBytes: 2 ** 15,
  batchArguments: 1,
  refusal: 'unauthenticated',
};

/**
 * The bytes that a command may need: FS.CREATE with all options, or FS.CLAIM, of a detector with a long name, or AUTH
 * with a long token.
 */
export const MIN_REQUEST_BYTES = 2 ** 12;

/** The limits of clients that are known, with other bytes of a command. */
export function limitsFor(bytes: number): RequestLimits {
  return { ...knownLimits, requestBytes: bytes, argumentBytes: Math.min(knownLimits.argumentBytes, bytes) };
}

/** Returns the session of a new connection. */
export function newSession(
  server: Pick<ServerState, 'authenticate' | 'requestLimits'>,
  id: number,
  address: string,
): Session {
  return {
    id,
    address,
    openedAt: Date.now(),
    presence: new Presence(),
    name: '',
    library: { name: '', version: '' },
    isClosing: false,
    ...startOf(server),
  };
}

/** Returns the members of a session that RESET brings back. */
export function startOf({
  authenticate,
  requestLimits,
}: Pick<ServerState, 'authenticate' | 'requestLimits'>): Pick<Session, 'protocol' | 'role' | 'limits' | 'transaction'> {
  const needsPassword = authenticate !== undefined;
  return {
    protocol: 2,
    role: needsPassword ? 'none' : 'admin',
    limits: needsPassword ? unknownLimits : requestLimits,
    transaction: undefined,
  };
}
