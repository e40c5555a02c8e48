// Elements that are in the batch of a kernel: they are observed or tested there, as far as the detector takes them.

import type { FirstseenError } from '../base/errors.js';
import type { DetectorExports } from '../kernel/abi.js';
import type { Answering } from './batches.js';
import type { Home } from './home.js';
import { observeWatched, type RateWatch } from './ratewatch.js';
import { fullError } from './refusals.js';
import type { DetectorSettings } from './settings.js';

/** The elements of a batch that are answered, and their place. */
interface Part {
  count: number;
  from: number;
  /** The distance in bytes to the batch, if it is in the memory of another thread. */
  threadBase?: number;
  hasTimes?: boolean;
}

/** The batch of the kernel that a detector is in. */
export class PlacedBatch {
  readonly #settings: DetectorSettings;
  readonly #home: Home;
  /** Watches the rate of false positives; undefined unless the program asks for it. */
  watch: RateWatch | undefined;

  /** The functions that answer batches. They are made once, because a server answers many batches of one element. */
  readonly observing = this.#answering((count) => this.take(count));
  readonly testing = this.#answering((count) => this.test(count));

  constructor(settings: DetectorSettings, home: Home) {
    this.#settings = settings;
    this.#home = home;
  }

  #answering(answer: Answering['answer']): Answering {
    const enter = () => this.#home.enter();
    return {
      get kernel() {
        return enter().kernel;
      },
      answer,
      refusal: () => this.refusal(),
    };
  }

  /** Observes elements as far as there is room. Returns the number of those that were added and answered. */
  take(count: number, first = 0, threadBase = 0): number {
    const { observe } = this.#home.enter().rule;
    if (!this.watch) return this.#takeWith(observe, { count, from: first, threadBase });
    return observeWatched(this.watch, count, (some, from) =>
      this.#takeWith(observe, { count: some, from: first + from, threadBase }),
    );
  }

  /**
   * Observes the first element of the batch and returns its verdict. Without a witness and a watch of the rate, no object is made for
   * the call, which would take a fifth of its time.
   * @throws FirstseenError as `refusal`
   */
  takeOne(): number {
    const { rule, kernel } = this.#home.enter();
    if (this.watch || this.#settings.witnessBytes > 0) {
      if (this.take(1) < 1) throw this.refusal();
    } else if (rule.observe(kernel.fingerprintsOffset, kernel.verdictsOffset, 1) < 1) throw this.refusal();
    return kernel.verdicts[0] as number;
  }

  /** As `take`, each at its time in the kernel's `times`. Then the times of the rest move to the front. */
  takeTimed(count: number, from: number): number {
    const { rule, kernel } = this.#home.enter();
    if (!rule.observeTimed) throw new Error(`${this.#settings.family.name} takes no times`);
    if (this.watch?.elementsAhead() === 0) throw this.watch.refusal;
    const taken = this.#takeWith(rule.observeTimed, { count, from, hasTimes: true });
    if (taken === count) kernel.times.copyWithin(0, count);
    return taken;
  }

  /** The witness follows what was taken. */
  #takeWith(observe: DetectorExports['observe'], { count, from, threadBase = 0, hasTimes = false }: Part): number {
    const { kernel, rule } = this.#home.enter();
    const hasWitness = this.#settings.witnessBytes > 0;
    const clock = hasWitness && this.#settings.parameters.isTimed ? (rule.clock?.() ?? 0) : 0;
    const fingerprints = kernel.fingerprintsOffset + threadBase + from * BigUint64Array.BYTES_PER_ELEMENT;
    const verdicts = kernel.verdictsOffset + threadBase + from;
    const taken = observe(fingerprints, verdicts, count);
    if (hasWitness) kernel.exports.witnessObserve(fingerprints, verdicts, taken, clock, hasTimes ? 1 : 0);
    return taken;
  }

  /** Tests elements; returns their number. */
  test(count: number, first = 0): number {
    const { rule, kernel } = this.#home.enter();
    rule.test(kernel.fingerprintsOffset + 8 * first, kernel.verdictsOffset + first, count);
    return count;
  }

  /** Tells if this number of new elements can be added, as far as that is known before: it is not with partitions. */
  hasRoom(elements: number): boolean {
    const room = this.#home.enter().rule.room?.() ?? elements;
    return room >= elements && this.watch?.elementsAhead() !== 0;
  }

  /** Returns the reason why an element was not taken. @param reserved elements that room is kept for */
  refusal(reserved = 0): FirstseenError {
    if (this.watch?.elementsAhead() === 0) return this.watch.refusal;
    return this.#home.enter().partitioned?.refusal ?? fullError(this.#settings, reserved);
  }
}
