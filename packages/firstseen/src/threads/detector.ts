// A detector whose elements are observed by the threads of a crew. Each seat has a contiguous range of the lines. At a seat, the
// elements of its lines are observed, in their order and with their numbers in the stream. So the answers are those of one thread.

import type { Detector } from '../detectors/detector.js';
import {
  FINGERPRINTS_OFFSET,
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

/** The first `count` fingerprints in the memory of a seat. */
export interface ThreadBatch {
  /** By how far the memory of the seat is moved. */
  threadBase: number;
  count: number;
}

export class SharedDetector {
  readonly detector: Detector;
  readonly #crew: Crew;
  /** Address of a copy of the state, as it was before the batches. */
  readonly #before: number;
  readonly #observe: string;
  /** Whether the elements are divided among seats. */
  readonly #isDivided: boolean;

  /**
   * @param offset address of `SHARED_DETECTOR_BYTES` bytes of the memory
   * @param takesKeys whether the keys of batches are the elements of the detector
   */
  constructor(detector: Detector, crew: Crew, offset: number, takesKeys = true) {
    this.detector = detector;
    this.#crew = crew;
    this.#before = offset;
    this.#isDivided = takesKeys && detector.hasSeparateLines;
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
    const { bases } = this.#crew;
    await this.#crew.runInAll(
      bases.map(() => [
        { name: `${family.name}Configure`, parameters: [] },
        { name: 'ownersConfigure', parameters: [bases.length] },
      ]),
    );
  }

  /** What a seat has to do with the keys of its batch before they are observed. */
  callsToGroup(threadBase: number, count: number | ResultOf): Call[] {
    if (!this.#isDivided) return [];
    return [{ name: 'ownersGroup', parameters: [threadBase + FINGERPRINTS_OFFSET, count] }];
  }

  /** Does the same in the thread of the caller. */
  group(seat: number, count: number): void {
    const kernel = this.#crew.kernels[seat] as Kernel;
    if (this.#isDivided) kernel.exports.ownersGroup(kernel.fingerprints.byteOffset, count);
  }

  /**
   * Observes batches, whose keys are grouped, one after the other, and writes their verdicts into the memory of their seats. False
   * if the threads cannot observe them side by side; nothing is done then.
   */
  async observe(batches: readonly ThreadBatch[]): Promise<boolean> {
    const total = batches.reduce((sum, { count }) => sum + count, 0);
    if (total > this.detector.steadyElements()) return false;
    const { kernel, observed } = this.detector;
    const copyState = (target: number) => kernel.bytes.copyWithin(target, STATE_OFFSET, STATE_OFFSET + STATE_BYTES);
    copyState(this.#before);
    for (const base of this.#crew.bases.slice(1)) copyState(base + STATE_OFFSET);
    await this.#crew.run(this.#crew.bases.map((_, seat) => this.#callsOf(seat, batches, observed)));
    for (const base of this.#crew.bases.slice(1)) kernel.exports.stateAdd(this.#before, base + STATE_OFFSET);
    let taken = observed;
    for (const { threadBase, count } of batches) {
      taken += count;
      kernel.state[OBSERVED_SLOT] = BigInt(taken);
      this.detector.witnessPlaced(threadBase + FINGERPRINTS_OFFSET, threadBase + VERDICTS_OFFSET, count);
    }
    return true;
  }

  /** What is done with all batches at a seat: it owns the lines of its number. */
  #callsOf(owner: number, batches: readonly ThreadBatch[], observed: number): Call[] {
    const calls: Call[] = [];
    let first = observed;
    for (const { threadBase, count } of batches) {
      const [size, fingerprints] = [new ResultOf(calls.length), new ResultOf(calls.length + 1)];
      calls.push({ name: 'ownedBegin', parameters: [threadBase, owner, first] });
      calls.push({ name: 'ownedFingerprints', parameters: [threadBase, owner] });
      calls.push({ name: this.#observe, parameters: [fingerprints, threadBase + VERDICTS_OFFSET, size] });
      first += count;
    }
    calls.push({ name: 'ownedEnd', parameters: [] });
    return calls;
  }
}
