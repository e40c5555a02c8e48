// Notices when a detector has taken more than it was planned for: when its rate of false positives over the stream so far exceeds
// the target, by the planner's prediction or by the measurement of the witness. The points of the stream at which this is looked
// at depend on what was observed alone, never on how the input was cut into batches.

import { lastWhole } from '../base/bisection.js';
import { formatCount } from '../base/count.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { type Detector, kernelOf } from '../detectors/detector.js';
import type { Overload, OverloadPolicy } from '../detectors/ratewatch.js';
import { defaultFamily } from '../detectors/registry.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { falsePositiveSums } from '../detectors/witness.js';
import { DEFAULT_TARGET_FPR } from '../options/detector.js';
import { partitionStream, settingsOfPartition } from './advise.js';
import { isAuto, type PlannedOptions } from './auto.js';
import { boundOf } from './bound.js';
import { COARSE, gridOf } from './grid.js';
import { poissonAtLeast } from './poisson.js';
import { type Prediction, predictionOf } from './predict.js';
import { familyPlans } from './registry.js';
import { type StreamModel, uniformStream, universeOf } from './stream.js';

export interface OverloadOptions {
  targetFpr: number;
  /** `warn` by default. */
  policy?: OverloadPolicy;
  /** Called once, with the policy `warn`. */
  onWarning?: (warning: FirstseenError) => void;
  /** The error for what was found. By default, it is that of a detector that was planned. */
  errorOf?: (overload: Overload) => FirstseenError;
}

/** A stream so long that the rate of a detector that forgets does not change any more. */
const ENDLESS_OCTAVE = 40;
/** The prediction looks ahead by at least this share of what was observed, or by one element. */
const MIN_LOOK_AHEAD = 2 ** -10;
/** The measurement is checked first after this many elements, and then whenever their number has grown by a quarter. */
const FIRST_LOOK_ELEMENTS = 4096;
const LOOKS_GROWTH = 1.25;
/** A prediction at the target differs from it by rounding errors. */
const ROUNDING = 1 + 1e-6;
/** The prediction adds trapezoids, whose sum exceeds the bound of a family by less than this. */
const BOUND_MARGIN = 1.001;
/**
 * The measurement counts if a detector at the target would show as many false positives with less than this probability. It is
 * looked at about ten times per power of ten, so a detector at the target raises one false alarm in a hundred long streams or fewer.
 */
const SIGNIFICANCE = 1e-4;

/** The target rate of a detector that was made with these options; undefined if it has none. */
export function targetFprOf(asked: PlannedOptions, { family, parameters }: DetectorSettings): number | undefined {
  if (asked.fpr !== undefined) return asked.fpr;
  // The rate of a ring that a clock turns holds only up to a number of elements per turn.
  if (parameters.isTimed && !isAuto(asked) && typeof parameters.values.FPR === 'number') return parameters.values.FPR;
  const { window, windowSlack, refresh, distinctElements, lengthElements, gapsElements } = asked;
  const hints = [window, windowSlack, refresh, distinctElements, lengthElements, gapsElements];
  // The options of the state of a program are unknown.
  const isPlanned = isAuto(asked) && (family === defaultFamily || hints.some((hint) => hint !== undefined));
  return isPlanned ? DEFAULT_TARGET_FPR : undefined;
}

/**
 * The predicted rate of false positives over a stream of `observed` elements, of which `distinct` were reported distinct.
 * Undefined for a detector whose clock turns it, because its rate depends on the elements per second.
 */
export function predictedFpr(settings: DetectorSettings, observed: number, distinct: number): number | undefined {
  const length = Math.max(2, observed);
  return predictionOver(settings, uniformStream(length, universeOf(length, Math.max(1, distinct))))?.fpr;
}

/** The predicted rates over a stream. Undefined for a detector whose clock turns it. */
export function predictionOver(settings: DetectorSettings, stream: StreamModel): Prediction | undefined {
  const plan = familyPlans.find(({ name }) => name === settings.family.name);
  if (plan === undefined || settings.parameters.isTimed) return undefined;
  const { count } = settings.partitions ?? { count: 1 };
  const grid = gridOf(count === 1 ? stream : partitionStream(stream, count), COARSE);
  return predictionOf(plan.course(settingsOfPartition(settings), grid), grid);
}

/** Tells if the family's own bound on the rate, which holds for every stream, is within the target. */
export function isBoundWithin(settings: DetectorSettings, targetFpr: number): boolean {
  const bound = boundOf(settings);
  return bound !== undefined && bound * BOUND_MARGIN <= targetFpr;
}

/** A number of what is looked up, such as passages. */
export interface TakenCount {
  count: number;
  /** The name of the counted units, in the plural. */
  name: string;
  /** The structure in which they are looked up. */
  holder: 'table' | 'detector';
}

/** The error of a table that never forgets, and has taken more than it has room for. */
export function pastCapacity({ count, name, holder }: TakenCount, fpr: number): FirstseenError {
  const rate = Number(fpr.toPrecision(3));
  const problem = `after ${formatCount(count)} ${name} the ${holder} is past its capacity: it is predicted to report more than ${rate} of the new ${name} as duplicates, and more and more`;
  return new FirstseenError('E_OVERLOAD', problem, {
    option: 'memory',
    remedy: phrase`start again with more ${optionName('memory')}, or with an ${optionName('algorithm')} that forgets, such as qht`,
  });
}

function overloadError({ evidence, fpr, targetFpr, sinceElements }: Overload): FirstseenError {
  const [memory, rate] = [optionName('memory'), optionName('fpr')];
  const figure = evidence === 'predicted' ? 'its predicted rate' : `its measured rate, ${Number(fpr.toPrecision(2))},`;
  return new FirstseenError(
    'E_OVERLOAD',
    `after ${formatCount(sinceElements)} elements the detector is past what it was planned for: ${figure} of false positives exceeds the target ${Number(targetFpr.toPrecision(3))}`,
    {
      option: 'fpr',
      given: targetFpr,
      remedy: phrase`start again with more ${memory}, with the right ${optionName('distinctElements')}, or with a higher ${rate}`,
    },
  );
}

/** The options for watching the rate of a run's detector. */
export interface RunWatchOptions
  extends Pick<OverloadOptions, 'policy' | 'onWarning'>,
    Pick<TakenCount, 'name' | 'holder'> {
  /** The options of the detector, with those of earlier runs. */
  asked: PlannedOptions;
}

/** Watches the rate of the detector of a run. Undefined for one that forgets and has no target. */
export function runWatch(detector: Detector, options: RunWatchOptions): OverloadWatch | undefined {
  const { asked: request, name, holder, ...watchOptions } = options;
  const { settings } = detector;
  const capacityFpr = settings.family.capacityFpr?.(settings.parameters.values);
  const targetFpr = targetFprOf(request, settings) ?? capacityFpr;
  if (targetFpr === undefined) return undefined;
  // Expectations, which a detector that was planned is advised to get, have no effect with an algorithm that was chosen.
  if (capacityFpr === undefined || isAuto(request)) return new OverloadWatch(detector, { targetFpr, ...watchOptions });
  const errorOf = ({ sinceElements: count }: Overload) => pastCapacity({ count, name, holder }, targetFpr);
  return new OverloadWatch(detector, { targetFpr, ...watchOptions, errorOf });
}

export class OverloadWatch {
  readonly #detector: Detector;
  readonly #options: OverloadOptions;
  #overload: Overload | undefined;
  /** Numbers of observed elements: how far the prediction is within the target, and when the measurement is next looked at. */
  #withinUntil = 0;
  #lookAt: number;
  /** True if any elements come. A finished run that is given again warns of nothing, because nothing goes on. */
  #isUsed = false;

  constructor(detector: Detector, options: OverloadOptions) {
    this.#detector = detector;
    this.#options = options;
    this.#lookAt = detector.settings.witnessBytes > 0 ? FIRST_LOOK_ELEMENTS : Number.POSITIVE_INFINITY;
  }

  /** Returns the overload that was found up to the end of the stream, where no policy can stop it any more. */
  atEnd(): Overload | undefined {
    try {
      this.#measure();
    } catch {
      // The stream is complete.
    }
    const found = this.found();
    return found && { ...found, fpr: this.#lostShare() ?? found.fpr };
  }

  /** Returns the overload that was found so far, with the rate up to now. */
  found(): Overload | undefined {
    return this.#overload && { ...this.#overload, fpr: this.#rateNow(this.#overload) };
  }

  /**
   * The share of the new elements that was reported as duplicates, if the load of the detector tells how many there were and the witness
   * does not.
   */
  #lostShare(): number | undefined {
    const { settings, observed, duplicates } = this.#detector;
    if (settings.witnessBytes > 0) return undefined;
    const { count } = settings.partitions ?? { count: 1 };
    const plan = familyPlans.find(({ name }) => name === settings.family.name);
    const perPartition = plan?.distinctAt?.(settingsOfPartition(settings), this.#detector.countLoad());
    return perPartition && Math.max(0, 1 - (observed - duplicates) / (count * perPartition));
  }

  /** The number of observed elements up to which `elementsAhead` need not be called again, once it was called. */
  get withinElements(): number {
    if (this.#overload !== undefined) return Number.POSITIVE_INFINITY;
    return Math.min(this.#withinUntil, this.#lookAt);
  }

  /**
   * Returns the number of elements that may be observed before the next call, at least 1.
   * @throws FirstseenError E_OVERLOAD with the policy `fail`, when the detector is past what it was planned for.
   */
  elementsAhead(): number {
    this.#isUsed = true;
    if (this.#overload !== undefined) return Number.POSITIVE_INFINITY;
    const { observed } = this.#detector;
    if (observed >= this.#withinUntil) this.#predict();
    if (observed >= this.#lookAt) this.#measure();
    // Either may have found an overload.
    if (this.#overload !== undefined) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.min(this.#withinUntil, this.#lookAt) - observed);
  }

  #measure(): void {
    const { observed, settings } = this.#detector;
    if (settings.witnessBytes === 0 || this.#overload !== undefined) return;
    while (this.#lookAt <= observed) this.#lookAt = Math.ceil(this.#lookAt * LOOKS_GROWTH);
    const { distinct, falsePositives, fraction } = falsePositiveSums(kernelOf(this.#detector));
    const events = Math.floor(falsePositives * fraction);
    if (events === 0) return;
    if (poissonAtLeast(events, distinct * fraction * this.#options.targetFpr) > SIGNIFICANCE) return;
    this.#found('measured', falsePositives / distinct);
  }

  /** Finds how far the prediction stays within the target, even if all elements are new. */
  #predict(): void {
    const { observed, settings } = this.#detector;
    // A prediction takes milliseconds, so most runs do without any.
    if (isBoundWithin(settings, this.#options.targetFpr)) {
      this.#withinUntil = Number.POSITIVE_INFINITY;
      return;
    }
    const distinct = observed - this.#detector.duplicates;
    const room = this.#capacityElements - distinct;
    if (room > 0) {
      this.#withinUntil = observed + room;
      return;
    }
    const rateAfter = (more: number) => predictedFpr(settings, observed + more, distinct + more);
    const isWithin = (more: number) => (rateAfter(more) ?? 0) <= this.#options.targetFpr * ROUNDING;
    const least = Math.max(1, Math.floor(observed * MIN_LOOK_AHEAD));
    if (isWithin(2 ** ENDLESS_OCTAVE)) {
      this.#withinUntil = Number.POSITIVE_INFINITY;
      return;
    }
    if (!isWithin(least)) {
      this.#found('predicted', rateAfter(least) ?? 0);
      return;
    }
    const octave = lastWhole([0, ENDLESS_OCTAVE], (power) => isWithin(Math.max(least, 2 ** power)));
    this.#withinUntil = observed + Math.max(least, 2 ** octave);
  }

  /** The distinct elements up to which no prediction is needed, because the rate at the capacity of the family is within the target. */
  get #capacityElements(): number {
    const { family, parameters, partitions } = this.#detector.settings;
    const capacityFpr = family.capacityFpr?.(parameters.values);
    const isWithin = capacityFpr !== undefined && capacityFpr <= this.#options.targetFpr;
    return isWithin && partitions === undefined ? Number(parameters.values.n) : 0;
  }

  #rateNow({ evidence, fpr }: Overload): number {
    const { settings, observed, duplicates } = this.#detector;
    if (evidence === 'measured') return this.#measuredFpr;
    const predicted = predictedFpr(settings, observed, observed - duplicates) ?? fpr;
    // A detector that is badly full reports few elements as distinct, from which the prediction would follow.
    return Math.max(predicted, settings.witnessBytes > 0 ? this.#measuredFpr : 0);
  }

  get #measuredFpr(): number {
    const { distinct, falsePositives } = falsePositiveSums(kernelOf(this.#detector));
    return distinct > 0 ? falsePositives / distinct : 0;
  }

  #found(evidence: Overload['evidence'], fpr: number): void {
    const { targetFpr, policy = 'warn', onWarning, errorOf = overloadError } = this.#options;
    const overload: Overload = { evidence, fpr, targetFpr, sinceElements: this.#detector.observed };
    this.#overload = overload;
    if (!this.#isUsed) return;
    const error = errorOf(overload);
    if (policy === 'fail') throw error;
    onWarning?.(error);
  }
}
