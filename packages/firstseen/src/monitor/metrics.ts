// Metrics, and their text in the format of Prometheus, version 0.0.4.

import type { Histogram } from './histogram.js';

export type Labels = Readonly<Record<string, string | number>>;
export type Sample = readonly [labels: Labels, value: number];

export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface HistogramMetric {
  readonly name: string;
  readonly type: 'histogram';
  readonly help: string;
  readonly histograms: readonly (readonly [labels: Labels, histogram: Histogram])[];
}

/** One value without labels, if there is one. */
export function only(value: number | undefined): readonly Sample[] {
  return value === undefined ? [] : [[{}, value]];
}

/** The samples of a metric, or its one value. */
type Samples = readonly Sample[] | number | undefined;

function metricOf(type: Metric['type'], name: string, help: string, samples: Samples): Metric {
  return { name, type, help, samples: typeof samples === 'object' ? samples : only(samples) };
}

export function counter(name: string, help: string, samples: Samples): Metric {
  return metricOf('counter', name, help, samples);
}

export function gauge(name: string, help: string, samples: Samples): Metric {
  return metricOf('gauge', name, help, samples);
}

export function histogram(name: string, help: string, histograms: HistogramMetric['histograms']): HistogramMetric {
  return { name, type: 'histogram', help, histograms };
}

/** Returns the metrics with which those of every service begin. */
export function serviceMetrics(version: string, isReady: boolean, readyHelp: string): Metric[] {
  return [
    gauge('firstseen_info', 'The version.', [[{ version }, 1]]),
    gauge('firstseen_ready', readyHelp, isReady ? 1 : 0),
  ];
}

/** The use of the processor and the memory by this process. */
export function processMetrics(): Metric[] {
  const { user, system } = process.cpuUsage();
  return [
    counter('process_cpu_seconds_total', 'Time of the processor.', (user + system) / 1e6),
    gauge('process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss()),
  ];
}

function escaped(value: string | number): string {
  return String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function seriesOf(name: string, labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length > 0 ? `${name}{${pairs.join(',')}}` : name;
}

function linesOfHistogram(name: string, labels: Labels, histogram: Histogram): string[] {
  const { limits, counts, sum } = histogram;
  let below = 0;
  const buckets = [...limits, '+Inf'].map((limit, i) => {
    below += counts[i] as number;
    return `${seriesOf(`${name}_bucket`, { ...labels, le: limit })} ${below}`;
  });
  return [...buckets, `${seriesOf(`${name}_sum`, labels)} ${sum}`, `${seriesOf(`${name}_count`, labels)} ${below}`];
}

function linesOf(metric: Metric | HistogramMetric): string[] {
  const { name, type, help } = metric;
  const samples =
    metric.type === 'histogram'
      ? metric.histograms.flatMap(([labels, histogram]) => linesOfHistogram(name, labels, histogram))
      : metric.samples.map(([labels, value]) => `${seriesOf(name, labels)} ${value}`);
  return samples.length > 0 ? [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples] : [];
}

export function metricsText(metrics: readonly (Metric | HistogramMetric)[]): string {
  return `${metrics.flatMap(linesOf).join('\n')}\n`;
}
