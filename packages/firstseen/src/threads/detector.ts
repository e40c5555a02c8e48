// A detector whose elements are observed by the threads of a crew. Each seat has the lines of some owners, a contiguous range. At a
// seat, the elements of its lines are observed, in their order and with their numbers in the stream. So the answers are those of one
// thread.

import type { Detector } from '../detectors/detector.js';
import { hasSeparateLines } from '../detectors/settings.js';
import {
  FINGERPRINTS_OFFSET,
  MOST_OWNERS,
  OBSERVED_SLOT,
  PARAMETERS_OFFSET,
  SECRET_BYTES,
  SECRET_OFFSET,
  STATE_OFFSET,
  STATE_SLOTS,
  VERDICTS_OFFSET,
} from '../kernel/abi.js';
import { type Kernel, wholeLines } from '../kernel/kernel.js';
import type { Crew } from './crew.js';
import { type Call, ResultOf } from './tasks.js';

const STATE_BYTES = STATE_SLOTS * BigUint64Array.BYTES_PER_ELEMENT;

/** Bytes of memory for a detector on threads, besides those of its crew. */
export const SHARED_DETECTOR_BYTES = wholeLines(STATE_BYTES);

/** Owners of lines for each seat on average. With many owners, the elements of a group are in few pages. */
const OWNERS_PER_SEAT = 8;

/**
 * The first owner of each seat, and the end. The first seats have the most owners, the last ones few: tasks are taken in this order,
 * so threads that are done early find short tasks, and all are done at about the same time.
 */
export function ownersOfSeats(seats: number): { owners: number; starts: number[] } {
  const owners = Math.min(MOST_OWNERS, OWNERS_PER_SEAT * seats);
  const starts = Array.from({ length: seats + 1 }, (_, seat) => Math.round(owners * (1 - (1 - seat / seats) ** 2)));
  return { owners, starts };
}

/** The first `count` fingerprints of a batch. */
export interface ThreadBatch {
  /** By how far the memory of the seat is moved that has the groups of the batch. */
  threadBase: number;
  /** By how far the fingerprints and the verdicts are moved, if they are not in the memory of the seat. */
  dataBase?: number;
  count: number;
}

/** What is done in the same turn as observing. It must not depend on the batches that are observed. */
export interface Beside {
  /** Calls for each seat. */
  calls: readonly (readonly Call[])[];
  /** Work of the thread of the caller, before it helps the others. */
  meanwhile(): void;
}

const nothingBeside: Beside = { calls: [], meanwhile: () => undefined };

export class SharedDetector {
  readonly detector: Detector;
  readonly #crew: Crew;
  /** Address of a copy of the state, as it was before the batches. */
  readonly #before: number;
  readonly #observe: string;
  readonly #owners: ReturnType<typeof ownersOfSeats>;

  /** @param offset address of `SHARED_DETECTOR_BYTES` bytes of the memory */
  constructor(detector: Detector, crew: Crew, offset: number) {
    this.detector = detector;
    this.#crew = crew;
    this.#before = offset;
    this.#owners = ownersOfSeats(crew.bases.length);
    this.#observe = `${detector.settings.family.name}Observe`;
  }

  /** Gives each seat the settings of the detector and its lines. Required once, when the crew is ready. */
  async configure(): Promise<void> {
    const { bytes } = this.detector.kernel;
    for (const base of this.#crew.bases.slice(1)) {
      bytes.copyWithin(base + PARAMETERS_OFFSET, PARAMETERS_OFFSET, SECRET_OFFSET + SECRET_BYTES);
    }
    if (!hasSeparateLines(this.detector.settings)) return;
    const { family } = this.detector.settings;
    const { bases } = this.#crew;
    await this.#crew.runInAll(
      bases.map(() => [
        { name: `${family.name}Configure`, parameters: [] },
        { name: 'ownersConfigure', parameters: [this.#owners.owners] },
      ]),
    );
  }

  /** What a seat has to do with the keys of its batch before they are observed. */
  callsToGroup(dataBase: number, count: number | ResultOf): Call[] {
    if (!hasSeparateLines(this.detector.settings)) return [];
    return [{ name: 'ownersGroup', parameters: [dataBase + FINGERPRINTS_OFFSET, count] }];
  }

  /** Does the same in the thread of the caller. */
  group(seat: number, count: number): void {
    const kernel = this.#crew.kernels[seat] as Kernel;
    if (hasSeparateLines(this.detector.settings)) kernel.exports.ownersGroup(kernel.fingerprints.byteOffset, count);
  }

  /**
   * Observes batches, whose keys are grouped, one after the other, and writes their verdicts into the memory of their seats. False
   * if the threads cannot observe them side by side; nothing is done then.
   */
  async observe(batches: readonly ThreadBatch[], beside: Beside = nothingBeside): Promise<boolean> {
    const total = batches.reduce((sum, { count }) => sum + count, 0);
    if (total > this.detector.steadyElements()) return false;
    const { kernel, observed } = this.detector;
    const copyState = (target: number) => kernel.bytes.copyWithin(target, STATE_OFFSET, STATE_OFFSET + STATE_BYTES);
    copyState(this.#before);
    for (const base of this.#crew.bases.slice(1)) copyState(base + STATE_OFFSET);
    await this.#crew.run(
      this.#crew.bases.map((_, seat) => [...this.#callsOf(seat, batches, observed), ...(beside.calls[seat] ?? [])]),
      beside.meanwhile,
    );
    for (const base of this.#crew.bases.slice(1)) kernel.exports.stateAdd(this.#before, base + STATE_OFFSET);
    let taken = observed;
    for (const { threadBase, dataBase = threadBase, count } of batches) {
      taken += count;
      kernel.state[OBSERVED_SLOT] = BigInt(taken);
      this.detector.witnessPlaced(dataBase + FINGERPRINTS_OFFSET, dataBase + VERDICTS_OFFSET, count);
    }
    return true;
  }

  /** What is done with all batches at a seat. */
  #callsOf(seat: number, batches: readonly ThreadBatch[], observed: number): Call[] {
    const calls: Call[] = [];
    const [owner, end] = this.#owners.starts.slice(seat) as [number, number];
    if (owner === end) return calls;
    let first = observed;
    for (const { threadBase, dataBase = threadBase, count } of batches) {
      const [size, fingerprints] = [new ResultOf(calls.length), new ResultOf(calls.length + 1)];
      calls.push({ name: 'ownedBegin', parameters: [threadBase, owner, end, first] });
      calls.push({ name: 'ownedFingerprints', parameters: [threadBase, owner] });
      calls.push({ name: this.#observe, parameters: [fingerprints, dataBase + VERDICTS_OFFSET, size] });
      first += count;
    }
    calls.push({ name: 'ownedEnd', parameters: [] });
    return calls;
  }
}
