// Measurements as a terminal shows them: a table for each stream, runs of several seeds as one row.

import { binomialInterval } from '../../detectors/intervals.js';
import type { ErrorCounts, Measurement, RunSpec, StreamSpec } from '../../lab/contract.js';
import { convergedAt } from '../../lab/convergence.js';
import { resolveStream } from '../../lab/streams/registry.js';
import { formatBytes } from '../../memory.js';
import { COARSE, gridOf } from '../../plan/grid.js';
import { limitOf } from '../../plan/limit.js';
import type { StreamModel } from '../../plan/stream.js';
import { percent, table } from '../../plan/text.js';
import { formatCount, formatParameters } from '../text.js';
import type { RunFlags } from './run.js';

const LEFT_COLUMNS = 3;

/** What measurements have in common once seeds are left out. */
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

/** `0.5 (0.4 to 0.6)`, in percent. */
function rateText(events: number, trials: number): string {
  if (trials === 0) return 'none';
  const { estimate, low, high } = binomialInterval(events / trials, trials);
  return `${percent(estimate ?? 0)} (${percent(low, 2)} to ${percent(high, 2)})`;
}

/** The last of the positions from which on loads are steady, or none where one never is. */
function steadyText(runs: readonly Measurement[], bound: number): string {
  const positions = runs.map(({ curve }) => convergedAt(curve, bound));
  return positions.includes(undefined) ? 'not' : formatCount(Math.max(...(positions as number[])));
}

function refusedText(runs: readonly Measurement[]): string {
  const refused = runs.map(({ refusedAtElements }) => refusedAtElements).filter((at) => at !== undefined);
  return refused.length === 0 ? '' : `full at ${formatCount(Math.min(...refused))}`;
}

/** The least FPR + FNR of any structure of the memory that does not know which elements there can be. */
function limitText({ identity, detector }: RunSpec, model: StreamModel): string {
  if (identity === 'identifier') return '';
  const { fpr, fnr } = limitOf(gridOf(model, COARSE), detector.memoryBytes * 8);
  return percent(fpr + fnr);
}

function rowOf(runs: readonly Measurement[], model: StreamModel, { curve, loadBound }: RunFlags): string[] {
  const [{ spec }] = runs as [Measurement];
  const { algorithm, layout, memoryBytes, parameters } = spec.detector;
  return [
    algorithm,
    layout,
    formatParameters(parameters),
    formatBytes(memoryBytes),
    rateText(sumOf(runs, 'falsePositives'), sumOf(runs, 'distinct')),
    rateText(sumOf(runs, 'falseNegatives'), sumOf(runs, 'duplicates')),
    limitText(spec, model),
    meanOf(runs, ({ load }) => load).toFixed(4),
    ...(curve > 0 ? [steadyText(runs, loadBound)] : []),
    (meanOf(runs, ({ elementsPerSecond }) => elementsPerSecond) / 1e6).toFixed(1),
    refusedText(runs),
  ];
}

function headOf({ curve }: RunFlags): string[] {
  return [
    ...['algorithm', 'layout', 'parameters', 'memory', 'FPR % (95 %)', 'FNR % (95 %)', 'least sum %', 'load'],
    ...(curve > 0 ? ['steady from'] : []),
    ...['M/s', ''],
  ];
}

async function streamText(measurements: readonly Measurement[], flags: RunFlags): Promise<string> {
  const [{ spec }] = measurements as [Measurement];
  const resolved = await resolveStream(spec.stream);
  const model = await resolved.model();
  const seeds = new Set(measurements.map((measurement) => measurement.spec.stream.seed));
  const truthBytes = Math.max(...measurements.map((measurement) => measurement.truthBytes));
  const distinct = Math.max(...measurements.map((measurement) => measurement.distinct / measurement.elements));
  const title =
    `${spec.stream.kind}: ${resolved.description}; ${formatCount(resolved.lengthElements)} elements, ` +
    `${percent(distinct)} % distinct, ${spec.identity}, seed ${[...seeds].join(', ')}; truth in ${formatBytes(truthBytes)}`;
  const configurations = grouped(measurements, (measurement) =>
    JSON.stringify({ ...measurement.spec.detector, seed: 0 }),
  );
  const rows = configurations.map((runs) => rowOf(runs, model, flags));
  return [title, '', ...table([headOf(flags), ...rows], LEFT_COLUMNS)].join('\n');
}

/** Tables of measurements that were made with these flags. */
export async function measuredText(measurements: readonly Measurement[], flags: RunFlags): Promise<string> {
  const texts: string[] = [];
  for (const group of grouped(measurements, ({ spec }) => withoutSeed(spec.stream))) {
    texts.push(await streamText(group, flags));
  }
  return `${texts.join('\n\n')}\n`;
}
