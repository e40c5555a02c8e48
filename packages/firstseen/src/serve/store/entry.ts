// A detector of the store, with what is known of it besides.

import type { Detector } from '../../detectors/detector.js';
import type { CreateOptions } from '../../plan/keys.js';
import type { FilterGoal } from './bloomsize.js';
import { Requests } from './requests.js';

/** A filter that was reserved for a number of elements. */
export interface Filter extends FilterGoal {
  /** Whether it refuses elements beyond its capacity. Otherwise its rate of false positives grows. */
  isNonScaling: boolean;
}

/** What a detector is made from. */
export interface DetectorRequest {
  options: CreateOptions;
  filter?: Filter | undefined;
}

/** A named detector. */
export class DetectorEntry {
  readonly name: string;
  readonly detector: Detector;
  readonly request: DetectorRequest;
  readonly requests = new Requests();

  constructor(name: string, detector: Detector, request: DetectorRequest) {
    this.name = name;
    this.detector = detector;
    this.request = request;
  }

  /** Bytes of its cells that were asked for. */
  get memoryBytes(): number {
    return this.detector.settings.memoryBytes;
  }

  /** Elements that were added, without repeats. */
  get distinct(): number {
    return this.detector.observed - this.detector.duplicates;
  }

  /** New elements for which there is room: any number, unless the filter refuses more. */
  get room(): number {
    const { filter } = this.request;
    return filter?.isNonScaling ? filter.capacity - this.distinct : Number.POSITIVE_INFINITY;
  }

  /** Makes the detector as it was when it was created. */
  clear(): void {
    this.detector.clear();
    this.requests.clear();
  }
}
