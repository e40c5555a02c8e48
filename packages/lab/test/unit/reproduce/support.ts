// Made-up measurements.

import type { CurvePoint, ErrorCounts, Measurement, RunSpec } from '../../../src/contract.js';
import { runKey } from '../../../src/measure/key.js';
import { type Outcome, outcomeOf } from '../../../src/reproduce/outcome.js';
import type { Trial } from '../../../src/reproduce/trial.js';

export const trial: Trial = {
  stream: { kind: 'uniform', lengthElements: 1_000_000_000, distinctShare: 0.15 },
  identity: 'hashed',
  algorithm: 'bsbf',
  memoryBytes: 64 * 2 ** 20,
  parameters: { k: 2 },
};

const spec: RunSpec = {
  stream: { kind: 'uniform', lengthElements: 1000, seed: 1, settings: { distinctShare: 0.15 } },
  identity: 'hashed',
  detector: { algorithm: 'bsbf', layout: 'classic', memoryBytes: 1024, parameters: { k: 2 }, seed: 2 },
  curvePoints: 0,
  byGap: false,
};

export function measurementOf(counts: Partial<ErrorCounts>, curve: CurvePoint[] = [], of = spec): Measurement {
  const full = { distinct: 0, duplicates: 0, falsePositives: 0, falseNegatives: 0, ...counts };
  return {
    spec: of,
    key: runKey(of),
    elements: full.distinct + full.duplicates,
    ...full,
    curve,
    byGap: [],
    load: 0.5,
    stateBytes: 1024,
    truthBytes: 0,
    elementsPerSecond: 1e7,
  };
}

/** Both rates of a stream, in percent, over so many distinct elements and as many duplicates. */
export function outcomeWith(fprPercent: number, fnrPercent: number, of = 1e9): Outcome {
  const counts = {
    distinct: of,
    duplicates: of,
    falsePositives: (fprPercent / 100) * of,
    falseNegatives: (fnrPercent / 100) * of,
  };
  return outcomeOf(trial, 1, [measurementOf(counts)]);
}

/** An outcome at a scale of 1/2 whose curve has one point for each rate. Each rate, a share, is the FPR, the FNR and the load. */
export function outcomeAlong(rates: readonly number[]): Outcome {
  const of = 1000;
  const curve = rates.map(
    (rate, i): CurvePoint => ({
      positionElements: (i + 1) * 1e6,
      load: rate,
      distinct: of,
      duplicates: of,
      falsePositives: rate * of,
      falseNegatives: rate * of,
    }),
  );
  return outcomeOf(trial, 0.5, [measurementOf({ distinct: of, duplicates: of }, curve)]);
}
