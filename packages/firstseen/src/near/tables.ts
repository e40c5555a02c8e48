// The table of bands: any detector. One table holds all bands, because each band is hashed with a seed of its own. So a document
// is one batch of b elements, and a family forgets elements of all bands equally.

import { checkCount } from '../base/check.js';
import type { Steps } from '../base/steps.js';
import type { LayoutName, ParameterValue } from '../detectors/contract.js';
import { defaultFamily } from '../detectors/registry.js';
import { checkWindow, type DetectorSettings } from '../detectors/settings.js';
import type { AlgorithmName, PlannedOptions } from '../plan/auto.js';
import { settingsInSteps } from '../plan/autosettings.js';
import { type DecisionRequest, elementRate } from './decision.js';

export interface NearTableOptions {
  /** A detector, or `auto`. The default is `apbf` with a window, otherwise `qht`, in which new documents replace the oldest. */
  algorithm?: AlgorithmName | undefined;
  /** As for a detector. The default is `64MiB`. */
  memory?: number | string | undefined;
  /** How far back documents are always remembered: a number of kept documents, or a duration. */
  window?: number | string | undefined;
  /** As for a detector: how much longer than the window a document may be remembered, as a share of it. */
  windowSlack?: number | undefined;
  /** As for a detector: whether a repeat restarts the window of its document. */
  refresh?: boolean | undefined;
  /** As for a detector: how the cells are arranged in memory. */
  layout?: LayoutName | undefined;
  /** As for a detector: 0 to 2^64 - 1; the default is 0. */
  seed?: number | bigint | undefined;
  /** As for a detector: only someone who knows it can craft a document that makes another count as a duplicate (docs/SECURITY.md). */
  secret?: Uint8Array | string | undefined;
  /** As for a detector: parameters of the algorithm by letter or by name. */
  parameters?: Readonly<Record<string, ParameterValue>> | undefined;
  /** Expected number of different documents, for `auto`. */
  distinctDocuments?: number | undefined;
}

/** Converts a window in documents to elements. A duration stays as it is. */
function windowElements(window: number | string, bands: number): number | string {
  const checked = checkWindow(window);
  return 'elements' in checked ? checked.elements * bands : window;
}

/** The options of the detector, in elements. */
export function askedOfTable(options: NearTableOptions, { bands }: Pick<DecisionRequest, 'bands'>): PlannedOptions {
  const { window, distinctDocuments, ...asked } = options;
  return {
    ...asked,
    ...(window === undefined ? {} : { window: windowElements(window, bands) }),
    ...(distinctDocuments === undefined
      ? {}
      : { distinctElements: checkCount('distinctDocuments', distinctDocuments) * bands }),
  };
}

/**
 * The settings of a detector in which documents with this number of bands have the requested rate of false positives.
 * @throws FirstseenError as `settingsInSteps`.
 */
export function resolveTable(options: NearTableOptions, request: DecisionRequest): Steps<DetectorSettings> {
  const hasWindow = [options.window, options.windowSlack, options.refresh].some((option) => option !== undefined);
  return settingsInSteps({
    ...(hasWindow ? {} : { algorithm: defaultFamily.name }),
    // A band that was seen is added again, otherwise it would age with the document that added it.
    ...(hasWindow && request.agreeing > 1 ? { refresh: true } : {}),
    ...askedOfTable(options, request),
    fpr: elementRate(request),
  });
}
