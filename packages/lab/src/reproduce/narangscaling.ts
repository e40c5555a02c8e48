// narang-2011, figures 11 to 13: the time of range motifs by threads and records. One thread and two are measured; more are
// computed by a model from these, and marked as such.

import type { Plot, PlotSeries, ReportRow, ReportSection, RowVerdict } from '../contract.js';
import { drawClusters } from '../motifs/clusters.js';
import { timeMotifs } from '../motifs/timing.js';
import {
  narang2011Scaling,
  narang2011Scalings,
  type PublishedScaling,
  type PublishedTime,
} from '../published/narang2011.js';
import { TIMES_SHARE } from './claims.js';
import type { SectionSpec } from './contract.js';
import { notReproducible, said } from './verdict.js';

/** As many threads as are measured. */
const MEASURED_THREADS = [1, 2] as const;
/** Each time is the least of this number of runs, because other programs can only make a run longer. */
const RUNS = 3;
const DRAWN_RECORDS = 100_000;
/** They touch 32 entries each, in a quarter of a million pages. */
const WARMUP_RECORDS = 500_000;
const SERIES_RECORDS = [1, 2, 4, 8].map((millions) => millions * 1e6);
const SERIES_THREADS = [1, 2, 4, 8, 12, 16] as const;

type Point = Pick<PublishedTime, 'threads' | 'records'>;

/** Seconds for a million records on one thread and on two. */
export interface Rates {
  one: number;
  two: number;
}

/**
 * Seconds on any number of threads, by Amdahl's law: a share of the work takes as long on any number of threads, and the
 * rest is divided. The share follows from one thread and two. It includes all that does not get faster, such as the way to
 * memory and the synchronization of the threads.
 */
export function modelSeconds({ one, two }: Rates, { threads, records }: Point): number {
  const serial = Math.min(1, Math.max(0, (2 * two) / one - 1));
  return (records / 1e6) * one * (serial + (1 - serial) / threads);
}

type Timer = (point: Point) => Promise<number>;

/** Times over records of the first configuration, with the record size of these figures. Each point is measured once. */
function timer(): Timer {
  const { recordBytes, sets } = narang2011Scaling;
  const drawing = { records: DRAWN_RECORDS, recordBytes, clusters: sets, apartBits: 1434, withinBits: 409 };
  const { records: sample } = drawClusters({ ...drawing, centresFirst: true, seed: 1 });
  const secondsByPoint = new Map<string, Promise<number>>();
  const leastSeconds = async ({ threads, records }: Point) => {
    const seconds: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const timing = { motifs: narang2011Scaling, threads, records, warmupRecords: WARMUP_RECORDS, drawn: sample };
      const result = await timeMotifs(timing);
      seconds.push((result.seconds * records) / result.records);
    }
    return Math.min(...seconds);
  };
  return (point) => {
    const key = JSON.stringify(point);
    const pendingSeconds = secondsByPoint.get(key) ?? leastSeconds(point);
    secondsByPoint.set(key, pendingSeconds);
    return pendingSeconds;
  };
}

const LARGEST = SERIES_RECORDS.at(-1) as number;

async function ratesOf(time: Timer): Promise<Rates> {
  const of = async (threads: number) => (await time({ threads, records: LARGEST })) / (LARGEST / 1e6);
  return { one: await of(1), two: await of(2) };
}

function secondsText(seconds: number): string {
  return `${Number(seconds.toPrecision(3))} s`;
}

/** Returns the verdict on a figure, computed by the model for its own threads: a model reproduces nothing. */
function modelVerdict({ first, last }: PublishedScaling, rates: Rates): RowVerdict {
  const [from, to] = [modelSeconds(rates, first), modelSeconds(rates, last)];
  const published = last.seconds / first.seconds;
  return notReproducible(
    `more threads than were measured; a model from one thread and two gives ${secondsText(from)} and ${secondsText(to)}, ${Number((to / from).toPrecision(3))} times the time, the paper ${secondsText(first.seconds)} and ${secondsText(last.seconds)}, ${Number(published.toPrecision(3))} times`,
  );
}

/** The ratio of times for the records of a figure, on a number of threads that were measured. */
async function dataVerdict({ first, last }: PublishedScaling, threads: number, time: Timer): Promise<RowVerdict> {
  const [from, to] = [await time({ threads, records: first.records }), await time({ threads, records: last.records })];
  const ratio = to / from;
  const times = last.records / first.records;
  return said(
    Math.abs(ratio / times - 1) <= TIMES_SHARE,
    `${secondsText(from)} and ${secondsText(to)}: ${Number(ratio.toPrecision(3))} times the time for ${times} times the records`,
  );
}

const SECTION_ID = 'narang-figure-11';

interface ScalingRow {
  id: string;
  labels: string[];
  verdictOf: (rates: Rates, time: Timer) => Promise<RowVerdict>;
}

function rowsOf(figure: PublishedScaling): ScalingRow[] {
  const { id, number, quotation, section, first, last } = figure;
  const labels = (threads: string) => [String(number), threads, `"${quotation}" (${section})`];
  const byModel: ScalingRow = {
    id: `${SECTION_ID}/${id}-model`,
    labels: labels(first.threads === last.threads ? String(first.threads) : `${first.threads} and ${last.threads}`),
    verdictOf: async (rates) => modelVerdict(figure, rates),
  };
  if (first.threads !== last.threads) return [byModel];
  const measuredRows = MEASURED_THREADS.map((threads) => ({
    id: `${SECTION_ID}/${id}-threads=${threads}`,
    labels: labels(String(threads)),
    verdictOf: (_rates: Rates, time: Timer) => dataVerdict(figure, threads, time),
  }));
  return [...measuredRows, byModel];
}

const ROWS: readonly ScalingRow[] = narang2011Scalings.flatMap(rowsOf);

const NOTES = [
  "Records of 512 bytes, k 32, l' 25, 4 sets, through the pipeline of firstseen motifs. Each time is the least of three runs, after half a million records that touch the memory for the first time. Nothing is scaled.",
  'One thread and two are measured, on the machine named at the end. More threads are computed by a model, marked as model: a share of the work takes as long on any number of threads, and the rest is divided among them. The share follows from one thread and two. A model reproduces no measurement.',
];

/** The points of a figure by threads: all its records, or as many for each thread as in the paper. */
function byThreads({ first, last }: PublishedScaling, threads: readonly number[]): Point[] {
  const isWeak = last.records > first.records;
  return threads.map((count) => ({
    threads: count,
    records: isWeak ? (count / first.threads) * first.records : first.records,
  }));
}

function threadsPlot(figure: PublishedScaling, rates: Rates): Plot['series'] {
  const pointOf = (point: Point) => ({ x: point.threads, y: modelSeconds(rates, point) });
  // On one thread and two, the model is what was measured.
  const measured = byThreads(figure, MEASURED_THREADS).map(pointOf);
  return [
    { name: 'measured', kind: 'points', points: measured },
    { name: 'model', kind: 'line', role: 'predicted', points: byThreads(figure, SERIES_THREADS).map(pointOf) },
  ];
}

async function recordsPlot({ first }: PublishedScaling, rates: Rates, time: Timer): Promise<Plot['series']> {
  const series: PlotSeries[] = [];
  for (const threads of MEASURED_THREADS) {
    const points: PlotSeries['points'] = [];
    for (const records of SERIES_RECORDS) points.push({ x: records, y: await time({ threads, records }) });
    series.push({ name: threads === 1 ? 'one thread' : `${threads} threads`, kind: 'line', points });
  }
  const model = SERIES_RECORDS.map((records) => ({
    x: records,
    y: modelSeconds(rates, { threads: first.threads, records }),
  }));
  return [...series, { name: `model of ${first.threads} threads`, kind: 'line', role: 'predicted', points: model }];
}

/** Seconds by records, or by threads, whichever the figure varies. */
async function plotOf(figure: PublishedScaling, rates: Rates, time: Timer): Promise<Plot> {
  const { number, title, first, last } = figure;
  const varies = first.threads === last.threads ? 'records' : 'threads';
  const points = [first, last].map((point) => ({ x: point[varies], y: point.seconds }));
  const series = varies === 'records' ? await recordsPlot(figure, rates, time) : threadsPlot(figure, rates);
  return {
    id: `narang-figure-${number}`,
    title: `Figure ${number} of narang-2011: ${title}`,
    x: { label: varies, scale: 'linear' },
    y: { label: 'seconds', scale: 'linear' },
    series: [...series, { name: 'published, 16 cores', kind: 'points', role: 'published', points }],
  };
}

async function repeatScaling(spec: SectionSpec): Promise<ReportSection> {
  const time = timer();
  const rates = await ratesOf(time);
  const { recordBytes, hashes, addressBits, sets } = narang2011Scaling;
  const rows: ReportRow[] = [];
  for (const { id, labels, verdictOf } of ROWS.filter((one) => spec.rows.some((row) => row.id === one.id))) {
    rows.push({
      ...{ id, labels, published: {}, measured: {}, predicted: {}, limit: {} },
      verdict: await verdictOf(rates, time),
      parameters: `k=${hashes} l'=${addressBits}, ${sets} sets, records of ${recordBytes} bytes; not stated: how records are drawn`,
      command: `npx firstseen lab reproduce --row ${id}`,
    });
  }
  const plots: Plot[] = [];
  if (rows.length === ROWS.length) {
    for (const figure of narang2011Scalings) plots.push(await plotOf(figure, rates, time));
  }
  const { id, paper, title, notes, columns } = spec;
  return {
    ...{ id, paper, title, notes: [...notes], columns, rows, plots },
    command: `npx firstseen lab reproduce ${id}`,
  };
}

/** One section for all three figures, because they share the times. */
export const narang2011ScalingSection: SectionSpec = {
  id: SECTION_ID,
  paper: 'narang-2011',
  title: 'Figures 11 to 13: time by threads and records',
  notes: NOTES,
  columns: ['figure', 'threads', 'claim'],
  rows: ROWS.map(({ id, labels }) => ({
    ...{ id, labels, published: {}, trials: [] },
    judge: () => notReproducible('not run'),
  })),
  trials: [],
  plots: () => [],
  repeat: repeatScaling,
};
