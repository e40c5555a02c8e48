// The plots of a table: published values against measured values, and both by memory.

import type { Plot, ReportRow } from '../contract.js';
import { againstMemory, type NamedRates, publishedAgainstMeasured, type Rate } from '../report/plots.js';
import type { RowPlan, SectionPlan } from './contract.js';

const RATES = ['fpr', 'fnr'] as const;

/** The part of a table that a row belongs to. A table of several streams has one part for each. */
function partOf({ id }: Pick<RowPlan, 'id'>): string {
  return id.split('/')[0] as string;
}

type Planned = Pick<SectionPlan, 'columns' | 'rows'>;

function nameOf({ labels }: Pick<RowPlan, 'labels'>, { columns }: Planned): string {
  return labels[columns.indexOf('algorithm')] as string;
}

/** The name of the printed value: the part before the comma. The names of its readings begin with it. */
function printedName(row: RowPlan, plan: Planned): string {
  return nameOf(row, plan).split(',')[0] as string;
}

/** The measured rates of a part's rows, and the published rate of each printed row in the look of its first reading. */
function ratesByMemory(planned: readonly RowPlan[], plan: Planned, rows: readonly ReportRow[]): NamedRates[] {
  const shown = new Set<string>();
  return planned.flatMap((row) => {
    const memoryBytes = row.trials[0]?.memoryBytes;
    const found = rows.find(({ id }) => id === row.id);
    if (memoryBytes === undefined || found === undefined) return [];
    const { measured } = found;
    const name = nameOf(row, plan);
    const rates = Object.fromEntries(
      RATES.flatMap((rate) => (measured[rate] ? [[rate, measured[rate].estimate] as const] : [])),
    );
    const isFirst = shown.size < shown.add(`${printedName(row, plan)} ${memoryBytes}`).size;
    const published: NamedRates = { name, memoryBytes, role: 'published', ...row.published };
    return [{ name, memoryBytes, ...rates }, ...(isFirst ? [published] : [])];
  });
}

function memoryPlots(plan: Planned, number: string, rows: readonly ReportRow[]): Plot[] {
  const isOfParts = plan.columns[0] === 'stream';
  return [...new Set(plan.rows.map(partOf))].flatMap((part) => {
    const planned = plan.rows.filter((row) => partOf(row) === part);
    const results = ratesByMemory(planned, plan, rows);
    const title = isOfParts ? `${number}, ${planned[0]?.labels[0]}` : number;
    return RATES.flatMap((rate) => {
      const measured = results.filter((result) => result.role === undefined && result[rate] !== undefined);
      if (new Set(measured.map(({ memoryBytes }) => memoryBytes)).size < 2) return [];
      const options = { id: `${part}-${rate}-memory`, title: `${title}: ${rate.toUpperCase()} by memory` };
      return [againstMemory(results, rate, options)];
    });
  });
}

function agreementPlot(plan: Planned, rate: Rate, options: { id: string; title: string }, rows: readonly ReportRow[]) {
  const isShown = ({ measured, published }: ReportRow) => measured[rate] && published[rate] !== undefined;
  if (!rows.some(isShown)) return [];
  return [publishedAgainstMeasured(rows, rate, { ...options, nameOf: (row) => nameOf(row, plan) })];
}

/** For each rate, published against measured values. `number` is the table's, and its paper. */
export function agreementPlots(id: string, number: string, plan: Planned): SectionPlan['plots'] {
  return ({ rows }) =>
    RATES.flatMap((rate) => {
      const options = { id: `${id}-${rate}`, title: `${number}: ${rate.toUpperCase()}, measured against published` };
      return agreementPlot(plan, rate, options, rows);
    });
}

/** For each rate, published against measured values, and both by memory. */
export function tablePlots(id: string, number: string, plan: Planned): SectionPlan['plots'] {
  const agreement = agreementPlots(id, number, plan);
  return async (view) => [...(await agreement(view)), ...memoryPlots(plan, number, view.rows)];
}
