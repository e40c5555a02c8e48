// The table that bands are asked of: any detector of ours. One table holds all bands, as their elements are hashed under seeds
// of their own; so a document is one batch of b elements, and whatever a family forgets it forgets of all bands alike.

import type { LayoutName, ParameterValue } from '../detectors/contract.js';
import { defaultFamily } from '../detectors/registry.js';
import { checkedRate, type DetectorSettings } from '../detectors/settings.js';
import { type PlannedOptions, planSettings } from '../plan/auto.js';
import { bandRate } from './decision.js';

export interface TableOptions {
  /** A detector, or `auto`; `apbf` with a window, otherwise `qht`, whose oldest documents make room for new ones. */
  algorithm?: string;
  /** As for a detector; `64MiB` by default. */
  memory?: number | string;
  /** Share of new documents that the table may report for the chance alone, 0.001 by default. */
  fpr?: number;
  /** How far back documents are surely remembered: so many kept ones, or a duration. */
  window?: number | string;
  refresh?: boolean;
  layout?: LayoutName;
  seed?: number | bigint;
  parameters?: Readonly<Record<string, ParameterValue>>;
  /** Different documents expected, from which `auto` chooses. */
  distinctDocuments?: number;
}

export const DEFAULT_TABLE_FPR = 0.001;

export interface TableRequest {
  bands: number;
  agreeing: number;
}

/** What of its bands a document needs stands for it: elements where the user counts documents. */
function windowElements(window: number | string, bands: number): number | string {
  const isCount = typeof window === 'number' || /^\d+$/.test(window);
  return isCount ? Number(window) * bands : window;
}

/** The options of a detector in which documents of so many bands have the rate of false positives that is asked for. */
export function tableDetector(options: TableOptions, { bands, agreeing }: TableRequest): PlannedOptions {
  const { fpr = DEFAULT_TABLE_FPR, window, distinctDocuments, ...asked } = options;
  const isWindow = window !== undefined || asked.refresh !== undefined;
  return {
    ...(isWindow ? {} : { algorithm: defaultFamily.name }),
    // A band that was seen before is added again, or it would age with the document that brought it.
    ...(isWindow && agreeing > 1 ? { refresh: true } : {}),
    ...asked,
    fpr: bandRate(checkedRate(fpr), bands, agreeing),
    ...(window === undefined ? {} : { window: windowElements(window, bands) }),
    ...(distinctDocuments === undefined ? {} : { distinctElements: distinctDocuments * bands }),
    witness: false,
  };
}

/** @throws FirstseenError as a detector's settings do. */
export function resolveTable(options: TableOptions, request: TableRequest): DetectorSettings {
  return planSettings(tableDetector(options, request));
}
