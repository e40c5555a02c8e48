// Which detector is best for the elements of a file: the plan's recommendation and the other families, measured.

import { FirstseenError, type LayoutName, type ParameterValue } from 'firstseen';
import {
  COARSE,
  checkBytes,
  familyNamed,
  gridOf,
  limitOf,
  minFnrOf,
  ownParameters,
  predictMeasured,
  resolveSettings,
} from 'firstseen/internal';
import type { Limit, Plan, Prediction } from 'firstseen/plan';
import { families, plan, type StreamModel } from 'firstseen/plan';
import type { Identity, Measurement, Rates, RunSpec, StreamSpec } from '../contract.js';
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
  /** Recommended by the plan, the plan's choice of the family, or with the family's default parameters. */
  origin: 'recommended' | 'planned' | 'by itself';
  predicted: Partial<Rates>;
}

export interface Contest {
  model: StreamModel;
  contestants: Contestant[];
  /** The least sum of both rates with a number of bits. */
  limit: Limit;
  /** The least FNR at a rate of false positives. */
  minFnr: (fpr: number) => number;
}

/** So high that it excludes no family. */
const ANY_RATE = 0.5;
/** The seed with which the command reads and remembers if none is given. */
const SEED = 0;
/** The detectors have another seed than those on which the plan was measured. */
const DETECTOR_SEED = 1;

interface Choice {
  algorithm: string;
  layout: LayoutName;
  parameters: Readonly<Record<string, ParameterValue>>;
  origin: Contestant['origin'];
  identity: Identity;
  /** The prediction of the plan; otherwise it has yet to be computed. */
  prediction?: Prediction;
}

/** The plan of `firstseen plan --sample` with the same memory and rate; undefined if no family keeps to the rate. */
async function planFor(stream: StreamModel, memory: number, fpr: number): Promise<Plan | undefined> {
  try {
    return await plan({ stream, memory, fpr });
  } catch (error) {
    if (error instanceof FirstseenError && error.code === 'E_BOUND') return undefined;
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

function choicesFor(plan: Plan | undefined, { format }: AdviceRequest): Choice[] {
  const planned = (plan?.families ?? []).map((advice): Choice => {
    const { algorithm, layout, parameters, prediction } = advice;
    const origin = advice === plan?.recommended ? 'recommended' : 'planned';
    return { algorithm, layout, parameters, prediction, origin, identity: 'hashed' };
  });
  return [...planned, ...byThemselves(), ...(format === 'ids' ? [onIdentifiers] : [])];
}

/** Removes choices that result in the same detector. */
function different(choices: readonly Choice[], memory: number): Choice[] {
  const keyOf = ({ algorithm, layout, parameters, identity }: Choice) =>
    JSON.stringify([
      algorithm,
      layout,
      identity,
      ownParameters(resolveSettings({ algorithm: familyNamed(algorithm).name, layout, memory, parameters })),
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
  const choices = different(
    choicesFor(await planFor(model, memoryBytes, request.fpr ?? ANY_RATE), request),
    memoryBytes,
  );
  const contestants: Contestant[] = [];
  for (const choice of choices) {
    const { algorithm, layout, parameters, identity, origin } = choice;
    const detector = { algorithm, layout, memoryBytes, parameters, seed: DETECTOR_SEED };
    const spec: RunSpec = { stream, identity, detector, curvePoints: 0, byGap: false };
    contestants.push({ spec, origin, predicted: await predictedFor(choice, model, memoryBytes) });
  }
  const bits = memoryBytes * 8;
  const coarse = gridOf(model, COARSE);
  return { model, contestants, limit: limitOf(coarse, bits, request.fpr), minFnr: minFnrOf(coarse, bits) };
}

/** No rates are predicted for a detector that receives identifiers, or that becomes full. */
async function predictedFor(choice: Choice, stream: StreamModel, memory: number): Promise<Partial<Rates>> {
  if (choice.identity === 'identifier') return {};
  const prediction = choice.prediction ?? (await predictMeasured({ stream, memory }, [choice]))[0];
  if (prediction === undefined || prediction.refusesAfterElements !== undefined) return {};
  return { fpr: prediction.fpr, fnr: prediction.fnr };
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

export function sumOf({ measured }: Standing): number {
  return measured.fpr + measured.fnr;
}

/** The recommended one first, then by errors; those that refused elements or exceed the rate last. */
export function standingsOf(
  contestants: readonly Contestant[],
  measurements: readonly Measurement[],
  fpr = 1,
): Standing[] {
  const standings = contestants.map((contestant, i): Standing => {
    const measurement = measurements[i] as Measurement;
    return { ...contestant, measurement, measured: ratesOf(measurement) };
  });
  const rankOf = (standing: Standing) => {
    if (standing.origin === 'recommended') return 0;
    return standing.measurement.refusedAtElements === undefined && standing.measured.fpr <= fpr ? 1 : 2;
  };
  return standings.toSorted((a, b) => rankOf(a) - rankOf(b) || sumOf(a) - sumOf(b));
}

/** A detector with this many times fewer errors is shown next to the recommended one, */
const BETTER = 1.1;
/** if its rates add up to that much less: 0.05 percentage points. */
const BETTER_BY = 0.0005;

/** The detector that had clearly fewer errors than the recommended one, such as one that receives identifiers; often undefined. */
export function betterThanRecommended(standings: readonly Standing[], fpr = 1): Standing | undefined {
  const recommended = standings.find(({ origin }) => origin === 'recommended');
  const most = recommended ? Math.min(sumOf(recommended) / BETTER, sumOf(recommended) - BETTER_BY) : 2;
  return standings
    .filter(({ measurement, measured }) => measurement.refusedAtElements === undefined && measured.fpr <= fpr)
    .filter((standing) => sumOf(standing) < most)
    .reduce<Standing | undefined>((best, next) => (best && sumOf(best) <= sumOf(next) ? best : next), undefined);
}

/** The best contestant of each family, in the order of the ranking. */
export function bestOfEach(standings: readonly Standing[]): Standing[] {
  const seen = new Set<string>();
  return standings.filter(({ spec }) => seen.size < seen.add(`${spec.detector.algorithm} ${spec.identity}`).size);
}
