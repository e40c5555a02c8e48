// The rates of errors that a detector was made for.

import { families } from '../../detectors/descriptions.js';
import { checkWindow, type DetectorSettings, ownParameters } from '../../detectors/settings.js';
import { boundOf } from '../../plan/bound.js';
import type { CreateOptions } from '../../plan/keys.js';
import { targetFprOf } from '../../plan/overload.js';
import type { PredictionTask } from '../planning/planning.js';
import type { DetectorRequest } from '../store/request.js';
import type { PlannedMisses, PlannedRates } from './watch/messages.js';

function plannedMisses({ options }: DetectorRequest, { family }: DetectorSettings): PlannedMisses {
  const isNever = families.find(({ name }) => name === family.name)?.falseNegatives.kind === 'never';
  if (isNever) return 'never';
  return options.window === undefined ? 'stream' : 'window';
}

/** The rate of false positives that was asked for, or the one that the detector keeps on every stream, and how often repeats are missed. */
export function plannedRatesOf(request: DetectorRequest, settings: DetectorSettings): PlannedRates {
  const { filter, options } = request;
  const falsePositiveRate = filter?.errorRate ?? targetFprOf(options, settings) ?? boundOf(settings);
  return { falsePositiveRate: falsePositiveRate ?? null, falseNegatives: plannedMisses(request, settings) };
}

/** Elements of a window; undefined for a time, in which any number may come. */
function windowElementsOf({ window }: CreateOptions): number | undefined {
  const windowSpan = window === undefined ? undefined : checkWindow(window);
  return windowSpan && 'elements' in windowSpan ? windowSpan.elements : undefined;
}

/**
 * Returns the task to predict the rates of a detector on the stream that its options describe; undefined if they say
 * nothing of a stream, and for a window in time.
 */
export function predictionOf({ options }: DetectorRequest, settings: DetectorSettings): PredictionTask | undefined {
  const { lengthElements, distinctElements, gapsElements } = options;
  const isKnown = [lengthElements, distinctElements, gapsElements].some((hint) => hint !== undefined);
  if (!isKnown || settings.parameters.isTimed || settings.partitions) return undefined;
  const { family, layout, memoryBytes } = settings;
  return {
    hints: { lengthElements, distinctElements, gapsElements, windowElements: windowElementsOf(options) },
    ...{ algorithm: family.name, layout, memoryBytes, parameters: ownParameters(settings) },
  };
}
