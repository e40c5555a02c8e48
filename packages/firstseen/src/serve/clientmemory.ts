// The memory of what clients have sent and the server has not answered: commands that are not whole, that wait, or that a transaction
// queues; and of replies that clients do not read. `--max-request` limits what one client sends, and this all of them together, as
// `maxmemory-clients` of Redis does.

import { formatBytes } from '../base/memory.js';

/** The share of the memory beside the detectors that clients may take. The rest is for Node and for replies. */
const SHARE_OF_CLIENTS = 0.25;
/** The commands of the largest size that must fit. */
const MIN_REQUESTS = 2;
/** The bytes that must fit also if commands are small: arguments have places, and replies are longer than commands. */
const MIN_BYTES = 2 ** 24;

/** A client that takes memory. */
export interface MemoryUser {
  /** Ends its connection, and forgets what it has sent. @param problem why, without what to do */
  endForMemory(problem: string): void;
}

export interface ClientMemoryOptions {
  /** Memory of the container or machine, if the server knows it. */
  machineBytes?: number | undefined;
  /** The most memory of the detectors. */
  memoryBytes: number;
  /** The most bytes of a command. */
  requestBytes: number;
}

/** The bytes that all clients together may take. */
export function clientMemoryLimit({ machineBytes = 0, memoryBytes, requestBytes }: ClientMemoryOptions): number {
  return Math.max(MIN_BYTES, MIN_REQUESTS * requestBytes, Math.floor(SHARE_OF_CLIENTS * (machineBytes - memoryBytes)));
}

/** Counts what clients take. Beyond the limit, the client that takes most is ended. */
export class ClientMemory {
  readonly #limitBytes: number;
  readonly #users = new Map<MemoryUser, number>();
  #bytes = 0;
  /** Clients that were ended. */
  evicted = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Notes the bytes that a client takes now. */
  note(user: MemoryUser, bytes: number): void {
    const before = this.#users.get(user) ?? 0;
    if (bytes === before) return;
    if (bytes === 0) this.#users.delete(user);
    else this.#users.set(user, bytes);
    this.#bytes += bytes - before;
    while (this.#bytes > this.#limitBytes) this.#evictLargest();
  }

  #evictLargest(): void {
    const [user] = [...this.#users].reduce((one, other) => (other[1] > one[1] ? other : one));
    this.note(user, 0);
    this.evicted++;
    user.endForMemory(
      `requests and replies of all clients together take more than ${formatBytes(this.#limitBytes)}, and those of this client take most of it`,
    );
  }
}
