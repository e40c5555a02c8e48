// narang-2011, figures 3 to 10: error rates of range motifs by the bits and the number of the hash functions.

import { falsePositiveBound, type MotifErrors, type MotifOpening } from 'firstseen/motifs';
import type { Interval, Plot, PlotSeries, Rates, ReportRow, ReportSection } from '../contract.js';
import { drawClusters } from '../motifs/clusters.js';
import { measureMotifs } from '../motifs/measure.js';
import {
  type MotifConfiguration,
  type MotifSetting,
  narang2011Figures,
  type PublishedMotifFigures,
} from '../published/narang2011.js';
import type { RowSpec, SectionSpec } from './contract.js';
import { intervalOf } from './outcome.js';
import { notReproducible, percentText, verdictOf } from './verdict.js';

/** One interpretation of what the paper does not state. */
interface Reading {
  id: string;
  name: string;
  centresFirst: boolean;
  opening: MotifOpening;
  /** The number of orders of the records to run. */
  orders: number;
  /** The part of epsilon by which the centres are farther apart than delta. */
  apartFactor: number;
  /** True if the paper describes this reading. If not, it is our own. */
  isPublished: boolean;
}

const RANDOM: Reading = {
  id: 'random',
  name: 'random order',
  centresFirst: false,
  opening: 'threshold',
  orders: 5,
  apartFactor: 1,
  isPublished: true,
};
const FIRST: Reading = { ...RANDOM, id: 'centres', name: 'centres first', centresFirst: true, orders: 1 };
/** The distance that brings the rates nearest to the printed ones, of 0, 1/4, 1/2, 0.6, 0.7, 0.8 and 1. */
const FITTED: Reading = {
  ...FIRST,
  id: 'fitted',
  name: 'centres first, fitted distance',
  orders: 5,
  apartFactor: 0.8,
};
const CONFIRMED: Reading = {
  ...RANDOM,
  id: 'confirmed',
  name: 'random order, sets confirmed (ours)',
  opening: 'confirmed',
  orders: 1,
  isPublished: false,
};
const readings: readonly Reading[] = [RANDOM, FIRST, FITTED, CONFIRMED];

/** Half a unit of the last digit of most rates in the text. */
const ROUNDING: Rates = { fpr: 0.0005, fnr: 0.0005 };
const DIFFERENCE = 'the paper states neither how its records were drawn nor their order';

const NOTES = [
  'The paper does not say how its records were drawn. Here, as Theorem 4.1 assumes, every record is within epsilon of the centre of its cluster and at least delta from all other centres: any two centres differ in delta + epsilon of the bits, and the share of flipped bits of a record is uniform from 0 to epsilon.',
  'The paper does not state the order of the records either, and the order decides the result: a record that agrees with no set in half of the hashes opens a new set, so early records of one cluster occupy several sets, and the other clusters share the rest. In "random order", every record is drawn from any cluster, for 5 orders. In "centres first", the first records are the centres, one of each cluster.',
  `The distance of the centres decides how much the sets disturb each other. In "fitted distance" it is delta + ${FITTED.apartFactor} epsilon, the value that brings all rates nearest to the printed ones, with 5 draws of records and hashes. A record may then be nearer than delta to another centre.`,
  'The rates of a set are shares of all records, and the total is their sum. Nothing is scaled, because the rates depend on the load of the arrays.',
];

interface Point {
  setting: MotifSetting;
  /** One trial for each order. */
  errors: MotifErrors[];
}

function settingName({ hashes, addressBits }: MotifSetting): string {
  return `k${hashes}-l${addressBits}`;
}

async function pointsOf(
  { records, recordBytes, sets, apartShare, withinShare }: MotifConfiguration,
  settings: readonly MotifSetting[],
  { centresFirst, opening, apartFactor }: Reading,
  orders: number,
): Promise<Point[]> {
  const points = settings.map((setting): Point => ({ setting, errors: [] }));
  const bits = 8 * recordBytes;
  // Half of these bits are flipped in each centre.
  const apartBits = 2 * Math.ceil((bits * (apartShare + apartFactor * withinShare)) / 2);
  const withinBits = Math.floor(bits * withinShare);
  for (let seed = 1; seed <= orders; seed++) {
    const clusters = drawClusters({ records, recordBytes, clusters: sets, apartBits, withinBits, centresFirst, seed });
    for (const { setting, errors } of points) {
      const { hashes, addressBits } = setting;
      errors.push(await measureMotifs({ recordBytes, sets, opening, seed, hashes, addressBits }, clusters));
    }
  }
  return points;
}

function intervalOfErrors({ errors }: Point, rate: keyof Rates, records: number): Interval | undefined {
  return intervalOf(errors.map((one) => ({ events: Math.round(one[rate] * records), of: records })));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

type Pick = (errors: MotifErrors, rate: keyof Rates) => number;
const total: Pick = (errors, rate) => errors[rate];
const largest: Pick = ({ perSet }, rate) => Math.max(...perSet.map((set) => set[rate]));
const smallest: Pick = ({ perSet }, rate) => Math.min(...perSet.map((set) => set[rate]));

function plotOf(figures: PublishedMotifFigures, rate: keyof Rates, results: ReadonlyMap<Reading, Point[]>): Plot {
  const { configuration, published, settings, varied } = figures;
  const { apartShare, withinShare } = configuration;
  const seriesOf = (name: string, reading: Reading, pick: Pick): PlotSeries => ({
    name,
    kind: 'line',
    points: (results.get(reading) ?? []).map(({ setting, errors }) => ({
      x: setting[varied],
      y: 100 * meanOf(errors.map((one) => pick(one, rate))),
    })),
  });
  const bound = (setting: MotifSetting) => 100 * falsePositiveBound({ apartShare, withinShare }, setting);
  const number = figures.numbers[rate];
  return {
    id: `narang-figure-${number}`,
    title: `Figure ${number} of narang-2011, configuration (${configuration.name}): ${rate.toUpperCase()}`,
    x: { label: varied === 'hashes' ? 'k' : "l'", scale: 'linear' },
    y: { label: `${rate.toUpperCase()} %`, scale: 'linear' },
    series: [
      ...readings.map((reading) => seriesOf(reading.name, reading, total)),
      seriesOf('random order, largest of a set', RANDOM, largest),
      seriesOf('random order, smallest of a set', RANDOM, smallest),
      ...(rate === 'fpr'
        ? [
            {
              name: 'bound of Theorem 4.1',
              kind: 'line' as const,
              role: 'predicted' as const,
              points: settings.map((setting) => ({ x: setting[varied], y: bound(setting) })),
            },
          ]
        : []),
      {
        name: 'published',
        kind: 'points',
        role: 'published',
        points: published.map((point) => ({ x: point[varied], y: point[`${rate}Percent`] })),
      },
    ],
  };
}

function rowId({ id }: PublishedMotifFigures, setting: MotifSetting, reading: Reading): string {
  return `${id}/${settingName(setting)}-${reading.id}`;
}

function rowSpecs(figures: PublishedMotifFigures): RowSpec[] {
  const { configuration, published } = figures;
  return published.flatMap((point) =>
    readings
      .filter(({ isPublished }) => isPublished)
      .map((reading) => ({
        id: rowId(figures, point, reading),
        labels: [`(${configuration.name})`, `k ${point.hashes}`, `l' ${point.addressBits}`, reading.name],
        published: { fpr: point.fprPercent / 100, fnr: point.fnrPercent / 100 },
        trials: [],
        judge: () => notReproducible('not run'),
      })),
  );
}

/** Drops the intervals. The orders differ so much that with intervals every row would count as reproduced. */
function meansAlone({ fpr, fnr }: ReportRow['measured']): ReportRow['measured'] {
  const mean = ({ estimate }: Interval): Interval => ({ estimate, low: estimate, high: estimate });
  return { ...(fpr ? { fpr: mean(fpr) } : {}), ...(fnr ? { fnr: mean(fnr) } : {}) };
}

/** Returns the reason why the mean differs, and tells if the printed rate is that of one of several draws. */
function reasonOf({ errors }: Point, { fpr }: RowSpec['published']): string {
  const rates = errors.map((one) => one.fpr);
  const [least, most] = [Math.min(...rates), Math.max(...rates)];
  if (fpr === undefined || errors.length === 1 || fpr < least || fpr > most) return DIFFERENCE;
  return `${DIFFERENCE}; the printed rate is in the range of the draws, ${percentText(least)} to ${percentText(most)}`;
}

function rowOf({ id, labels, published }: RowSpec, point: Point, records: number): ReportRow {
  const fpr = intervalOfErrors(point, 'fpr', records);
  const fnr = intervalOfErrors(point, 'fnr', records);
  const measuredRates = { ...(fpr ? { fpr } : {}), ...(fnr ? { fnr } : {}) };
  const { hashes, addressBits } = point.setting;
  return {
    id,
    labels,
    published,
    measured: measuredRates,
    predicted: {},
    limit: {},
    verdict: verdictOf({
      published,
      measured: meansAlone(measuredRates),
      rounding: ROUNDING,
      reason: reasonOf(point, published),
    }),
    parameters: `k=${hashes} l'=${addressBits} t=${Math.ceil(hashes / 2)}, ${records} records; not stated: how records are drawn, their order`,
    command: `npx firstseen lab reproduce --row ${id}`,
  };
}

/** The section of two figures, with all or some of its rows. A selection of rows needs fewer runs and has no plots. */
export async function repeatMotifs(figures: PublishedMotifFigures, spec: SectionSpec): Promise<ReportSection> {
  const { configuration, settings, published } = figures;
  const isWhole = spec.rows.length === rowSpecs(figures).length;
  const settingsByReading = new Map(
    readings.flatMap((reading) => {
      // Five draws of every setting would take as long as all else. The fitted distance has the printed points only.
      const usedSettings =
        isWhole && reading !== FITTED
          ? settings
          : published.filter((point) => spec.rows.some(({ id }) => id === rowId(figures, point, reading)));
      return usedSettings.length > 0 ? [[reading, usedSettings] as const] : [];
    }),
  );
  const pointsByReading = new Map<Reading, Point[]>();
  for (const [reading, usedSettings] of settingsByReading) {
    pointsByReading.set(reading, await pointsOf(configuration, usedSettings, reading, reading.orders));
  }
  const rows = spec.rows.flatMap((row) =>
    [...pointsByReading].flatMap(([reading, points]) =>
      points
        .filter(({ setting }) => rowId(figures, setting, reading) === row.id)
        .map((point) => rowOf(row, point, configuration.records)),
    ),
  );
  const { id, paper, title, notes, columns } = spec;
  const plots = isWhole ? (['fpr', 'fnr'] as const).map((rate) => plotOf(figures, rate, pointsByReading)) : [];
  return { id, paper, title, notes: [...notes], columns, rows, plots, command: `npx firstseen lab reproduce ${id}` };
}

export function motifSection(figures: PublishedMotifFigures): SectionSpec {
  const { id, numbers, configuration, varied } = figures;
  const by = varied === 'hashes' ? 'k' : "l'";
  return {
    id,
    paper: 'narang-2011',
    title: `Figures ${numbers.fpr} and ${numbers.fnr}: FPR and FNR variation with ${by} (${configuration.sets} sets)`,
    notes: NOTES,
    columns: ['configuration', 'hashes', 'bits', 'records'],
    rows: rowSpecs(figures),
    trials: [],
    plots: () => [],
    repeat: (spec) => repeatMotifs(figures, spec),
  };
}

export const narang2011Sections: readonly SectionSpec[] = narang2011Figures.map(motifSection);
