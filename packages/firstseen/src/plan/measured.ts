// Plans by measurement: the candidates of all families run over the followed elements of the stream, in the kernel.

import { checkOptions } from '../base/check.js';
import { FirstseenError } from '../base/errors.js';
import { runInTurns, type Steps, Turns } from '../base/steps.js';
import { MIN_MEMORY_BYTES, resolveSettings } from '../detectors/settings.js';
import {
  adviceOf,
  type Choice,
  choicesOf,
  isBetter,
  keepsTo,
  predictedOn,
  settingsOf,
  type Unpredicted,
} from './choice.js';
import type { Candidate, FamilyPlan, PlanGoal } from './contract.js';
import { COARSE, FINE, type Grid, gridInSteps } from './grid.js';
import { withJson } from './json.js';
import { type PartitionedPlanOptions, planInSteps, planOptionNames, sizedOptions, takenFor } from './partitions.js';
import { type Plan, planOf, taskOf } from './plan.js';
import { type Prediction, predictionInSteps } from './predict.js';
import { familyPlans } from './registry.js';
import { joined, measuredPrediction, type Replay, ReplayBench, replayOf, type Tally } from './replay.js';
import type { Trace } from './trace.js';

/** A first choice among the candidates is made on about this many elements. */
const SCREENED_ELEMENTS = 2 ** 17;
/** The first choice takes a part of the memory if it has at least this many bytes, so that chance does not decide. */
const MIN_SCREENED_BYTES = 2 ** 14;
/** Candidates of a family that the first choice keeps, and how much worse than the best they may be. */
const MAX_KEPT = 4;
const KEPT = { ratio: 1.2, difference: 0.0005 };
/** Other families keep one candidate if it is worse than the best of all by this factor. */
const FAR = 1.5;
/** Steps to neighbours of the best candidate of a family that is not far. */
const MAX_STEPS = 12;
/** The rates for which the parameters of a family are tried, if they are lower than the target. */
const TRIED_RATES = [0.1, 0.01, 0.001];
/** A short part of a stream is replayed with several seeds, up to this many elements. */
const REPEATED_ELEMENTS = 2 ** 18;
const MAX_SEEDS = 8;
/**
 * The best of many candidates at one seed is lucky there. So those that may be recommended run again, with seeds that chose nothing, and
 * the means of these runs are compared.
 */
const FRESH_SEEDS = [101, 102, 103, 104, 105];
/** Only what a plan shows has rates over time: each of their points counts over the whole memory. */
const HAS_POINTS = true;

/**
 * Recommends an algorithm and its parameters for a stream. For a stream from a `GapSample` every family's rates are measured: its
 * candidates run over the elements that the sample followed. Those that may be recommended have the means of several seeds, and
 * `bySeed` says how far a run with one seed is from them. Of partitions, and of a stream that is longer than the sample, the rates are
 * computed.
 * @throws FirstseenError E_BOUND when no structure, or no algorithm, can meet the request; the message names the bound. E_PARAMETER or
 * E_MEMORY for malformed options.
 */
export async function planMeasured(options: PartitionedPlanOptions): Promise<Plan> {
  const { partitions = 1, ...planOptions } = checkOptions(options, planOptionNames);
  const { stream, lengthElements = stream?.lengthElements } = planOptions;
  const trace = stream?.lengthElements === lengthElements ? stream?.trace : undefined;
  const turns = new Turns();
  const computedPlan = async () => withJson(await runInTurns(planInSteps(options), turns));
  if (!trace || partitions !== 1) return computedPlan();
  const sized = await runInTurns(sizedOptions(planOptions), turns);
  const task = await runInTurns(taskOf(sized), turns);
  const { goal, coarse } = task;
  if (goal.memoryBytes / trace.weight < MIN_MEMORY_BYTES) return computedPlan();
  const trials = new Trials(trace, goal, coarse, turns);
  const finalists = await trials.finalists(planOptions.layout);
  const fine = await runInTurns(gridInSteps(coarse.stream, FINE), turns);
  const whole = await runInTurns(replayOf(trace), turns);
  const bests: { best: Choice; all: readonly Unpredicted[] }[] = [];
  for (const { kept: choices, all } of finalists) {
    const best = await trials.best(choices, whole, fine);
    if (best) bests.push({ best, all });
  }
  const least = Math.min(...bests.map(({ best }) => costOf(best, goal)));
  const families = [];
  for (const { best, all } of bests) {
    const isFar = costOf(best, goal) > least * FAR + KEPT.difference;
    const settledChoice = async () => trials.settled(await trials.climbed(best, all, whole, fine), whole, fine);
    const choice = isFar ? await trials.measured(best, whole, fine, HAS_POINTS) : await settledChoice();
    families.push(adviceOf(choice ?? best, goal));
  }
  const runChoice = await runInTurns(takenFor(sized), turns);
  const measuredChoice = runChoice && (await trials.measured(runChoice, whole, fine, HAS_POINTS));
  const choice = runChoice && measuredChoice && { taken: runChoice, prediction: measuredChoice.prediction };
  const measuredOn = { elements: whole.fingerprints.length, oneIn: trace.weight };
  return withJson(await runInTurns(planOf(task, families, choice, measuredOn), turns));
}

/**
 * The rates of detectors on a stream from a `GapSample`, measured as those of a plan.
 * @returns one prediction for each candidate; undefined where there is none
 */
export async function predictMeasured(
  { stream, memory }: { stream: Grid['stream']; memory: number },
  candidates: readonly (Candidate & { algorithm: string })[],
): Promise<(Prediction | undefined)[]> {
  const turns = new Turns();
  const grid = await runInTurns(gridInSteps(stream, FINE), turns);
  const { trace } = stream;
  const goal: PlanGoal = { memoryBytes: memory, distinctElements: stream.distinctIn(stream.lengthElements) };
  const canMeasure = trace !== undefined && memory / trace.weight >= MIN_MEMORY_BYTES;
  const coarse = await runInTurns(gridInSteps(stream, COARSE), turns);
  const trials = canMeasure ? new Trials(trace, goal, coarse, turns) : undefined;
  const whole = canMeasure ? await runInTurns(replayOf(trace), turns) : undefined;
  const predictions: (Prediction | undefined)[] = [];
  for (const { algorithm, ...candidate } of candidates) {
    const family = familyPlans.find(({ name }) => name === algorithm);
    const settings = family && settingsOf(family, candidate, memory);
    const choice = settings && { family, candidate, settings };
    const measuredChoice = choice && whole ? await trials?.measured(choice, whole, grid, HAS_POINTS) : undefined;
    const ratedChoice = measuredChoice ?? (choice && (await runInTurns(predictedOn(grid, choice), turns)));
    predictions.push(ratedChoice?.prediction);
  }
  return predictions;
}

/** The candidates of a family, and those that the first choice kept. */
interface Finalists {
  kept: readonly Unpredicted[];
  /** The candidates in the order of the family: neighbours have similar parameters. */
  all: readonly Unpredicted[];
}

/** Runs candidates over parts of a trace. */
class Trials {
  readonly #trace: Trace;
  readonly #goal: PlanGoal;
  readonly #coarse: Grid;
  readonly #bench = new ReplayBench();
  readonly #turns: Turns;

  constructor(trace: Trace, goal: PlanGoal, coarse: Grid, turns: Turns) {
    this.#turns = turns;
    this.#trace = trace;
    this.#goal = goal;
    this.#coarse = coarse;
  }

  /** The candidates of each family that are worth a run over everything. */
  async finalists(layout: Candidate['layout'] | undefined): Promise<Finalists[]> {
    const part = await runInTurns(this.#part(), this.#turns);
    const choicesByFamily: Choice[][] = [];
    for (const family of familyPlans) {
      const choices: Choice[] = [];
      for (const choice of await runInTurns(this.#candidates(family, layout), this.#turns)) {
        const measuredChoice = await this.measured(choice, part, this.#coarse);
        if (measuredChoice) choices.push(measuredChoice);
      }
      choicesByFamily.push(choices);
    }
    const leastOfAll = Math.min(...choicesByFamily.flat().map((choice) => costOf(choice, this.#goal)));
    return choicesByFamily.map((choices) => {
      // Only a run over the whole stream shows how much an entry depth gains or loses, so both kinds are kept.
      const [deep, shallow] = [choices.filter(hasEntryDepth), choices.filter((choice) => !hasEntryDepth(choice))];
      return { kept: [shallow, deep].flatMap((kind) => this.#kept(kind, leastOfAll)), all: choices };
    });
  }

  #kept(choices: readonly Choice[], leastOfAll: number): Choice[] {
    const cost = (choice: Choice) => costOf(choice, this.#goal);
    const sorted = choices.toSorted((a, b) => cost(a) - cost(b));
    const least = sorted[0] ? cost(sorted[0]) : 0;
    const kept = least > leastOfAll * FAR + KEPT.difference ? 1 : MAX_KEPT;
    return sorted.slice(0, kept).filter((choice) => cost(choice) <= least * KEPT.ratio + KEPT.difference);
  }

  /** A part of the trace for the first choice: one of several elements if the memory can be divided, and then stretches of it. */
  #part(): Steps<Replay> {
    const { occurrences, weight } = this.#trace;
    let oneIn = 1;
    while (
      occurrences.length / oneIn > SCREENED_ELEMENTS &&
      this.#goal.memoryBytes / weight / (2 * oneIn) >= MIN_SCREENED_BYTES
    )
      oneIn *= 2;
    return replayOf(this.#trace, { oneIn, maxOccurrences: SCREENED_ELEMENTS * oneIn });
  }

  *#candidates(family: FamilyPlan, layout: Candidate['layout'] | undefined): Steps<Unpredicted[]> {
    const target = this.#goal.fpr as number;
    const rates = [target, ...TRIED_RATES.filter((rate) => rate < target)];
    const byCandidate = new Map<string, Unpredicted>();
    for (const fpr of rates) {
      for (const choice of choicesOf(family, { ...this.#goal, fpr, isMeasured: true }, layout)) {
        byCandidate.set(JSON.stringify(choice.candidate), choice);
        yield;
      }
    }
    return [...byCandidate.values()];
  }

  /** The best of some candidates of a family. */
  async best(choices: readonly Unpredicted[], replay: Replay, fine: Grid): Promise<Choice | undefined> {
    let best: Choice | undefined;
    for (const choice of choices) {
      const next = await this.measured(choice, replay, fine);
      if (next && (!best || isBetter(next, best, this.#goal.fpr as number))) best = next;
    }
    return best;
  }

  /**
   * Climbs from a candidate by steps to a neighbour that is better, and returns the best. The first choice is made on
   * parts of the stream, and may be some steps off.
   */
  async climbed(start: Choice, all: readonly Unpredicted[], replay: Replay, fine: Grid): Promise<Choice> {
    let best = start;
    let at = all.findIndex(({ candidate }) => candidate === start.candidate);
    const triedIndices = new Set([at]);
    for (let steps = 0; steps < MAX_STEPS && costOf(best, this.#goal) > KEPT.difference; ) {
      const neighbours = [at - 1, at + 1].filter((index) => all[index] && !triedIndices.has(index));
      const from = at;
      for (const index of neighbours) {
        triedIndices.add(index);
        steps++;
        const next = await this.measured(all[index] as Unpredicted, replay, fine);
        if (!next || !isBetter(next, best, this.#goal.fpr as number)) continue;
        best = next;
        at = index;
      }
      if (at === from) break;
    }
    return best;
  }

  /** A choice with the means of its rates with fresh seeds, and their range. */
  async settled(choice: Choice, replay: Replay, fine: Grid): Promise<Choice> {
    const tallies: Tally[] = [];
    for (const seed of FRESH_SEEDS) {
      const settings = partSettings(choice, replay.weight, seed);
      const hasPoints = tallies.length === 0;
      const tally = settings && (await this.#bench.run(replay, settings, hasPoints, this.#turns));
      // One that becomes full has what the model says.
      if (!tally) return (await this.measured(choice, replay, fine, HAS_POINTS)) ?? choice;
      tallies.push(tally);
    }
    const rangeOf = (rate: (tally: Tally) => number) => {
      const rates = tallies.map(rate);
      return { low: Math.min(...rates), high: Math.max(...rates) };
    };
    const bySeed = {
      seeds: FRESH_SEEDS.length,
      fpr: rangeOf(({ falsePositives, distinct }) => falsePositives / Math.max(1, distinct)),
      fnr: rangeOf(({ falseNegatives, duplicates }) => falseNegatives / Math.max(1, duplicates)),
    };
    const modelPrediction = () => predictionInSteps(choice.family.course(choice.settings, fine), fine);
    const prediction = measuredPrediction(joined(tallies as [Tally, ...Tally[]]), modelPrediction);
    return { ...choice, prediction: { ...(await runInTurns(prediction, this.#turns)), bySeed } };
  }

  /** A candidate with its rates on a replay; undefined if it cannot have the part of the memory. */
  async measured(choice: Unpredicted, replay: Replay, grid: Grid, hasPoints = false): Promise<Choice | undefined> {
    const tallies: Tally[] = [];
    const seeds = replay.weight === 1 ? 1 : Math.ceil(REPEATED_ELEMENTS / replay.fingerprints.length);
    for (let seed = 0; seed < Math.min(seeds, MAX_SEEDS); seed++) {
      const settings = partSettings(choice, replay.weight, seed);
      if (!settings) return undefined;
      const tally = await this.#bench.run(replay, settings, hasPoints && seed === 0, this.#turns);
      // The model says when it is full.
      if (!tally) return runInTurns(predictedOn(grid, choice), this.#turns);
      tallies.push(tally);
    }
    const modelPrediction = () => predictionInSteps(choice.family.course(choice.settings, grid), grid);
    const prediction = measuredPrediction(joined(tallies as [Tally, ...Tally[]]), modelPrediction);
    return { ...choice, prediction: await runInTurns(prediction, this.#turns) };
  }
}

/** Tells if new elements enter after those that were found again. */
function hasEntryDepth({ candidate }: Choice): boolean {
  return Number(candidate.parameters.j ?? 0) > 0;
}

/** The errors that count: those that break the target first. */
function costOf(choice: Choice, { fpr = 1 }: PlanGoal): number {
  const { prediction } = choice;
  return keepsTo(choice, fpr) ? prediction.fpr + prediction.fnr : 2 + prediction.fpr;
}

/** The settings of a detector for one element in `weight`. */
function partSettings({ family, candidate, settings }: Unpredicted, weight: number, seed: number) {
  if (weight === 1) return { ...settings, seed: BigInt(seed) };
  const parameters = Object.fromEntries(
    Object.entries(candidate.parameters).map(([letter, value]) =>
      family.elementParameters?.includes(letter)
        ? [letter, Math.max(1, Math.round(Number(value) / weight))]
        : [letter, value],
    ),
  );
  const memory = Math.floor(settings.memoryBytes / weight);
  try {
    return resolveSettings({ algorithm: family.name, layout: candidate.layout, parameters, memory, seed });
  } catch (error) {
    if (error instanceof FirstseenError) return undefined;
    throw error;
  }
}
