// Makes detectors from the options that a client gives.

import { exactFamily, exactWindowFamily } from '../../detectors/registry.js';
import { DEFAULT_TARGET_FPR } from '../../plan/auto.js';
import type { CreateOptions } from '../../plan/keys.js';
import type { DetectorEntry } from '../store/entry.js';
import type { Creation, DetectorStore } from '../store/store.js';
import type { Created } from './createoptions.js';

/** A detector for claims is exact if it is not told otherwise: a false positive is work that is never done. */
function claimingOptions(options: CreateOptions): CreateOptions {
  const { name } = options.window === undefined ? exactFamily : exactWindowFamily;
  return { ...options, algorithm: options.algorithm ?? name };
}

/** The rate of false positives of a detector for claims: that of equal fingerprints, or the one that it was made for. */
export function rateOf({ detector, request }: DetectorEntry): number {
  const { n } = detector.statsWithoutLoad().parameters;
  const { fpr = DEFAULT_TARGET_FPR } = request.options;
  const isExact = [exactFamily, exactWindowFamily].includes(detector.settings.family);
  return isExact ? Number(n ?? 0) / 2 ** 64 : fpr;
}

/** Makes a detector, unless there is one with the same options. Throws as `DetectorStore.create`. */
export function createDetector(store: DetectorStore, name: string, { options, claims }: Created): Promise<Creation> {
  return store.create(name, claims ? { options: claimingOptions(options), claims } : { options });
}

/** Makes a detector as it was when it was created. */
export function clearDetector(entry: DetectorEntry): void {
  entry.clear();
  entry.recorder?.cleared(entry);
}
