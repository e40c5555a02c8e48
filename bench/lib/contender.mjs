// Detectors at the speed of their kernels: elements are generated in the memory of the kernel, which reads them there.

import { Detector, detectorExports, FAMILY_REGISTER, kernelOf, POCKET_BYTES, wholeKernel } from 'firstseen/internal';
import { generator } from '../../tools/support/random.mjs';
import { timed } from './rounds.mjs';

const FINGERPRINT_BYTES = 8;
const SEED = 1;

/** A detector with a region of random fingerprints and space for their verdicts in its memory. */
export class Contender {
  #next = generator(SEED);
  #words;
  #fingerprints;
  #verdicts;
  /** The number of elements from which to draw; 0 if all fingerprints are new. */
  #universe = 0;

  constructor(detector, elements) {
    const kernel = kernelOf(detector);
    this.detector = detector;
    this.elements = elements;
    this.#fingerprints = kernel.regionOffset;
    this.#verdicts = kernel.regionOffset + elements * FINGERPRINT_BYTES;
    this.#words = new Uint32Array(kernel.bytes.buffer, this.#fingerprints, elements * 2);
    this.#observe = detectorExports[detector.settings.family.name](kernel.exports).observe;
    this.#touch = kernel.exports.touchCacheLines;
  }

  #observe;
  #touch;

  static async open(options, elements) {
    const regionBytes = elements * (FINGERPRINT_BYTES + 1);
    return new Contender(await Detector.create(options, { regionBytes, module: await wholeKernel() }), elements);
  }

  /** The time in seconds for `elements` new elements. */
  observe() {
    this.#draw();
    return timed(() => this.#observe(this.#fingerprints, this.#verdicts, this.elements));
  }

  /** The time in seconds for the same elements if they only cause the memory traffic of `lines` lines each. */
  touch(lines) {
    this.#draw();
    return timed(() => this.#touch(this.#fingerprints, this.elements, lines));
  }

  prefill(elements) {
    for (let done = 0; done < elements; done += this.elements) this.observe();
  }

  /** Draws all further elements uniformly from `universe` elements. */
  drawFrom(universe) {
    this.#universe = universe;
  }

  /**
   * The cells and registers after an endless stream. For most families, half of all bits are set at random. A pocket must be valid, so there more
   * elements are observed than there are slots.
   */
  fill() {
    const { settings } = this.detector;
    const kernel = kernelOf(this.detector);
    if (settings.family.hasGenerations) {
      this.prefill((1.1 * settings.parameters.values.k * kernel.cellsBytes) / POCKET_BYTES);
      return;
    }
    const words = new Uint32Array(kernel.bytes.buffer, kernel.cellsOffset, kernel.cellsBytes / 4);
    for (let i = 0; i < words.length; i++) words[i] = this.#next();
    // Families of k filters keep the number of ones of each filter in their registers.
    if (!settings.family.parameters.some(({ name }) => name === 'filterBits')) return;
    const { k, s } = settings.parameters.values;
    kernel.registers.fill(BigInt(Math.floor(s / 2)), FAMILY_REGISTER, FAMILY_REGISTER + k);
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
