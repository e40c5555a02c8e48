// The plots of a table: published values against measured values, and both by memory.

import type { Plot, ReportRow } from '../contract.js';
import { againstMemory, type NamedRates, publishedAgainstMeasured, type Rate } from '../report/plots.js';
import type { RowSpec, SectionSpec } from './contract.js';

const RATES = ['fpr', 'fnr'] as const;

/** The part of a table that a row belongs to. A table of several streams has one part for each. */
function partOf({ id }: Pick<RowSpec, 'id'>): string {
  return id.split('/')[0] as string;
}

type TableSpec = Pick<SectionSpec, 'columns' | 'rows'>;

function nameOf({ labels }: Pick<RowSpec, 'labels'>, { columns }: TableSpec): string {
  return labels[columns.indexOf('algorithm')] as string;
}

/** The name of the printed value: the part before the comma. The names of its readings begin with it. */
function printedName(row: RowSpec, spec: TableSpec): string {
  return nameOf(row, spec).split(',')[0] as string;
}

/** The measured rates of a part's rows, and the published rate of each printed row in the look of its first reading. */
function ratesByMemory(specs: readonly RowSpec[], spec: TableSpec, rows: readonly ReportRow[]): NamedRates[] {
  const shownNames = new Set<string>();
  return specs.flatMap((row) => {
    const memoryBytes = row.trials[0]?.memoryBytes;
    const reportRow = rows.find(({ id }) => id === row.id);
    if (memoryBytes === undefined || reportRow === undefined) return [];
    const { measured } = reportRow;
    const name = nameOf(row, spec);
    const rates = Object.fromEntries(
      RATES.flatMap((rate) => (measured[rate] ? [[rate, measured[rate].estimate] as const] : [])),
    );
    const isFirst = shownNames.size < shownNames.add(`${printedName(row, spec)} ${memoryBytes}`).size;
    const publishedRates: NamedRates = { name, memoryBytes, role: 'published', ...row.published };
    return [{ name, memoryBytes, ...rates }, ...(isFirst ? [publishedRates] : [])];
  });
}

function memoryPlots(spec: TableSpec, number: string, rows: readonly ReportRow[]): Plot[] {
  const isOfParts = spec.columns[0] === 'stream';
  return [...new Set(spec.rows.map(partOf))].flatMap((part) => {
    const specs = spec.rows.filter((row) => partOf(row) === part);
    const results = ratesByMemory(specs, spec, rows);
    const title = isOfParts ? `${number}, ${specs[0]?.labels[0]}` : number;
    return RATES.flatMap((rate) => {
      const measuredResults = results.filter((result) => result.role === undefined && result[rate] !== undefined);
      if (new Set(measuredResults.map(({ memoryBytes }) => memoryBytes)).size < 2) return [];
      const options = { id: `${part}-${rate}-memory`, title: `${title}: ${rate.toUpperCase()} by memory` };
      return [againstMemory(results, rate, options)];
    });
  });
}

function agreementPlot(
  spec: TableSpec,
  rate: Rate,
  options: { id: string; title: string },
  rows: readonly ReportRow[],
) {
  const isShown = ({ measured, published }: ReportRow) => measured[rate] && published[rate] !== undefined;
  if (!rows.some(isShown)) return [];
  return [publishedAgainstMeasured(rows, rate, { ...options, nameOf: (row) => nameOf(row, spec) })];
}

/** Plots published against measured values by rate. `number` is the table's, and its paper. */
export function agreementPlots(id: string, number: string, spec: TableSpec): SectionSpec['plots'] {
  return ({ rows }) =>
    RATES.flatMap((rate) => {
      const options = { id: `${id}-${rate}`, title: `${number}: ${rate.toUpperCase()}, measured against published` };
      return agreementPlot(spec, rate, options, rows);
    });
}

/** Plots published against measured values by rate, and both by memory. */
export function tablePlots(id: string, number: string, spec: TableSpec): SectionSpec['plots'] {
  const agreement = agreementPlots(id, number, spec);
  return async (view) => [...(await agreement(view)), ...memoryPlots(spec, number, view.rows)];
}
