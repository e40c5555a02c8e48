// The rates of errors that a detector was made for.

import { families } from '../../detectors/descriptions.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import { boundOf } from '../../plan/bound.js';
import { targetFprOf } from '../../plan/overload.js';
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
