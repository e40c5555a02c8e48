// Measurements in a terminal: a table for each stream, with the runs of several seeds as one row.

import {
  binomialInterval,
  COARSE,
  formatBytes,
  formatCount,
  formatCounted,
  formatParameters,
  gridOf,
  minFnrOf,
  percent,
  table,
} from 'firstseen/internal';
import type { StreamModel } from 'firstseen/plan';
import type { ErrorCounts, Measurement, RunSpec, StreamSpec } from '../contract.js';
import { convergedAt } from '../measure/convergence.js';
import { measuredText } from '../report/numbers.js';
import { resolveStream } from '../streams/registry.js';
import { gapsText } from './gaps.js';
import type { RunFlags } from './specs.js';

const LEFT_COLUMNS = 3;

/** The key that measurements share if their seeds are ignored. */
function withoutSeed(stream: StreamSpec): string {
  return JSON.stringify({ ...stream, seed: 0 });
}

function grouped(measurements: readonly Measurement[], keyOf: (measurement: Measurement) => string): Measurement[][] {
  const groups = new Map<string, Measurement[]>();
  for (const measurement of measurements) {
    const key = keyOf(measurement);
    groups.set(key, [...(groups.get(key) ?? []), measurement]);
  }
  return [...groups.values()];
}

function sumOf(measurements: readonly Measurement[], name: keyof ErrorCounts): number {
  return measurements.reduce((sum, measurement) => sum + measurement[name], 0);
}

function meanOf(measurements: readonly Measurement[], of: (measurement: Measurement) => number): number {
  return measurements.reduce((sum, measurement) => sum + of(measurement), 0) / measurements.length;
}

/** `0.5 (0.4–0.6)`, in percent. */
function rateText(events: number, trials: number): string {
  if (trials === 0) return 'none';
  const { low, high } = binomialInterval(events / trials, trials);
  const { estimate, range } = measuredText({ estimate: events / trials, low, high });
  return range === undefined ? estimate : `${estimate} (${range})`;
}

/** The last of the positions after which loads are stable; `not` if one never is. */
function steadyText(runs: readonly Measurement[], bound: number): string {
  const positions = runs.map(({ curve }) => convergedAt(curve, bound));
  return positions.includes(undefined) ? 'not' : formatCount(Math.max(...(positions as number[])));
}

function refusedText(runs: readonly Measurement[]): string {
  const refused = runs.map(({ refusedAtElements }) => refusedAtElements).filter((at) => at !== undefined);
  return refused.length === 0 ? '' : `full at ${formatCount(Math.min(...refused))}`;
}

/** The least FNR of any structure with a number of bits at a rate of false positives, computed once for each size. */
function limitsOf(model: StreamModel): (bits: number, fpr: number) => number {
  const grid = gridOf(model, COARSE);
  const bySize = new Map<number, (fpr: number) => number>();
  return (bits, fpr) => {
    const least = bySize.get(bits) ?? minFnrOf(grid, bits);
    bySize.set(bits, least);
    return least(fpr);
  };
}

/** A structure may know which identifiers are possible, so only hashed elements have a limit. */
function limitText({ identity, detector }: RunSpec, limits: ReturnType<typeof limitsOf>, fpr: number): string {
  return identity === 'identifier' ? '' : percent(limits(detector.memoryBytes * 8, fpr));
}

function rowOf(
  runs: readonly Measurement[],
  limits: ReturnType<typeof limitsOf>,
  { curve, loadBound }: RunFlags,
): string[] {
  const [{ spec }] = runs as [Measurement];
  const { algorithm, layout, memoryBytes, parameters } = spec.detector;
  const falsePositives = sumOf(runs, 'falsePositives');
  const distinct = sumOf(runs, 'distinct');
  return [
    algorithm,
    layout,
    formatParameters(parameters),
    formatBytes(memoryBytes),
    rateText(falsePositives, distinct),
    rateText(sumOf(runs, 'falseNegatives'), sumOf(runs, 'duplicates')),
    limitText(spec, limits, binomialInterval(falsePositives / distinct, distinct).high),
    meanOf(runs, ({ load }) => load).toFixed(4),
    ...(curve > 0 ? [steadyText(runs, loadBound)] : []),
    (meanOf(runs, ({ elementsPerSecond }) => elementsPerSecond) / 1e6).toFixed(1),
    refusedText(runs),
  ];
}

function headOf({ curve }: RunFlags): string[] {
  return [
    ...['algorithm', 'layout', 'parameters', 'memory', 'FPR % (95 %)', 'FNR % (95 %)', 'least FNR %', 'load'],
    ...(curve > 0 ? ['steady from'] : []),
    ...['M/s', ''],
  ];
}

async function streamText(measurements: readonly Measurement[], flags: RunFlags): Promise<string> {
  const [{ spec }] = measurements as [Measurement];
  const stream = await resolveStream(spec.stream);
  const limits = limitsOf(await stream.model());
  const seeds = new Set(measurements.map((measurement) => measurement.spec.stream.seed));
  const truthBytes = Math.max(...measurements.map((measurement) => measurement.truthBytes));
  // A detector that refused elements has only seen the front of the stream, which has fewer repeats.
  const whole = measurements.reduce((most, next) => (next.elements > most.elements ? next : most));
  const distinct = whole.distinct / whole.elements;
  const title =
    `${spec.stream.kind}: ${stream.description}; ${formatCounted(stream.lengthElements, 'element')}, ` +
    `${percent(distinct)} % distinct, ${spec.identity}, seed ${[...seeds].join(', ')}; truth in ${formatBytes(truthBytes)}`;
  const configurations = grouped(measurements, (measurement) =>
    JSON.stringify({ ...measurement.spec.detector, seed: 0 }),
  );
  const rows = configurations.map((runs) => rowOf(runs, limits, flags));
  return [title, '', ...table([headOf(flags), ...rows], LEFT_COLUMNS), ...gapsText(configurations)].join('\n');
}

/** Tables of measurements that were made with these flags. */
export async function measurementsText(measurements: readonly Measurement[], flags: RunFlags): Promise<string> {
  const texts: string[] = [];
  for (const group of grouped(measurements, ({ spec }) => withoutSeed(spec.stream))) {
    texts.push(await streamText(group, flags));
  }
  return `${texts.join('\n\n')}\n`;
}
