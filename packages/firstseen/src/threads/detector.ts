// A detector whose elements are observed by the threads of a crew. Some seats have the lines of some owners each, a contiguous range.
// At such a seat, the elements of its lines are observed, in their order and with their numbers in the stream. So the answers are
// those of one thread.

import type { Detector } from '../detectors/detector.js';
import { hasSeparateLines } from '../detectors/settings.js';
import {
  DUPLICATES_SLOT,
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

/**
 * Owners of lines for each seat at which elements are observed, if there are not too many seats. The elements of an owner are observed
 * together, and are in few pages.
 */
const OWNERS_PER_OBSERVER = 8;

/** The first `count` fingerprints of a batch. */
export interface ThreadBatch {
  /** The seat that has the groups of the batch. */
  seat: number;
  /** By how far its memory is moved. */
  threadBase: number;
  /** By how far the fingerprints and the verdicts are moved, if they are not in the memory of the seat. */
  dataBase?: number;
  count: number;
}

export class SharedDetector {
  readonly detector: Detector;
  readonly #crew: Crew;
  /** Address of a copy of the state, as it was before the batches. */
  readonly #before: number;
  readonly #observe: string;
  readonly #ownersPerObserver: number;
  /** Whether the elements are divided among owners. */
  readonly #isDivided: boolean;

  /**
   * @param offset address of `SHARED_DETECTOR_BYTES` bytes of the memory
   * @param takesKeys whether the keys of batches are the elements of the detector
   */
  constructor(detector: Detector, crew: Crew, offset: number, takesKeys = true) {
    this.detector = detector;
    this.#crew = crew;
    this.#before = offset;
    this.#isDivided = takesKeys && hasSeparateLines(detector.settings);
    this.#ownersPerObserver = Math.min(OWNERS_PER_OBSERVER, Math.floor(MOST_OWNERS / crew.observers.length));
    this.#observe = `${detector.settings.family.name}Observe`;
  }

  /** Gives each seat the settings of the detector and its lines. Required once, when the crew is ready. */
  async configure(): Promise<void> {
    const { bytes } = this.detector.kernel;
    for (const base of this.#crew.bases.slice(1)) {
      bytes.copyWithin(base + PARAMETERS_OFFSET, PARAMETERS_OFFSET, SECRET_OFFSET + SECRET_BYTES);
    }
    if (!this.#isDivided) return;
    const { family } = this.detector.settings;
    const calls: Call[] = [
      { name: `${family.name}Configure`, parameters: [] },
      { name: 'ownersConfigure', parameters: [this.#crew.observers.length * this.#ownersPerObserver] },
    ];
    const { banks, observers } = this.#crew;
    await this.#crew.prepare([...banks.flat(), ...observers].map((seat) => ({ seat, calls })));
  }

  /** What a seat has to do with the keys of its batch before they are observed. */
  callsToGroup(dataBase: number, count: number | ResultOf): Call[] {
    if (!this.#isDivided) return [];
    return [{ name: 'ownersGroup', parameters: [dataBase + FINGERPRINTS_OFFSET, count] }];
  }

  /** Does the same in the thread of the caller. */
  group(seat: number, count: number): void {
    const kernel = this.#crew.kernels[seat] as Kernel;
    if (this.#isDivided) kernel.exports.ownersGroup(kernel.fingerprints.byteOffset, count);
  }

  /** Whether the threads can observe batches side by side: nothing that is common to all lines changes meanwhile. */
  canObserve(batches: readonly ThreadBatch[]): boolean {
    const total = batches.reduce((sum, { count }) => sum + count, 0);
    return total <= this.detector.steadyElements();
  }

  /**
   * Observes batches, whose keys are grouped, one after the other, and writes their verdicts into the memory of their seats.
   * @param meanwhile called when the threads have their tasks
   */
  async observe(batches: readonly ThreadBatch[], meanwhile?: () => Promise<void>): Promise<void> {
    const { kernel, observed } = this.detector;
    let { duplicates } = this.detector;
    const copyState = (target: number) => kernel.bytes.copyWithin(target, STATE_OFFSET, STATE_OFFSET + STATE_BYTES);
    copyState(this.#before);
    const states = this.#crew.observers.map((seat) => (this.#crew.bases[seat] as number) + STATE_OFFSET);
    for (const state of states) copyState(state);
    const posted = this.#crew.post(
      this.#crew.observers.map((seat, i) => ({ seat, calls: this.#callsOf(i, batches, observed) })),
    );
    await meanwhile?.();
    await this.#crew.finish(posted);
    for (const state of states) kernel.exports.stateAdd(this.#before, state);
    // The witness follows each batch with the counts as they are after it.
    let taken = observed;
    for (const { threadBase, dataBase = threadBase, count } of batches) {
      taken += count;
      kernel.state[OBSERVED_SLOT] = BigInt(taken);
      duplicates += kernel.exports.ownersUngroup(threadBase, dataBase + VERDICTS_OFFSET, count) >>> 0;
      kernel.state[DUPLICATES_SLOT] = BigInt(duplicates);
      this.detector.witnessPlaced(dataBase + FINGERPRINTS_OFFSET, dataBase + VERDICTS_OFFSET, count);
    }
  }

  /** What observer number `observer` does with all batches. */
  #callsOf(observer: number, batches: readonly ThreadBatch[], observed: number): Call[] {
    const owner = observer * this.#ownersPerObserver;
    const calls: Call[] = [];
    let first = observed;
    for (const { threadBase, count } of batches) {
      const at = calls.length;
      const [size, fingerprints, verdicts] = [new ResultOf(at), new ResultOf(at + 1), new ResultOf(at + 2)];
      calls.push({ name: 'ownedBegin', parameters: [threadBase, owner, owner + this.#ownersPerObserver, first] });
      calls.push({ name: 'ownedFingerprints', parameters: [threadBase, owner] });
      calls.push({ name: 'ownedVerdicts', parameters: [threadBase, owner] });
      calls.push({ name: this.#observe, parameters: [fingerprints, verdicts, size] });
      first += count;
    }
    calls.push({ name: 'ownedEnd', parameters: [] });
    return calls;
  }
}
