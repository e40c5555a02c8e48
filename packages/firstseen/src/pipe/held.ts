// The detectors that a parent has made, by their numbers.

import { FirstseenError } from '../base/errors.js';
import type { KeyDetector } from './keydetector.js';
import type { NearHeld } from './neardetector.js';
import type { PassagesHeld } from './passagedetector.js';

/** A detector of some type. */
export type Held = KeyDetector | NearHeld | PassagesHeld;

export class HeldDetectors {
  readonly #byNumber = new Map<number, Held>();

  /** @throws FirstseenError E_USAGE for a number without a detector */
  get(number: number): Held {
    const held = this.#byNumber.get(number);
    if (held) return held;
    throw new FirstseenError('E_USAGE', `there is no detector ${number}`, { remedy: 'create or load it first' });
  }

  /** The detector of keys with a number. @throws FirstseenError E_USAGE for another type */
  keysOf(number: number): KeyDetector {
    const held = this.get(number);
    if (held.type === 'keys') return held;
    throw new FirstseenError('E_USAGE', `detector ${number} is for ${held.type}, which this request is not for`, {
      remedy: 'send it to a detector of keys',
    });
  }

  /** @throws FirstseenError E_USAGE for a number that has a detector */
  checkFree(number: number): void {
    if (!this.#byNumber.has(number)) return;
    throw new FirstseenError('E_USAGE', `detector ${number} exists`, {
      remedy: 'close it first, or choose another number',
    });
  }

  add(number: number, held: Held): void {
    this.#byNumber.set(number, held);
  }

  /** @throws FirstseenError as `get` */
  close(number: number): void {
    this.get(number).close();
    this.#byNumber.delete(number);
  }

  closeAll(): void {
    for (const number of [...this.#byNumber.keys()]) this.close(number);
  }
}
