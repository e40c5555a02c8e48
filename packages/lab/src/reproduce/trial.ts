// The runs of a row of a paper. Stream and memory are scaled by the same factor, which does not change the rates.

import { basename, dirname } from 'node:path';
import type { LayoutName, ParameterValue } from 'firstseen';
import { MIN_MEMORY_BYTES } from 'firstseen/internal';
import type { Identity, RunSpec, StreamSpec } from '../contract.js';
import type { PublishedStream } from '../published/contract.js';
import { hasCurve } from '../published/registry.js';
import { classesText } from '../streams/mixed.js';
import { crawlClasses } from './crawls.js';

/** A stream of a paper, or one of our own: independent uniform draws, or recent repeats. */
export interface TrialStream extends Omit<PublishedStream, 'kind'> {
  kind: PublishedStream['kind'] | 'independent' | 'recency';
  /** The window from which repeats are drawn, if they are recent. */
  windowElements?: number;
}

/** One detector over one stream, at full length. */
export interface Trial {
  stream: TrialStream;
  identity: Identity;
  algorithm: string;
  memoryBytes: number;
  /** The layout; by default that of the papers, `classic`. */
  layout?: LayoutName;
  parameters: Readonly<Record<string, ParameterValue>>;
  /** True if misses are counted by gap. */
  isByGap?: boolean;
}

/** The settings that all tables share. */
export interface RunSettings {
  /** The factor of the length and the memory: 1, 1/2, 1/4 ... */
  scale: number;
  /** The number of repetitions of each run, each with different draws and hashes. */
  seeds: number;
  /** Files of real data sets by the papers' names. */
  data: Readonly<Record<string, string>>;
}

/** A stream is not scaled below this length. */
const MIN_STREAM_ELEMENTS = 1_000_000;
/** Points of a curve, for the plots of figures. Runs of tables have them too, because figures share these runs. */
const CURVE_POINTS = 64;

/** Universe elements for each element of a Zipf stream. The papers state neither this ratio nor the exponent. */
export const ZIPF_UNIVERSE_RATIO = 10;

/** The kinds of streams that are used in place of those of the papers. */
const DRAWN = { uniform: 'shuffled', independent: 'uniform' } as const;

/** Tells if a stream is recorded. A recorded stream can be neither generated nor scaled. */
export function isRecorded({ kind }: TrialStream): boolean {
  return kind === 'clickstream';
}

/** The requested scale, or the next power of two that leaves stream and memory large enough. */
export function scaleOf({ stream, memoryBytes }: Trial, asked: number): number {
  if (isRecorded(stream)) return 1;
  const least = Math.max(asked, MIN_STREAM_ELEMENTS / stream.lengthElements, MIN_MEMORY_BYTES / memoryBytes);
  return Math.min(1, 2 ** Math.ceil(Math.log2(least)));
}

/** The reason why a trial cannot be run; undefined if it can. */
export function obstacleOf({ stream, memoryBytes }: Trial, { data }: RunSettings): string | undefined {
  if (memoryBytes < MIN_MEMORY_BYTES) {
    return `a detector needs at least ${MIN_MEMORY_BYTES} bytes, but the row has ${memoryBytes}`;
  }
  const { dataSet } = stream;
  if (!isRecorded(stream) || dataSet === undefined || data[dataSet] !== undefined) return undefined;
  return `the data set ${dataSet} is not included; give a copy with --data ${dataSet}=PATH`;
}

function streamSpecOf({ stream }: Trial, scale: number, seed: number, { data }: RunSettings): StreamSpec {
  const lengthElements = Math.round(stream.lengthElements * scale);
  if (isRecorded(stream)) {
    const path = data[stream.dataSet as string] as string;
    return { kind: 'ids', lengthElements: 0, seed, settings: { path: basename(path) }, folder: dirname(path) };
  }
  const distinctShare = stream.distinctShare as number;
  if (stream.kind === 'zipf') {
    const universeElements = ZIPF_UNIVERSE_RATIO * lengthElements;
    return { kind: 'zipf', lengthElements, seed, settings: { universeElements, distinctShare } };
  }
  if (stream.windowElements !== undefined) {
    const windowElements = Math.round(stream.windowElements * scale);
    return { kind: 'recency', lengthElements, seed, settings: { windowElements, distinctShare } };
  }
  if (stream.kind === 'crawl') {
    const classes = classesText(crawlClasses(stream.lengthElements, scale));
    return { kind: 'mixed', lengthElements, seed, settings: { classes } };
  }
  const kind = DRAWN[stream.kind as keyof typeof DRAWN];
  return { kind, lengthElements, seed, settings: { distinctShare } };
}

/** Scales p and g: a fingerprint of p bits distinguishes 2^p elements, and a generation has g elements. */
function scaledParameters({ parameters }: Trial, scale: number): Trial['parameters'] {
  const { p, g } = parameters;
  return {
    ...parameters,
    ...(p === undefined ? {} : { p: Number(p) + Math.log2(scale) }),
    ...(g === undefined ? {} : { g: Math.round(Number(g) * scale) }),
  };
}

/** The stream of a figure that a stream is compared with. Independent draws are compared with the papers' streams. */
function figureStream(stream: TrialStream): TrialStream {
  return stream.kind === 'independent' ? { ...stream, kind: 'uniform' } : stream;
}

/** One run for each seed. Streams and detectors use different seeds. */
export function runsOf(trial: Trial, settings: RunSettings): RunSpec[] {
  const scale = scaleOf(trial, settings.scale);
  return Array.from({ length: settings.seeds }, (_, i) => ({
    stream: streamSpecOf(trial, scale, 2 * i + 1, settings),
    identity: trial.identity,
    detector: {
      algorithm: trial.algorithm,
      layout: trial.layout ?? 'classic',
      memoryBytes: Math.round(trial.memoryBytes * scale),
      parameters: scaledParameters(trial, scale),
      seed: 2 * i + 2,
    },
    curvePoints: hasCurve(figureStream(trial.stream), trial) ? CURVE_POINTS : 0,
    byGap: trial.isByGap ?? false,
  }));
}
