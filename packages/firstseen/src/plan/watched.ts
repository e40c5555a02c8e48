// Watches the rate of a detector of a program, as `onOverload` asks.

import { tell } from '../base/diagnostics.js';
import { type FirstseenError, optionName, phrase } from '../base/errors.js';
import { unfitOption } from '../base/unfitoption.js';
import { type Detector, placedOf } from '../detectors/detector.js';
import type { Overload, OverloadPolicy, RateWatch } from '../detectors/ratewatch.js';
import type { PlannedOptions } from './auto.js';
import { OverloadWatch, targetFprOf } from './overload.js';

class ProgramWatch implements RateWatch {
  readonly #detector: Detector;
  readonly #targetFpr: number;
  readonly #policy: OverloadPolicy;
  #watch: OverloadWatch;
  #error: FirstseenError | undefined;

  constructor(detector: Detector, targetFpr: number, policy: OverloadPolicy) {
    this.#detector = detector;
    this.#targetFpr = targetFpr;
    this.#policy = policy;
    this.#watch = this.#begin();
  }

  #begin(): OverloadWatch {
    const onWarning = (error: FirstseenError) => {
      if (this.#policy === 'fail') this.#error = error;
      tell('overload', () => ({ detector: this.#detector, overload: this.overload(), error }));
    };
    return new OverloadWatch(this.#detector, { targetFpr: this.#targetFpr, onWarning });
  }

  elementsAhead(): number {
    if (this.#error) return 0;
    const ahead = this.#watch.elementsAhead();
    // The look may have found an overload.
    return this.#error ? 0 : ahead;
  }

  get refusal(): FirstseenError {
    return this.#error as FirstseenError;
  }

  overload(): Overload | undefined {
    return this.#watch.found();
  }

  clear(): void {
    this.#error = undefined;
    this.#watch = this.#begin();
  }
}

/**
 * Watches the rate of false positives of a detector from now on.
 * @throws FirstseenError E_PARAMETER when it has no target.
 */
export function watchRate(detector: Detector, request: PlannedOptions, policy: OverloadPolicy): void {
  const targetFpr = targetFprOf(request, detector.settings);
  if (targetFpr === undefined) {
    const { name } = detector.settings.family;
    const remedy = phrase`give ${optionName('fpr')}, or leave ${optionName('onOverload')} out`;
    throw unfitOption('onOverload', `${name} has no target`, { code: 'E_PARAMETER', given: policy, remedy });
  }
  placedOf(detector).watch = new ProgramWatch(detector, targetFpr, policy);
}
