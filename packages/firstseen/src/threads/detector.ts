// A detector whose elements are observed by the threads of a crew. Some seats have some owners each, a contiguous range. At such a
// seat, the elements of its owners are observed, in their order. So the answers are those of one thread.

import { type Detector, kernelOf } from '../detectors/detector.js';
import {
  DUPLICATES_REGISTER,
  FINGERPRINTS_OFFSET,
  OBSERVED_REGISTER,
  REGISTERS_BYTES,
  REGISTERS_OFFSET,
  VERDICTS_OFFSET,
} from '../kernel/abi.js';
import { type Kernel, wholeCacheLines } from '../kernel/kernel.js';
import type { Crew } from './crew.js';
import { isDivisible, type Owners, ownersOf, type ThreadBatch } from './owners.js';
import type { Call, ResultOf, Task } from './tasks.js';

/** Bytes of memory for a detector on threads, in addition to those of its crew. */
export const SHARED_DETECTOR_BYTES = wholeCacheLines(REGISTERS_BYTES);

export class SharedDetector {
  readonly detector: Detector;
  readonly #crew: Crew;
  /** Address of a copy of the registers, as they were before the batches. */
  readonly #before: number;
  /** The owners of the partitions; undefined if the elements are not divided. */
  readonly #owners: Owners | undefined;

  /**
   * @param offset address of `SHARED_DETECTOR_BYTES` bytes of the memory
   * @param takesKeys whether the keys of batches are the elements of the detector
   */
  constructor(detector: Detector, crew: Crew, offset: number, takesKeys = true) {
    this.detector = detector;
    this.#crew = crew;
    this.#before = offset;
    const isDivided = takesKeys && isDivisible(detector.settings);
    this.#owners = isDivided ? ownersOf(detector, crew.observers.length) : undefined;
  }

  /** Gives each seat the settings of the detector and its owners. Required once, when the crew is ready. */
  async configure(): Promise<void> {
    this.#crew.copySettings();
    if (!this.#owners) return;
    const calls = this.#owners.preparation;
    const { banks, observers } = this.#crew;
    await this.#crew.prepare([...banks.flat(), ...observers].map((seat) => ({ seat, calls })));
  }

  /** Returns the calls that a seat has to make with the keys of its batch before they are observed. */
  callsToGroup(dataBase: number, count: number | ResultOf): Call[] {
    if (!this.#owners) return [];
    return [{ name: 'ownersGroup', parameters: [dataBase + FINGERPRINTS_OFFSET, count] }];
  }

  /** Does the same in the thread of the caller. */
  group(seat: number, count: number): void {
    const kernel = this.#crew.kernels[seat] as Kernel;
    if (this.#owners) kernel.exports.ownersGroup(kernel.fingerprints.byteOffset, count);
  }

  /** Tells if the threads can observe batches, whose keys are grouped, side by side. */
  canObserve(batches: readonly ThreadBatch[]): boolean {
    return this.#owners?.canObserve(batches) ?? false;
  }

  /**
   * Observes batches, whose keys are grouped, one after the other, and writes their verdicts into the memory of their seats.
   * @param sideWork called when the threads have their tasks
   */
  async observe(batches: readonly ThreadBatch[], sideWork?: () => Promise<void>): Promise<void> {
    const kernel = kernelOf(this.detector);
    const copyRegisters = (target: number) =>
      kernel.bytes.copyWithin(target, REGISTERS_OFFSET, REGISTERS_OFFSET + REGISTERS_BYTES);
    copyRegisters(this.#before);
    const tasks = this.#tasksOf(batches);
    const copies = tasks.map(({ seat }) => (this.#crew.bases[seat] as number) + REGISTERS_OFFSET);
    for (const copy of copies) copyRegisters(copy);
    const postedTasks = this.#crew.post(tasks);
    await sideWork?.();
    let [observed, duplicates] = [this.detector.observed, this.detector.duplicates];
    await this.#crew.finish(postedTasks);
    for (const copy of copies) kernel.exports.registersAdd(this.#before, copy);
    // The witness follows each batch with the counts as they are after it.
    for (const { threadBase, dataBase = threadBase, count } of batches) {
      observed += count;
      duplicates += kernel.exports.ownersUngroup(threadBase, dataBase + VERDICTS_OFFSET, count) >>> 0;
      kernel.registers[OBSERVED_REGISTER] = BigInt(observed);
      kernel.registers[DUPLICATES_REGISTER] = BigInt(duplicates);
      this.#witness(dataBase + FINGERPRINTS_OFFSET, dataBase + VERDICTS_OFFSET, count);
    }
  }

  /** Lets the witness follow elements that threads have observed. The addresses are those of their fingerprints and verdicts. */
  #witness(fingerprints: number, verdicts: number, count: number): void {
    const { settings, clockMilliseconds } = this.detector;
    if (settings.witnessBytes === 0) return;
    kernelOf(this.detector).exports.witnessObserve(fingerprints, verdicts, count, clockMilliseconds, 0);
  }

  /** A task for each observer whose owners have elements. */
  #tasksOf(batches: readonly ThreadBatch[]): Task[] {
    const { observers } = this.#crew;
    const startOf = (observer: number) => Math.floor(((this.#owners?.count ?? 0) * observer) / observers.length);
    return observers.flatMap((seat, i) => {
      const calls = this.#owners?.callsOf({ start: startOf(i), end: startOf(i + 1) }, batches) ?? [];
      return calls.length > 0 ? [{ seat, calls }] : [];
    });
  }
}
