// What the witness found, under the names of the command's JSON.

import type { WitnessStats } from '../detectors/witness.js';
import type { WitnessRates } from './options.js';

export function witnessRates(witness: WitnessStats | undefined): WitnessRates | null {
  if (!witness) return null;
  return {
    fraction: witness.fraction,
    elements: witness.elements,
    false_positive_rate: witness.falsePositiveRate,
    false_negative_rate: witness.falseNegativeRate,
    by_gap: witness.byGap.map(({ gapFromElements, gapToElements, duplicates, falseNegatives, ...rate }) => ({
      gap_from_elements: gapFromElements,
      gap_to_elements: gapToElements,
      duplicates,
      false_negatives: falseNegatives,
      ...rate,
    })),
    memory_bytes: witness.memoryBytes,
  };
}
