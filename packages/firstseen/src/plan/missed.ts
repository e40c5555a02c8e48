// The warning that a detector misses repeats: a detector of fixed memory forgets, so repeats pass, and only the witness tells how many.

import { formatPercent } from '../base/count.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import type { Detector } from '../detectors/detector.js';
import { type DetectorSettings, resolveSettings } from '../detectors/settings.js';
import type { GapEstimate, WitnessStats } from '../detectors/witness.js';
import { MAX_MEMORY_BYTES } from '../kernel/kernel.js';
import { predictionOver } from './overload.js';
import { gapListStream, type StreamModel } from './stream.js';

/** The share of the repeats that may be missed without a warning. */
const MAX_MISSED = 0.01;
/** Fewer missed repeats than this may be chance. */
const FEW_MISSED = 10;
/** The number of gaps in the model of the stream. */
const LISTED_GAPS = 64;

/** The stream as the witness saw it: its length, and how far apart repeats are. */
function streamOf(length: number, byGap: readonly GapEstimate[]): StreamModel {
  const duplicates = byGap.reduce((sum, gap) => sum + gap.duplicates, 0);
  const gapsElements = byGap.flatMap(({ gapToElements, duplicates: count }) =>
    Array.from({ length: Math.round((count / duplicates) * LISTED_GAPS) }, () => Math.min(gapToElements, length - 1)),
  );
  return gapListStream({
    lengthElements: length,
    gapsElements,
    duplicateShare: Math.min(duplicates, length - 1) / length,
  });
}

/** The least memory, by powers of two, in which the family is predicted to miss no more; undefined if none is found. */
function sufficientBytes(settings: DetectorSettings, stream: StreamModel): number | undefined {
  const { family, layout, partitions, fingerprint } = settings;
  const options = { algorithm: family.name, layout, ...(partitions ? { partitions: partitions.count } : {}) };
  const hash = settings.secret === undefined ? { fingerprint } : {};
  for (let memory = 2 * settings.memoryBytes; memory < MAX_MEMORY_BYTES; memory *= 2) {
    const prediction = predictionOver(resolveSettings({ ...options, ...hash, memory }), stream);
    if (prediction !== undefined && prediction.fnr <= MAX_MISSED) return memory;
  }
  return undefined;
}

/**
 * The warning about the repeats that a detector has missed; undefined if the witness is certain of no more than 1 %.
 * @param witness what the witness of the detector says now
 * @param canSpill whether the same can be asked for with exact answers
 */
export function missedWarning(
  detector: Detector,
  witness: WitnessStats,
  canSpill: boolean,
): FirstseenError | undefined {
  const { settings, observed } = detector;
  const { falseNegativeRate: rate, byGap } = witness;
  const missedElements = byGap.reduce((sum, { falseNegatives }) => sum + falseNegatives, 0);
  if (rate.estimate === null || rate.low <= MAX_MISSED || missedElements < FEW_MISSED) return undefined;
  const [memory, window] = [optionName('memory'), optionName('window')];
  const hasWindow = settings.parameters.band !== undefined;
  const bytes = hasWindow ? undefined : sufficientBytes(settings, streamOf(observed, byGap));
  const enough = bytes === undefined ? phrase`more ${memory}` : phrase`${memory} ${formatBytes(bytes)} or more`;
  const otherRemedy = hasWindow
    ? phrase`or a shorter ${window}`
    : canSpill
      ? phrase`${window} if only recent repeats count, or ${optionName('spill')} for exact answers`
      : phrase`or ${window} if only recent repeats count`;
  return new FirstseenError(
    'E_MISSED',
    `${formatPercent(rate.estimate)} of the repeats passed, because the detector had forgotten them: ${formatBytes(settings.memoryBytes)} cannot hold what this stream needs`,
    { option: 'memory', remedy: phrase`give ${enough}, ${otherRemedy}` },
  );
}
