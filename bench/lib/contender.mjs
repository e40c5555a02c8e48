// Detectors driven at the speed of their kernels: elements are drawn into the memory of the kernel, where it takes them.

import { Detector } from 'firstseen/internal';
import { generator } from './random.mjs';
import { timed } from './rounds.mjs';

const FINGERPRINT_BYTES = 8;
const SEED = 1;

/** A detector with a stretch of fingerprints, all random, and room for their verdicts in its own memory. */
export class Contender {
  #next = generator(SEED);
  #words;
  #fingerprints;
  #verdicts;
  /** How many elements are drawn from; 0 for fingerprints that are all new. */
  #universe = 0;

  constructor(detector, elements) {
    const { kernel } = detector;
    this.detector = detector;
    this.elements = elements;
    this.#fingerprints = kernel.regionOffset;
    this.#verdicts = kernel.regionOffset + elements * FINGERPRINT_BYTES;
    this.#words = new Uint32Array(kernel.bytes.buffer, this.#fingerprints, elements * 2);
    this.#observe = kernel.function(`${detector.settings.family.name}Observe`);
    this.#touch = kernel.function('touchLines');
  }

  #observe;
  #touch;

  static async open(options, elements) {
    const regionBytes = elements * (FINGERPRINT_BYTES + 1);
    return new Contender(await Detector.create(options, { regionBytes }), elements);
  }

  /** Seconds that `elements` new elements take. */
  observe() {
    this.#draw();
    return timed(() => this.#observe(this.#fingerprints, this.#verdicts, this.elements));
  }

  /** Seconds of the same elements when nothing happens but the traffic of `lines` lines for each. */
  touch(lines) {
    this.#draw();
    return timed(() => this.#touch(this.#fingerprints, this.elements, lines));
  }

  prefill(elements) {
    for (let done = 0; done < elements; done += this.elements) this.observe();
  }

  /** From now on elements are drawn from so many, all alike. */
  drawFrom(universe) {
    this.#universe = universe;
  }

  /** Sets half of all bits at random, as a stream without end leaves most families. */
  fillHalf() {
    const { kernel, settings } = this.detector;
    const words = new Uint32Array(kernel.bytes.buffer, kernel.cellsOffset, kernel.cellsBytes / 4);
    for (let i = 0; i < words.length; i++) words[i] = this.#next();
    // Families of k filters keep the ones of each filter in their state.
    if (!settings.family.parameters.some(({ name }) => name === 'filterBits')) return;
    const { k, s } = settings.parameters.values;
    kernel.state.fill(BigInt(Math.floor(s / 2)), kernel.constant('FAMILY_SLOT'), kernel.constant('FAMILY_SLOT') + k);
  }

  #draw() {
    for (let i = 0; i < this.#words.length; i++) this.#words[i] = this.#next();
    if (this.#universe === 0) return;
    for (let i = 0; i < this.#words.length; i += 2) {
      this.#words[i] = Math.floor((this.#words[i] / 2 ** 32) * this.#universe);
      this.#words[i + 1] = 0;
    }
  }
}
