// Reproduces sections: collects the runs that their rows need, runs them, and makes the rows from the measurements.

import type { Measurement, ReportRow, ReportSection, RunSpec } from '../contract.js';
import { runKey } from '../measure/key.js';
import type { RowSpec, SectionSpec } from './contract.js';
import { type Outcome, outcomeOf } from './outcome.js';
import { parametersText } from './parameters.js';
import { type Expectation, type Expectations, expectations } from './predict.js';
import { scaleText } from './text.js';
import { obstacleOf, type RunSettings, runsOf, scaleOf, type Trial } from './trial.js';
import { notReproducible } from './verdict.js';

/** Runs each spec once. The map has the measurements by key, and may also have stored results of other runs. */
export type Runner = (specs: readonly RunSpec[]) => Promise<ReadonlyMap<string, Measurement>>;

export interface Results {
  measurements: ReadonlyMap<string, Measurement>;
  settings: RunSettings;
}

/** Every run that the sections need, each once. */
export function trialSpecsOf(sections: readonly SectionSpec[], settings: RunSettings): RunSpec[] {
  const trials = sections.flatMap(({ rows, trials: others }) => [...rows.flatMap((row) => row.trials), ...others]);
  const possible = trials.filter((trial) => obstacleOf(trial, settings) === undefined);
  const specs = possible.flatMap((trial) => runsOf(trial, settings));
  return [...new Map(specs.map((spec) => [runKey(spec), spec])).values()];
}

/** Undefined for a trial that was not run, or not with all seeds. */
function findOutcome(trial: Trial, { measurements, settings }: Results): Outcome | undefined {
  if (obstacleOf(trial, settings) !== undefined) return undefined;
  const found = runsOf(trial, settings).flatMap((spec) => {
    const measurement = measurements.get(runKey(spec));
    return measurement === undefined ? [] : [{ ...measurement, spec }];
  });
  if (found.length < settings.seeds) return undefined;
  return outcomeOf(trial, scaleOf(trial, settings.scale), found);
}

/** The command that repeats the named sections with the same settings, or all if none is named. */
export function commandText(what: readonly string[], { scale, seeds, data }: RunSettings): string {
  return [
    'npx firstseen lab reproduce',
    ...what,
    ...(scale === 1 ? ['--full'] : [`--scale ${scaleText(scale)}`]),
    ...(seeds === 1 ? [] : [`--seeds ${seeds}`]),
    ...Object.keys(data).map((name) => `--data ${name}=PATH`),
  ].join(' ');
}

/** The command for a row or a section, with only the data sets that it uses. */
function commandOf(what: string, settings: RunSettings, trials: readonly Trial[]): string {
  const sets = new Set(trials.map(({ stream }) => stream.dataSet ?? ''));
  const data = Object.fromEntries(Object.entries(settings.data).filter(([name]) => sets.has(name)));
  return commandText([what], { ...settings, data });
}

/** The parameters of the row's run, as text. */
function parametersOf({ trials: [trial], unstated }: RowSpec, outcome: Outcome | undefined): string {
  if (!trial) return '';
  const spec = outcome?.measurements[0]?.spec;
  const ran = spec ? [`${spec.detector.memoryBytes} bytes`, `scale ${scaleText(outcome.scale)}`] : [];
  const parameters = parametersText(spec?.detector.parameters ?? trial.parameters);
  const silent = unstated === undefined ? [] : [`not stated: ${unstated}`];
  return [...(parameters === '' ? [] : [parameters]), ...ran, ...silent].join('; ');
}

async function expectedOf(outcome: Outcome | undefined, expected: Expectations): Promise<Expectation> {
  const spec = outcome?.measurements[0]?.spec;
  return spec ? expected.expectedOf(spec, outcome?.fpr?.estimate) : { predicted: {}, limit: {} };
}

async function rowOf(row: RowSpec, results: Results, expected: Expectations): Promise<ReportRow> {
  const { settings } = results;
  const outcomes = row.trials.map((trial) => findOutcome(trial, results));
  const [first] = outcomes;
  const ready = outcomes.filter((outcome) => outcome !== undefined);
  const obstacle = row.trials.map((trial) => obstacleOf(trial, settings)).find((reason) => reason !== undefined);
  const isReady = ready.length === row.trials.length;
  const { predicted, limit } = await expectedOf(first, expected);
  const elementsPerSecond = first?.measurements[0]?.elementsPerSecond;
  return {
    id: row.id,
    labels: row.labels,
    published: row.published,
    measured: { ...(first?.fpr ? { fpr: first.fpr } : {}), ...(first?.fnr ? { fnr: first.fnr } : {}) },
    predicted,
    limit,
    verdict: isReady ? row.judge(ready, predicted) : notReproducible(obstacle ?? 'not run'),
    parameters: parametersOf(row, first),
    command: commandOf(`--row ${row.id}`, settings, row.trials),
    ...(elementsPerSecond === undefined ? {} : { elementsPerSecond }),
  };
}

/** Returns a row of their own for results at full scale, if there are any. */
async function fullRowOf(row: RowSpec, results: Results, expected: Expectations): Promise<ReportRow[]> {
  const full = { ...results, settings: { ...results.settings, scale: 1 } };
  const isRun = row.trials.length > 0 && row.trials.every((trial) => findOutcome(trial, full));
  const isOther = row.trials.some((trial) => scaleOf(trial, results.settings.scale) < 1);
  if (!isRun || !isOther) return [];
  const found = await rowOf(row, full, expected);
  const labels = found.labels.map((label, i) => (i === 0 ? `${label}, full scale` : label));
  return [{ ...found, id: `${found.id}/full`, labels }];
}

/** The streams that were not run at the requested scale. */
function scaleNotes({ rows }: SectionSpec, { scale }: RunSettings): string[] {
  const trials = rows.flatMap((row) => row.trials);
  const otherScales = new Set(trials.map((trial) => scaleOf(trial, scale)).filter((each) => each !== scale));
  const basis =
    scale === 1
      ? 'Streams and memory have the stated sizes.'
      : `Streams and memory have ${scaleText(scale)} of the stated sizes, which does not change the rates.`;
  if (trials.length === 0) return [];
  if (otherScales.size === 0) return [basis];
  const list = [...otherScales].sort((a, b) => a - b).map(scaleText);
  return [basis, `Where a stream or memory would be too small, the scale is ${list.join(' or ')}, as the rows say.`];
}

/** A section from results. Rows that were not run say so. */
export async function sectionOf(
  section: SectionSpec,
  results: Results,
  expected: Expectations,
): Promise<ReportSection> {
  const rows: ReportRow[] = [];
  for (const row of section.rows)
    rows.push(await rowOf(row, results, expected), ...(await fullRowOf(row, results, expected)));
  const { id, paper, title, notes, columns } = section;
  return {
    id,
    paper,
    title,
    notes: [...notes, ...scaleNotes(section, results.settings)],
    columns,
    rows,
    plots: await section.plots({
      outcomeOf: (trial) => findOutcome(trial, results),
      rows,
      minFnrOf: ({ measurements: [first] }) => expected.minFnrOf((first as Measurement).spec),
    }),
    command: commandOf(id, results.settings, section.trials),
  };
}

/** Reproduces sections. */
export async function reproduce(
  sections: readonly SectionSpec[],
  settings: RunSettings,
  run: Runner,
): Promise<ReportSection[]> {
  const results = { measurements: await run(trialSpecsOf(sections, settings)), settings };
  const expected = expectations();
  const reportSections: ReportSection[] = [];
  for (const section of sections) {
    reportSections.push(await (section.repeat?.(section, settings) ?? sectionOf(section, results, expected)));
  }
  return reportSections;
}
