// The options of a pool.

import { checkFunctions, checkWord, type OptionNames } from '../base/check.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { CreateOptions } from '../plan/keys.js';

/** The action of a full pool for a new name. */
export type WhenFull = 'error' | 'evict';

/** The options of a pool. Only `memory` is mandatory. */
export interface PoolOptions {
  /**
   * The most memory of all detectors together, in bytes or as text such as `256MiB`. Besides its own memory, each takes about 1 KiB
   * of it for its registers. The memory is taken as the detectors need it.
   */
  memory: number | string;
  /** The options of each detector, as for `create`. All detectors of a pool have the same. */
  detector?: CreateOptions | undefined;
  /**
   * The action of `get` and `load` for a new name when the memory is full. `error`, the default without `onEvict`: they
   * throw E_MEMORY. `evict`, the default with `onEvict`: the detector that was used least recently leaves the pool.
   * Each `get` and each call of a detector is a use. A detector whose claims hold keys does not leave.
   */
  whenFull?: WhenFull | undefined;
  /**
   * Called with the name and the snapshot of a detector that is about to leave a full pool. If it throws, the detector stays, and
   * `get` throws the same. It must not change the pool. A promise that it returns is not awaited: handle
   * its rejection there.
   */
  onEvict?: ((name: string, snapshot: Uint8Array) => void) | undefined;
}

export const poolOptionNames: OptionNames<PoolOptions> = {
  memory: true,
  detector: true,
  whenFull: true,
  onEvict: true,
};

/** @throws FirstseenError E_PARAMETER when the options contradict each other. */
export function whenFullOf({ whenFull, onEvict }: PoolOptions): WhenFull {
  checkFunctions({ onEvict });
  const chosen = checkWord('whenFull', whenFull ?? (onEvict ? 'evict' : 'error'), ['error', 'evict']);
  if (chosen === 'evict' || onEvict === undefined) return chosen;
  const problem = phrase`${optionName('onEvict')} was given, but ${optionName('whenFull')} is ${chosen}`;
  throw new FirstseenError('E_PARAMETER', problem, { option: 'whenFull', given: chosen, remedy: 'give one of them' });
}
