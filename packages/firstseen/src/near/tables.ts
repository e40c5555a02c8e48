// The table of bands: any detector. One table holds all bands, because each band is hashed with a seed of its own. So a document
// is one batch of b elements, and a family forgets elements of all bands equally.

import { checkCount } from '../base/check.js';
import { formatCounted } from '../base/count.js';
import { defined } from '../base/defined.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { Steps } from '../base/steps.js';
import type { LayoutName, ParameterValue } from '../detectors/contract.js';
import { defaultFamily, sketchFamily } from '../detectors/registry.js';
import { checkWindow, type DetectorSettings, resolveOfFamily } from '../detectors/settings.js';
import type { AlgorithmName, PlannedOptions } from '../plan/auto.js';
import { settingsInSteps } from '../plan/autosettings.js';
import { type DecisionRequest, elementRate } from './decision.js';
import type { VerifySettings } from './verify.js';

export interface NearTableOptions {
  /** A detector, or `auto`. The default is `apbf` with a window, otherwise `qht`, in which new documents replace the oldest. */
  algorithm?: AlgorithmName | undefined;
  /** As for a detector. The default is `64MiB`. */
  memory?: number | string | undefined;
  /** The window in which documents are always remembered: a number of kept documents, or a duration. */
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

/** The settings that the table depends on in addition to its options. */
export type TableRequest = DecisionRequest & Pick<VerifySettings, 'verify' | 'sketchBytes' | 'sketchSlots'>;

/** @throws FirstseenError E_PARAMETER for a duration. */
function windowDocuments(window: number | string): number {
  const checked = checkWindow(window);
  if ('elements' in checked) return checked.elements;
  throw new FirstseenError('E_PARAMETER', phrase`${optionName('window')} is a duration, but documents are verified`, {
    option: 'window',
    given: window,
    expected: 'a number of documents',
    remedy: phrase`give a number of documents, or see ${optionName('verify')}`,
  });
}

/** The options of the table of sketches. */
function askedOfSketches({ memory, seed, secret, window }: NearTableOptions, request: TableRequest): PlannedOptions {
  const { sketchBytes: S, sketchSlots: M, bands: b } = request;
  const parameters = { S, b, M, ...(window === undefined ? {} : { W: windowDocuments(window) }) };
  return defined({ memory, seed, secret, parameters });
}

/** The options of the detector, in elements. */
export function askedOfTable(options: NearTableOptions, request: TableRequest): PlannedOptions {
  if (request.verify) return askedOfSketches(options, request);
  const { bands } = request;
  const { window, distinctDocuments, ...detectorOptions } = options;
  return {
    ...detectorOptions,
    ...(window === undefined ? {} : { window: windowElements(window, bands) }),
    ...(distinctDocuments === undefined
      ? {}
      : { distinctElements: checkCount('distinctDocuments', distinctDocuments) * bands }),
  };
}

/** An error about a number of documents that was asked for says how many elements a document has. */
function inDocuments(error: FirstseenError, { window }: NearTableOptions, { bands }: TableRequest): FirstseenError {
  const isCounted = error.option === 'window' && window !== undefined && 'elements' in checkWindow(window);
  return isCounted ? error.at(`with ${formatCounted(bands, 'element')} for each document`) : error;
}

/**
 * The settings of a detector in which documents with this number of bands have the requested rate of false positives.
 * @throws FirstseenError as `settingsInSteps`.
 */
export function* resolveTable(options: NearTableOptions, request: TableRequest): Steps<DetectorSettings> {
  if (request.verify) {
    const { algorithm: _none, ...sketchOptions } = askedOfSketches(options, request);
    return resolveOfFamily(sketchFamily, sketchOptions);
  }
  const hasWindow = [options.window, options.windowSlack, options.refresh].some((option) => option !== undefined);
  try {
    return yield* settingsInSteps({
      ...(hasWindow ? {} : { algorithm: defaultFamily.name }),
      // A band that was seen is added again, otherwise it would age with the document that added it.
      ...(hasWindow && request.agreeing > 1 ? { refresh: true } : {}),
      ...askedOfTable(options, request),
      fpr: elementRate(request),
    });
  } catch (error) {
    throw error instanceof FirstseenError ? inDocuments(error, options, request) : error;
  }
}
