// The table that bands are asked of: any detector of ours. One table holds all bands, as their elements are hashed under seeds
// of their own; so a document is one batch of b elements, and whatever a family forgets it forgets of all bands alike.

import type { LayoutName, ParameterValue } from '../detectors/contract.js';
import { defaultFamily } from '../detectors/registry.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { type PlannedOptions, planSettings } from '../plan/auto.js';
import { type DecisionRequest, elementRate } from './decision.js';

export interface TableOptions {
  /** A detector, or `auto`; `apbf` with a window, otherwise `qht`, whose oldest documents make room for new ones. */
  algorithm?: string;
  /** As for a detector; `64MiB` by default. */
  memory?: number | string;
  /** How far back documents are surely remembered: so many kept ones, or a duration. */
  window?: number | string;
  refresh?: boolean;
  layout?: LayoutName;
  seed?: number | bigint;
  /** As for a detector: whoever does not hold it cannot craft a document that is dropped for another (docs/SECURITY.md). */
  secret?: Uint8Array | string;
  parameters?: Readonly<Record<string, ParameterValue>>;
  /** Different documents expected, from which `auto` chooses. */
  distinctDocuments?: number;
}

export const DEFAULT_TABLE_FPR = 0.001;

/** A window in documents as one in elements; a duration is what it is. */
function windowElements(window: number | string, bands: number): number | string {
  const isCount = typeof window === 'number' || /^\d+$/.test(window);
  return isCount ? Number(window) * bands : window;
}

/** What is asked of the detector, in its elements, and nothing that is not asked. */
export function askedOfTable(options: TableOptions, { bands }: Pick<DecisionRequest, 'bands'>): PlannedOptions {
  const { window, distinctDocuments, ...asked } = options;
  return {
    ...asked,
    ...(window === undefined ? {} : { window: windowElements(window, bands) }),
    ...(distinctDocuments === undefined ? {} : { distinctElements: distinctDocuments * bands }),
  };
}

/**
 * The settings of a detector in which documents of so many bands have the rate of false positives that is asked for.
 * @throws FirstseenError as a detector's settings do.
 */
export function resolveTable(options: TableOptions, request: DecisionRequest): DetectorSettings {
  const hasWindow = options.window !== undefined || options.refresh !== undefined;
  return planSettings({
    ...(hasWindow ? {} : { algorithm: defaultFamily.name }),
    // A band that was seen before is added again, or it would age with the document that brought it.
    ...(hasWindow && request.agreeing > 1 ? { refresh: true } : {}),
    ...askedOfTable(options, request),
    fpr: elementRate(request),
  });
}
