// What BSBF, BSBFSD and RLBSBF share: they differ in how victims are chosen.

import { Eviction, FilterRule, Layout } from './filters';

/** The biased sampling rule (bera-2012): an element reported distinct clears its victims, then sets its own bits. */
export class BiasedSamplingRule<L extends Layout, E extends Eviction<L>> extends FilterRule<L, E> {
  observe(at: u32, index: u64): u32 {
    return this.answerAndReplace(at, 0);
  }
}
