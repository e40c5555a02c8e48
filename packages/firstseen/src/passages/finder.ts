// Finds the passages of the texts of a batch that were seen before, in one thread.

import { type Detector, kernelOf } from '../detectors/detector.js';
import { makeCalls } from '../kernel/calls.js';
import type { Kernel } from '../kernel/kernel.js';
import { type Cutting, configureCalls } from './configure.js';
import {
  type FoundText,
  type FoundTexts,
  type TakeOptions,
  type TextFinder,
  takePassages,
  textsUpTo,
  type Wanted,
} from './found.js';
import { GrowingBytes } from './growing.js';
import type { ElementLookUp } from './lookup.js';
import { layOutPassages, type PassageRegions, separatorBytes } from './regions.js';

export interface FinderOptions extends Cutting {
  wanted: Wanted;
  maxTextBytes: number;
}

export class PassageFinder implements TextFinder {
  readonly regions: PassageRegions;
  readonly #kernel: Kernel;
  readonly #options: FinderOptions;
  /** The spans of a batch that the kernel has written. */
  readonly #written = new GrowingBytes();

  constructor(detector: Detector, options: FinderOptions) {
    this.#kernel = kernelOf(detector);
    this.#options = options;
    const { settings, maxTextBytes } = options;
    this.regions = layOutPassages(settings, maxTextBytes, this.#kernel.regionOffset);
    const { bytes } = this.#kernel;
    const { separator } = this.regions;
    bytes.set(separatorBytes(settings), separator);
    makeCalls(this.#kernel, configureCalls(options, separator, this.regions));
  }

  copySpans(count: number): Uint32Array {
    const { spans, bytes } = this.#kernel;
    const copy = new Uint32Array(bytes.buffer, this.regions.spans, 2 * count);
    copy.set(spans.subarray(0, 2 * count));
    return copy;
  }

  find(spans: number, count: number, lookUp: ElementLookUp): FoundTexts {
    const { exports, bytes } = this.#kernel;
    const { regions } = this;
    const options: TakeOptions = { ...this.#options, kernel: this.#kernel, regions, lookUp, seen: [] };
    exports.passagesBegin(spans, count);
    this.#written.clear();
    for (let goesOn = false; ; goesOn = true) {
      const passages = exports.passagesTake();
      if (passages === 0) return { texts: this.#textsUpTo(options, count) };
      const { writtenEnd, failed } = takePassages(options, { passages, elements: exports.passagesElements(), goesOn });
      this.#written.append(bytes, regions.written, writtenEnd);
      if (failed) return { texts: this.#textsUpTo(options, failed.text), failure: failed.failure };
    }
  }

  #textsUpTo(options: TakeOptions, count: number): FoundText[] {
    return textsUpTo(options, count, { written: this.#written.bytes, start: 0 });
  }
}
