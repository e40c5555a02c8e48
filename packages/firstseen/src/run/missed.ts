// Says once in a run that its detector misses repeats: at the end, when the stream is known, or in a run without end as it goes on.

import type { Detector } from '../detectors/detector.js';
import type { WitnessStats } from '../detectors/witness.js';
import { missedWarning } from '../plan/missed.js';
import type { ResolvedInputs } from './resolved.js';
import type { ReportOptions } from './settled.js';

/** A run without end looks first after this many elements, and then whenever there are so many times as many. */
const FIRST_LOOK_ELEMENTS = 4096;
const LOOKS_GROWTH = 1.5;

export interface MissedWatchOptions extends Pick<ResolvedInputs, 'isFollowing'>, Pick<ReportOptions, 'onWarning'> {
  /** True if the run has nothing to do, or only reads its state. */
  addsNothing: boolean;
  /** True if the run could spill in place of forgetting. */
  canSpill: boolean;
}

export class MissedWatch {
  readonly #detector: Detector;
  readonly #options: MissedWatchOptions;
  #isTold: boolean;
  #lookAt = FIRST_LOOK_ELEMENTS;

  constructor(detector: Detector, options: MissedWatchOptions) {
    this.#detector = detector;
    this.#options = options;
    // A run that adds nothing misses nothing.
    this.#isTold = options.addsNothing;
  }

  betweenChunks(): void {
    if (!this.#options.isFollowing || this.#isTold || this.#detector.observed < this.#lookAt) return;
    this.#lookAt = Math.ceil(this.#detector.observed * LOOKS_GROWTH);
    this.look(this.#detector.statsWithoutLoad().witness);
  }

  /** @param witness what the witness of the detector says now, if it has one */
  look(witness: WitnessStats | null | undefined): void {
    const { onWarning, canSpill } = this.#options;
    if (this.#isTold || onWarning === undefined || !witness) return;
    const warning = missedWarning(this.#detector, witness, canSpill);
    if (warning === undefined) return;
    this.#isTold = true;
    onWarning(warning);
  }
}
