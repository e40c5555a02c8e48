// Runs detectors over a stream and compares their verdicts with the truth. All runs over one stream share it, because
// generating it takes about as long as a detector.

import { FirstseenError } from 'firstseen';
import type { CurvePoint, ErrorCounts, Measurement, RunSpec } from '../contract.js';
import { recordedSpec, runKey, streamKey } from './key.js';
import { type ElementStream, openStream } from './stream.js';
import { createSubject, type Subject } from './subject.js';
import { addVerdicts, countsOf, countsSince, emptyTally, gapsOf, type Tally } from './tally.js';

export interface MeasureOptions {
  /** Called repeatedly with the number of elements so far. */
  onProgress?: (elements: number) => void;
}

const noErrors: ErrorCounts = { distinct: 0, duplicates: 0, falsePositives: 0, falseNegatives: 0 };

/** Batches between two calls of `onProgress`. */
const PROGRESS_BATCHES = 64;

/** One run in progress. */
class Contender {
  readonly #spec: RunSpec;
  readonly #subject: Subject;
  readonly #cuts: number[];
  readonly #tally: Tally = emptyTally();
  readonly #curve: CurvePoint[] = [];
  #counted: ErrorCounts = noErrors;
  #seconds = 0;
  #observed = 0;
  #refusedAtElements: number | undefined;

  constructor(spec: RunSpec, subject: Subject, lengthElements: number) {
    this.#spec = spec;
    this.#subject = subject;
    this.#cuts = cutsOf(spec.curvePoints, lengthElements);
  }

  /** True if the detector was full, and accepts no more elements. */
  get isRefused(): boolean {
    return this.#refusedAtElements !== undefined;
  }

  /** The position of the curve's next point. */
  get nextCut(): number {
    if (this.isRefused) return Number.POSITIVE_INFINITY;
    return this.#cuts[this.#curve.length] ?? Number.POSITIVE_INFINITY;
  }

  observe({ fingerprints, truth }: ElementStream, count: number): void {
    if (this.isRefused) return;
    const subject = this.#subject;
    subject.fingerprints.set(count < fingerprints.length ? fingerprints.subarray(0, count) : fingerprints);
    const startMilliseconds = performance.now();
    const takenElements = subject.observe(count);
    this.#seconds += (performance.now() - startMilliseconds) / 1000;
    this.#observed += takenElements;
    addVerdicts(this.#tally, truth, subject.verdicts, takenElements);
    if (takenElements < count) this.#refusedAtElements = this.#observed;
  }

  /** Ends an interval of the curve if it ends at this position. */
  reach(positionElements: number): void {
    if (positionElements !== this.nextCut) return;
    const counts = countsOf(this.#tally);
    this.#curve.push({ positionElements, load: this.#subject.countLoad(), ...countsSince(this.#counted, counts) });
    this.#counted = counts;
  }

  measurement(truthBytes: number): Measurement {
    const observedElements = this.#observed;
    const refusedAtElements = this.#refusedAtElements;
    return {
      spec: recordedSpec(this.#spec),
      key: runKey(this.#spec),
      elements: observedElements,
      ...(refusedAtElements === undefined ? {} : { refusedAtElements }),
      ...countsOf(this.#tally),
      curve: this.#curve,
      byGap: this.#spec.byGap ? gapsOf(this.#tally) : [],
      load: this.#subject.countLoad(),
      stateBytes: this.#subject.stateBytes,
      truthBytes,
      elementsPerSecond: this.#seconds > 0 ? observedElements / this.#seconds : 0,
    };
  }
}

/** The ends of the intervals of a curve. A stream shorter than the number of points has one for each element. */
function cutsOf(points: number, lengthElements: number): number[] {
  const cuts = Array.from({ length: points }, (_, i) => Math.round((lengthElements * (i + 1)) / points));
  return [...new Set(cuts)].filter((cut) => cut > 0);
}

function checkShared(specs: readonly RunSpec[]): RunSpec {
  const [first] = specs;
  if (first && specs.every((spec) => streamKey(spec) === streamKey(first))) return first;
  throw new FirstseenError(
    'E_PARAMETER',
    specs.length === 0 ? 'no runs were given' : 'the runs have different streams or identities',
    { remedy: 'measure the runs of each stream together' },
  );
}

/**
 * Runs detectors over the stream that their specs share. Returns a measurement for each spec, in their order.
 * @throws FirstseenError E_PARAMETER for specs of several streams, and as streams and detectors do.
 */
export async function measure(specs: readonly RunSpec[], options: MeasureOptions = {}): Promise<Measurement[]> {
  const { stream: streamSpec, identity } = checkShared(specs);
  const stream = await openStream(streamSpec, { identity, isByGap: specs.some(({ byGap }) => byGap) });
  try {
    const { batchCapacity, resolved } = stream;
    const subjects = await Promise.all(specs.map(({ detector }) => createSubject(detector, identity, batchCapacity)));
    const contenders = specs.map((spec, i) => new Contender(spec, subjects[i] as Subject, resolved.lengthElements));
    await runThrough(stream, contenders, options);
    return contenders.map((contender) => contender.measurement(stream.truthBytes));
  } finally {
    await stream.close();
  }
}

async function runThrough(
  stream: ElementStream,
  contenders: readonly Contender[],
  { onProgress }: MeasureOptions,
): Promise<void> {
  let position = 0;
  for (let batch = 0; ; batch++) {
    const cut = Math.min(...contenders.map(({ nextCut }) => nextCut));
    const count = await stream.next(Math.min(stream.batchCapacity, cut - position));
    if (count === 0 || contenders.every(({ isRefused }) => isRefused)) break;
    for (const contender of contenders) contender.observe(stream, count);
    position += count;
    for (const contender of contenders) contender.reach(position);
    if (batch % PROGRESS_BATCHES === 0) onProgress?.(position);
  }
  onProgress?.(position);
}
