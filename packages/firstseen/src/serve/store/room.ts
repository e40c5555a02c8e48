// The memory of a server: what its detectors take, and whether there is room for another.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { formatBytes } from '../../base/memory.js';
import { type DetectorSettings, MIN_MEMORY_BYTES } from '../../detectors/settings.js';
import type { DetectorRequest } from './request.js';

/** Memory of a detector up to which it shares a kernel with others. */
const MAX_POOLED_BYTES = 2 ** 20;
/** The bytes that a kernel of a large detector takes besides the cells: its code, its tables and the batch. */
const KERNEL_BYTES = 2 ** 20;
/** The same for a kernel that small detectors share, or that one has for itself. Node was measured to take 78 KB. */
export const SMALL_KERNEL_BYTES = 5 * 2 ** 14;
/**
 * The bytes that a detector takes that shares a kernel, besides the cells. Node was measured to keep 2.6 KB of objects for each, in 4 KiB of
 * memory: it frees in pages, and later.
 */
const SHARE_BYTES = 2 ** 12;
/** The bytes that a detector for claims takes besides, while none holds a key. 1.3 KB of objects were measured. */
const CLAIMS_BYTES = 2 ** 11;

/** The bytes that the smallest detector takes if it is the only one. */
export const MIN_COST_BYTES = MIN_MEMORY_BYTES + SHARE_BYTES + SMALL_KERNEL_BYTES;

/** Memory of the detectors whose snapshots are written together, unless one takes more. */
export const GROUP_BYTES = 2 ** 26;
/**
 * The bytes that a server with 1,000 connections takes besides its detectors, and the bytes that the process takes that
 * writes snapshots.
 */
const [SERVER_BYTES, WRITER_BYTES] = [150 * 2 ** 20, 100 * 2 ** 20];
/** The bytes of the description of a detector, of which this process has one for each detector of the server, whichever group it reads. */
const DESCRIPTION_BYTES = 7 * 2 ** 10;

export interface RoomLimits {
  /** The most memory of all detectors together. */
  memoryBytes: number;
  /** The most detectors. */
  maxDetectors: number;
  /** Memory of the container or machine, if another process writes snapshots in it: it loads what it writes. */
  machineBytes?: number | undefined;
}

/** Tells if a detector shares a kernel with others. */
export function isPooled({ memoryBytes, partitions }: DetectorSettings): boolean {
  return memoryBytes <= MAX_POOLED_BYTES && partitions === undefined;
}

/** Returns the bytes that a detector takes, without those of a kernel that it shares. */
export function costOf(settings: DetectorSettings, { claims }: Pick<DetectorRequest, 'claims'>): number {
  const { memoryBytes, witnessBytes, partitions } = settings;
  const besideBytes = isPooled(settings) ? SHARE_BYTES : kernelsBytes(memoryBytes, partitions?.count);
  return memoryBytes + witnessBytes + besideBytes + (claims === undefined ? 0 : CLAIMS_BYTES);
}

/** The bytes that the kernels of a detector that shares none take besides the cells. */
function kernelsBytes(memoryBytes: number, kernels = 1): number {
  return (memoryBytes > MAX_POOLED_BYTES ? KERNEL_BYTES : SMALL_KERNEL_BYTES) + (kernels - 1) * SMALL_KERNEL_BYTES;
}

/** A function that does something when it is called for the first time. */
function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}

export class Room {
  readonly #limits: RoomLimits;
  #usedBytes = 0;
  /** Detectors that there are, or that are being made or sent. */
  #detectors = 0;
  /** The bytes of those of them that are larger than a group. */
  readonly #large: number[] = [];

  constructor({ memoryBytes, maxDetectors, machineBytes }: RoomLimits) {
    this.#limits = { memoryBytes, maxDetectors, machineBytes };
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get leftBytes(): number {
    return this.#limits.memoryBytes - this.#usedBytes;
  }

  /** Counts bytes that belong to no detector of their own. */
  countBytes(bytes: number): void {
    this.#usedBytes += bytes;
  }

  /** Counts a detector. Limits are not applied. */
  take(bytes: number): void {
    this.#usedBytes += bytes;
    this.#detectors++;
    if (bytes > GROUP_BYTES) this.#large.push(bytes);
  }

  giveBack(bytes: number): void {
    this.#usedBytes -= bytes;
    this.#detectors--;
    if (bytes > GROUP_BYTES) this.#large.splice(this.#large.indexOf(bytes), 1);
  }

  /** Why the machine may not have the memory that the server needs, with another detector of that many bytes; undefined if it has. */
  shortage(bytes = 0): string | undefined {
    const { machineBytes = Number.POSITIVE_INFINITY } = this.#limits;
    const detectors = this.#usedBytes + bytes;
    const server = detectors + SERVER_BYTES;
    const group = Math.max(bytes, ...this.#large, Math.min(detectors, GROUP_BYTES));
    const writer = group + (this.#detectors + (bytes > 0 ? 1 : 0)) * DESCRIPTION_BYTES + WRITER_BYTES;
    if (server + writer <= machineBytes) return undefined;
    const [serverText, writerText, limit] = [server, writer, machineBytes].map(formatBytes);
    return `the server takes ${serverText}, and the process that writes its snapshots takes ${writerText}, but the machine or container has ${limit}`;
  }

  /** Returns a warning about the memory that the detectors of an earlier start take beyond the limit. */
  get excess(): string {
    const [used, limit] = [this.#usedBytes, this.#limits.memoryBytes].map(formatBytes);
    return `the detectors take ${used}, but the limit for them is ${limit}`;
  }

  /** @throws FirstseenError E_MEMORY when there is no room for a detector of that many bytes */
  check(bytes: number): void {
    const { maxDetectors } = this.#limits;
    if (this.#detectors >= maxDetectors) {
      throw new FirstseenError('E_MEMORY', `the server has ${maxDetectors} detectors, the maximum`, {
        remedy: phrase`drop one, or start the server with a larger ${optionName('maxDetectors')}`,
      });
    }
    this.#checkBytes(bytes, 'the detector');
    const shortage = this.shortage(bytes);
    if (shortage === undefined) return;
    throw new FirstseenError('E_MEMORY', `with this detector, ${shortage}`, {
      remedy: 'give it less memory, make several small ones, or drop another',
    });
  }

  /**
   * Keeps room for a detector that is being sent.
   * @returns how to give it back
   * @throws FirstseenError E_MEMORY when there is no room
   */
  reserve(bytes: number): () => void {
    this.check(bytes);
    this.take(bytes);
    return once(() => this.giveBack(bytes));
  }

  /** The same for a copy of a detector. */
  reserveCopy(bytes: number): () => void {
    this.#checkBytes(bytes, 'a copy of the detector');
    this.countBytes(bytes);
    return once(() => this.countBytes(-bytes));
  }

  #checkBytes(bytes: number, subject: string): void {
    if (bytes <= this.leftBytes) return;
    const [needed, left, limit] = [bytes, Math.max(0, this.leftBytes), this.#limits.memoryBytes].map(formatBytes);
    throw new FirstseenError('E_MEMORY', `${subject} takes ${needed}, but only ${left} of ${limit} are left`, {
      remedy: phrase`give it less memory, drop another, or start the server with a larger ${optionName('memoryBytes')}`,
    });
  }
}
