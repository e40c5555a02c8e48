// The rates that a witness measured, and which of them are alarming.

import type { DetectorEntry } from '../../store/entry.js';
import { plannedRatesOf } from '../planned.js';
import type { MeasuredRates } from './messages.js';

/** The rate that somebody should know of, where no rate was planned. */
const SEVERE = 0.1;

/** Undefined without a witness. The interval decides what is alarming: an estimate above the plan may be chance. */
export function measuredRatesOf({ detector, request }: DetectorEntry): MeasuredRates | undefined {
  const { settings } = detector;
  const { witness } = settings.witnessBytes > 0 ? detector.statsWithoutLoad() : {};
  if (witness === undefined) return undefined;
  const { falsePositiveRate, falseNegativeRate, fraction } = witness;
  const { falsePositiveRate: planned, falseNegatives } = plannedRatesOf(request, settings);
  const maxMisses = falseNegatives === 'stream' ? SEVERE : 0;
  return {
    falsePositiveRate: { ...falsePositiveRate, isAlarming: falsePositiveRate.low > (planned ?? SEVERE) },
    falseNegativeRate: { ...falseNegativeRate, isAlarming: falseNegativeRate.low > maxMisses },
    fraction,
  };
}
