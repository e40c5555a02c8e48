// Which detector is best for the elements of a file: the planner's choices and the defaults of each family, measured.

import {
  type FamilyAdvice,
  FirstseenError,
  families,
  type LayoutName,
  type Limit,
  type ParameterValue,
  plan,
  type StreamModel,
} from 'firstseen';
import {
  COARSE,
  checkBytes,
  FINE,
  gridOf,
  leastFnrOf,
  limitOf,
  ownParameters,
  resolveSettings,
} from 'firstseen/internal';
import type { Identity, Measurement, Rates, RunSpec, StreamSpec } from '../contract.js';
import { predictedFor } from '../reproduce/predict.js';
import { streamModel } from '../streams/registry.js';

export interface AdviceRequest {
  path: string;
  /** The kind of stream of the file. */
  format: 'lines' | 'ids';
  memory: number | string;
  /** The highest FPR allowed; if absent, the lowest sum of both rates wins. */
  fpr?: number;
}

/** A detector that takes part, before its run. */
export interface Contestant {
  spec: RunSpec;
  /** `planned` for a target rate, or with the family's default parameters. */
  origin: 'planned' | 'by itself';
  predicted: Partial<Rates>;
}

export interface Contest {
  model: StreamModel;
  contestants: Contestant[];
  /** The least sum of both rates with a number of bits. */
  limit: Limit;
  /** The least FNR at a rate of false positives. */
  leastFnr: (fpr: number) => number;
}

/** Target rates for the planner. The measurements decide which of them is best. */
const TARGET_RATES = [1e-6, 1e-4, 1e-3, 1e-2, 0.1] as const;
const SEED = 1;

interface Choice {
  algorithm: string;
  layout: LayoutName;
  parameters: Readonly<Record<string, ParameterValue>>;
  origin: Contestant['origin'];
  identity: Identity;
}

/** The planner's choices that meet a target rate. */
function plannedFor(stream: StreamModel, memory: number, fpr: number): FamilyAdvice[] {
  try {
    return plan({ stream, memory, fpr }).families.filter(({ prediction }) => prediction.fpr <= fpr);
  } catch (error) {
    if (error instanceof FirstseenError && error.code === 'E_BOUND') return [];
    throw error;
  }
}

/** Each family in each of its layouts, with its default parameters. */
function byThemselves(): Choice[] {
  return families.flatMap(({ name: algorithm, layouts }) =>
    layouts.map((layout): Choice => ({ algorithm, layout, parameters: {}, origin: 'by itself', identity: 'hashed' })),
  );
}

/** SQF with the parameters of its paper, which are meant for identifiers. */
const onIdentifiers: Choice = {
  algorithm: 'sqf',
  layout: 'classic',
  parameters: { r: 2, "r'": 1, k: 4 },
  origin: 'by itself',
  identity: 'identifier',
};

function choicesFor(model: StreamModel, memory: number, { format, fpr }: AdviceRequest): Choice[] {
  const rates = fpr === undefined ? TARGET_RATES : [fpr];
  const planned = rates.flatMap((rate) => plannedFor(model, memory, rate));
  return [
    ...planned.map(
      ({ algorithm, layout, parameters }): Choice => ({
        algorithm,
        layout,
        parameters,
        origin: 'planned',
        identity: 'hashed',
      }),
    ),
    ...byThemselves(),
    ...(format === 'ids' ? [onIdentifiers] : []),
  ];
}

/** Removes choices that result in the same detector. */
function different(choices: readonly Choice[], memory: number): Choice[] {
  const keyOf = ({ algorithm, layout, parameters, identity }: Choice) =>
    JSON.stringify([
      algorithm,
      layout,
      identity,
      ownParameters(resolveSettings({ algorithm, layout, memory, parameters })),
    ]);
  const byKey = new Map(choices.toReversed().map((choice) => [keyOf(choice), choice]));
  return [...byKey.values()].toReversed();
}

/**
 * The detectors to run over a file, and their predictions.
 * @throws FirstseenError E_INPUT for a file that cannot be read, E_MEMORY for a memory size that no detector has.
 */
export async function contestFor(request: AdviceRequest): Promise<Contest> {
  const memoryBytes = checkBytes('memory', request.memory);
  const stream: StreamSpec = { kind: request.format, lengthElements: 0, seed: SEED, settings: { path: request.path } };
  const model = await streamModel(stream);
  const [fine, coarse] = [gridOf(model, FINE), gridOf(model, COARSE)];
  const contestants = different(choicesFor(model, memoryBytes, request), memoryBytes).map((choice): Contestant => {
    const { algorithm, layout, parameters, identity, origin } = choice;
    const detector = { algorithm, layout, memoryBytes, parameters, seed: SEED + 1 };
    const spec: RunSpec = { stream, identity, detector, curvePoints: 0, byGap: false };
    return { spec, origin, predicted: predictedFor(spec, fine) };
  });
  const bits = memoryBytes * 8;
  return { model, contestants, limit: limitOf(coarse, bits, request.fpr), leastFnr: leastFnrOf(coarse, bits) };
}

/** The result of a contestant. */
export interface Standing extends Contestant {
  measurement: Measurement;
  measured: Rates;
}

function ratesOf({ falsePositives, falseNegatives, distinct, duplicates }: Measurement): Rates {
  return {
    fpr: distinct > 0 ? falsePositives / distinct : 0,
    fnr: duplicates > 0 ? falseNegatives / duplicates : 0,
  };
}

function sumOf({ measured }: Standing): number {
  return measured.fpr + measured.fnr;
}

/** Sums within this factor are equal; then the prediction decides, then the speed. */
const AS_GOOD = 1.02;

function predictedSum({ predicted: { fpr, fnr } }: Standing): number {
  return fpr === undefined || fnr === undefined ? Number.POSITIVE_INFINITY : fpr + fnr;
}

/** The best first; those that refused elements or exceed the rate last. */
export function standingsOf(
  contestants: readonly Contestant[],
  measurements: readonly Measurement[],
  fpr = 1,
): Standing[] {
  const standings = contestants.map((contestant, i): Standing => {
    const measurement = measurements[i] as Measurement;
    return { ...contestant, measurement, measured: ratesOf(measurement) };
  });
  const isFit = ({ measurement, measured }: Standing) =>
    measurement.refusedAtElements === undefined && measured.fpr <= fpr;
  const fit = standings.filter(isFit).toSorted((a, b) => sumOf(a) - sumOf(b));
  const least = fit[0] ? sumOf(fit[0]) : 0;
  const [best] = fit
    .filter((standing) => sumOf(standing) <= least * AS_GOOD)
    .toSorted(
      (a, b) => predictedSum(a) - predictedSum(b) || b.measurement.elementsPerSecond - a.measurement.elementsPerSecond,
    );
  const others = fit.filter((standing) => standing !== best);
  return [...(best ? [best] : []), ...others, ...standings.filter((standing) => !isFit(standing))];
}

/** The best contestant of each family, in the order of the ranking. */
export function bestOfEach(standings: readonly Standing[]): Standing[] {
  const seen = new Set<string>();
  return standings.filter(({ spec }) => seen.size < seen.add(`${spec.detector.algorithm} ${spec.identity}`).size);
}
