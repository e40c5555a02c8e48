// What the planner's model says of a trial, and what no structure could do better.

import { resolveSettings } from '../../detectors/settings.js';
import { COARSE, FINE, type Grid, gridOf } from '../../plan/grid.js';
import { leastFnrOf } from '../../plan/limit.js';
import { predictionOf } from '../../plan/predict.js';
import { familyPlans } from '../../plan/registry.js';
import type { StreamModel } from '../../plan/stream.js';
import type { Rates, RunSpec } from '../contract.js';
import { streamKey } from '../key.js';
import { streamModel } from '../streams/registry.js';

export interface Expectation {
  predicted: Partial<Rates>;
  limit: Partial<Rates>;
}

/** What there is to know of a stream before it runs; the same for every run over it. */
interface Outlook {
  model: StreamModel;
  fine: Grid;
  coarse: Grid;
  /** By bits. */
  leastFnr: Map<number, (fpr: number) => number>;
}

async function outlookOf(spec: RunSpec): Promise<Outlook> {
  const model = await streamModel(spec.stream);
  return { model, fine: gridOf(model, FINE), coarse: gridOf(model, COARSE), leastFnr: new Map() };
}

function predictedFor({ detector }: RunSpec, { fine }: Outlook): Partial<Rates> {
  const plan = familyPlans.find(({ name }) => name === detector.algorithm);
  if (!plan) return {};
  const { algorithm, layout, memoryBytes: memory, parameters, seed } = detector;
  const settings = resolveSettings({ algorithm, layout, memory, parameters, seed });
  if (plan.isModelOf?.(settings) === false) return {};
  const { fpr, fnr } = predictionOf(plan.course(settings, fine), fine);
  return { fpr, fnr };
}

function limitFor({ detector }: RunSpec, { coarse, leastFnr }: Outlook, fpr: number | undefined): Partial<Rates> {
  if (fpr === undefined) return {};
  const bits = detector.memoryBytes * 8;
  const least = leastFnr.get(bits) ?? leastFnrOf(coarse, bits);
  leastFnr.set(bits, least);
  return { fnr: least(fpr) };
}

/**
 * A function from a run and its measured rate of false positives to what was to be expected. Both the model and the limit are
 * of keys as good as random: of identifiers without gaps, which a bitmap tells apart, neither says anything.
 */
export function expectations(): (spec: RunSpec, fpr: number | undefined) => Promise<Expectation> {
  const outlooks = new Map<string, Promise<Outlook>>();
  return async (spec, fpr) => {
    if (spec.identity === 'identifier') return { predicted: {}, limit: {} };
    const key = streamKey(spec);
    const known = outlooks.get(key) ?? outlookOf(spec);
    outlooks.set(key, known);
    const outlook = await known;
    return { predicted: predictedFor(spec, outlook), limit: limitFor(spec, outlook, fpr) };
  };
}
