// The action of `firstseen lab reproduce`: the runs that tables and figures need, the tables, and the report.

import { join } from 'node:path';
import { alignRows, writeOutput } from 'firstseen/internal';
import type { Measurement, RunSpec } from '../contract.js';
import { RESULTS_NAME, readResults } from '../measure/results.js';
import { checkData, chosenSections, sectionSpecs } from '../reproduce/registry.js';
import { reportOf } from '../reproduce/report.js';
import { commandText, reproduce } from '../reproduce/run.js';
import { makeFolder } from './folder.js';
import { makeReportFolder, writeReport } from './report.js';
import { runShown } from './runs.js';
import { sectionText } from './table.js';

/** The flags as the parser stores them. */
export interface ReproduceFlags {
  list?: boolean;
  scale?: number;
  full?: boolean;
  seeds: number;
  row?: string;
  data: Record<string, string>;
  output?: string;
  also: string[];
  jobs?: number;
  report?: string;
  progress: boolean;
}

const DEFAULT_SCALE = 1 / 32;

/** Measurements by key: those of the runs, and all others in the result files. */
async function runAll(specs: readonly RunSpec[], flags: ReproduceFlags): Promise<ReadonlyMap<string, Measurement>> {
  const { output } = flags;
  const also = (await Promise.all(flags.also.map(readResults))).flat();
  if (output !== undefined) await makeFolder(output);
  const path = output === undefined ? undefined : join(output, RESULTS_NAME);
  const measured = await runShown(specs, { ...flags, output: path });
  const kept = path === undefined ? [] : await readResults(path);
  return new Map([...also, ...kept, ...measured].map((measurement) => [measurement.key, measurement]));
}

export async function listTables(): Promise<void> {
  const rows = sectionSpecs.map(({ id, paper, title }): [string, string] => [id, `${paper}, ${title}`]);
  await writeOutput(`${alignRows(rows).join('\n')}\n`);
}

/** @throws FirstseenError E_USAGE for an unknown table, row or data set, and as `runExperiment` does. */
export async function repeatTables(tables: readonly string[], flags: ReproduceFlags): Promise<void> {
  const sections = chosenSections(tables, flags.row);
  const scale = flags.full ? 1 : (flags.scale ?? DEFAULT_SCALE);
  const { seeds, data } = flags;
  checkData(data, sections);
  if (flags.report !== undefined) await makeReportFolder(flags.report);
  const settings = { scale, seeds, data };
  const reportSections = await reproduce(sections, settings, (specs) => runAll(specs, flags));
  await writeOutput(reportSections.map(sectionText).join('\n'));
  if (flags.report === undefined) return;
  const selection = flags.row === undefined ? tables : [`--row ${flags.row}`];
  await writeReport(reportOf(reportSections, commandText(selection, settings)), flags.report);
}
