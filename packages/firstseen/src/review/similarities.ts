// Counts documents by their similarity to the nearest kept document, and how many of them are probably on the wrong side of the threshold.

import { NORMAL_QUANTILE } from '../detectors/intervals.js';
import type { ExpectedRecords, SimilarityBin, SimilarityReview } from './facts.js';

const BINS = 20;

/** Counts records by a share from 0 to 1. */
export class ShareBins {
  readonly bins: SimilarityBin[] = Array.from({ length: BINS }, (_, i) => ({
    ...{ from: i / BINS, to: (i + 1) / BINS },
    ...{ kept: 0, dropped: 0 },
  }));

  add(share: number, isDropped: boolean): void {
    const bin = this.bins[Math.min(BINS - 1, Math.floor(share * BINS))] as SimilarityBin;
    if (isDropped) bin.dropped++;
    else bin.kept++;
  }
}

/** The coefficients of the distribution function: Abramowitz and Stegun 1964, 26.2.17, with an error below 7.5e-8. */
const SCALE = 0.2316419;
const SERIES = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429] as const;

/** The probability that a standard normal variable is below a value. */
export function normalBelow(value: number): number {
  if (value < 0) return 1 - normalBelow(-value);
  const t = 1 / (1 + SCALE * value);
  const polynomial = SERIES.reduceRight((sum, coefficient) => (sum + coefficient) * t, 0);
  return 1 - (Math.exp((-value * value) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
}

/** A sum of events, each with a probability of its own. */
class ExpectedCount {
  #count = 0;
  #sum = 0;
  #variance = 0;

  add(probability: number): void {
    this.#count++;
    this.#sum += probability;
    this.#variance += probability * (1 - probability);
  }

  /** The bounds are those of a normal distribution, which many events approach. */
  expected(): ExpectedRecords {
    const margin = NORMAL_QUANTILE * Math.sqrt(this.#variance);
    return {
      expected: this.#sum,
      low: Math.max(0, this.#sum - margin),
      high: Math.min(this.#count, this.#sum + margin),
      of: this.#count,
    };
  }
}

export interface SimilarityOfRecord {
  similarity: number | undefined;
  standardError: number | undefined;
  isDropped: boolean;
}

export class Similarities {
  readonly #threshold: number;
  readonly #bins = new ShareBins();
  #withoutCandidate = 0;
  readonly #wronglyDropped = new ExpectedCount();
  readonly #wronglyKept = new ExpectedCount();

  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  add({ similarity, standardError = 0, isDropped }: SimilarityOfRecord): void {
    if (similarity === undefined) {
      this.#withoutCandidate++;
      return;
    }
    const below = this.#chanceBelow(similarity, standardError);
    this.#bins.add(similarity, isDropped);
    if (isDropped) this.#wronglyDropped.add(below);
    else this.#wronglyKept.add(1 - below);
  }

  /** The chance that the true similarity is below the threshold, if no similarity near it is more common than others. */
  #chanceBelow(similarity: number, standardError: number): number {
    if (standardError > 0) return normalBelow((this.#threshold - similarity) / standardError);
    return similarity < this.#threshold ? 1 : 0;
  }

  review(foundAtThreshold: number): SimilarityReview {
    return {
      threshold: this.#threshold,
      bins: this.#bins.bins,
      withoutCandidate: this.#withoutCandidate,
      wronglyDropped: this.#wronglyDropped.expected(),
      wronglyKept: this.#wronglyKept.expected(),
      foundAtThreshold,
    };
  }
}
