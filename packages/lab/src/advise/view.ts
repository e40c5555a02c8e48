// Advice for a file as a section of a report: every contestant, the limit, and the recommendation.

import { formatBytes, percent } from 'firstseen/internal';
import type { Plot, ReportRow, ReportSection, RowVerdict } from '../contract.js';
import { errorPlane, limitCurve } from '../report/plots.js';
import { intervalOf } from '../reproduce/outcome.js';
import { fullText, notReproducible, predictionVerdict } from '../reproduce/verdict.js';
import { type AdviceRequest, bestOfEach, type Contest, type Standing } from './contest.js';

function measuredOf({ measurement }: Standing): ReportRow['measured'] {
  const { falsePositives, distinct, falseNegatives, duplicates } = measurement;
  const fpr = intervalOf([{ events: falsePositives, of: distinct }]);
  const fnr = intervalOf([{ events: falseNegatives, of: duplicates }]);
  return { ...(fpr ? { fpr } : {}), ...(fnr ? { fnr } : {}) };
}

function verdictOf(standing: Standing): RowVerdict {
  const { refusedAtElements } = standing.measurement;
  return refusedAtElements === undefined
    ? predictionVerdict(measuredOf(standing), standing.predicted)
    : notReproducible(fullText(refusedAtElements));
}

function nameOf({ spec }: Standing): string {
  return spec.identity === 'identifier' ? `${spec.detector.algorithm}, identifiers` : spec.detector.algorithm;
}

function parametersOf({ spec }: Standing): string {
  const parameters = Object.entries(spec.detector.parameters).map(([letter, value]) => `${letter}=${value}`);
  return parameters.length > 0 ? parameters.join(' ') : 'defaults';
}

function rowOf(standing: Standing, i: number, request: AdviceRequest): ReportRow {
  const { spec, measurement, predicted, origin } = standing;
  const { layout } = spec.detector;
  return {
    id: `advice/${i + 1}`,
    labels: [nameOf(standing), layout, parametersOf(standing), origin],
    published: {},
    measured: measuredOf(standing),
    predicted,
    limit: {},
    verdict: verdictOf(standing),
    parameters: `${measurement.stateBytes.toLocaleString('en-US')} bytes of cells and counters`,
    command: adviceCommand(request),
    elementsPerSecond: measurement.elementsPerSecond,
  };
}

/** The command that gives the same advice. */
function adviceCommand({ path, format, memory, fpr }: AdviceRequest): string {
  const target = fpr === undefined ? [] : [`--fpr ${fpr}`];
  return ['npx firstseen lab advise', quoted(path), `--format ${format}`, `--memory ${memory}`, ...target].join(' ');
}

/** A word, quoted for a shell if necessary. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function planeOf(standings: readonly Standing[], { leastFnr }: Contest): Plot {
  const results = standings.map((standing) => ({
    name: nameOf(standing),
    memoryBytes: standing.spec.detector.memoryBytes,
    ...standing.measured,
  }));
  return errorPlane(results, limitCurve(leastFnr), { id: 'advice', title: 'Error plane of the file' });
}

/** The main command reads numbers only in binary, so a text file has to be converted to this file. */
const NUMBERS_PATH = 'IDS.u64';

/** The flags with which the main command reads the elements that were measured. */
function inputOf({ spec }: Standing, { path, format }: AdviceRequest): { lead: string; flags: string } {
  if (spec.identity === 'identifier') {
    const lead = 'To use it, with the identifiers as 64-bit integers:';
    return { lead, flags: `--format u64 --fingerprint identity ${NUMBERS_PATH}` };
  }
  const lead = format === 'ids' ? 'To use it, with one identifier on each line:' : 'To use it:';
  return { lead, flags: `--format lines ${quoted(path)}` };
}

/** The command that uses the recommended detector, and what its input must be. */
export function useOf(standing: Standing, request: AdviceRequest): { lead: string; command: string } {
  const { algorithm, layout, parameters } = standing.spec.detector;
  const given = Object.entries(parameters).map(([letter, value]) => `--param "${letter}=${value}"`);
  const { lead, flags } = inputOf(standing, request);
  const detector = [`--algorithm ${algorithm}`, `--layout ${layout}`, `--memory ${request.memory}`, ...given];
  return { lead, command: ['npx firstseen', ...detector, flags].join(' ') };
}

/** How many elements the file has, from a detector that refused none. */
export function countsText(standings: readonly Standing[], { path }: AdviceRequest): string {
  const counts = standings.map(({ measurement }) => measurement);
  const { elements, distinct } = counts.reduce((most, next) => (next.elements > most.elements ? next : most));
  const share = elements > 0 ? `, ${percent(distinct / elements)} % of them new` : '';
  return `${path}: ${elements.toLocaleString('en-US')} elements${share}`;
}

/** The limit, the recommendation and how often the planner was wrong, as sentences. */
function adviceNotes(standings: readonly Standing[], contest: Contest, request: AdviceRequest): string[] {
  const [best, next] = bestOfEach(standings);
  const { limit } = contest;
  const sum = ({ measured }: Standing) => `${percent(measured.fpr + measured.fnr)} %`;
  const off = standings.filter((standing) => verdictOf(standing).kind === 'differs').length;
  const predicted = standings.filter(({ predicted: { fpr } }) => fpr !== undefined).length;
  const target = request.fpr === undefined ? '' : ` with an FPR of at most ${percent(request.fpr)} %`;
  return [
    `No structure of ${formatBytes(best?.spec.detector.memoryBytes ?? 0)} has FPR + FNR below ${percent(limit.fpr + limit.fnr)} % on this stream${target}, if its keys look random.`,
    ...(best
      ? [
          `Recommended: ${nameOf(best)}, ${best.spec.detector.layout}, ${parametersOf(best)}: FPR + FNR ${sum(best)} measured${next ? `. The next family is ${nameOf(next)}, with ${sum(next)}` : ''}.`,
        ]
      : []),
    `The planner's predictions were wrong for ${off} of ${predicted} detectors.`,
  ];
}

export function adviceSection(standings: readonly Standing[], contest: Contest, request: AdviceRequest): ReportSection {
  const shown = bestOfEach(standings);
  const others = standings.filter((standing) => !shown.includes(standing) && standing.origin === 'by itself');
  return {
    id: 'advice',
    paper: 'Advice',
    title: `${request.path} in ${request.memory}`,
    notes: adviceNotes(standings, contest, request),
    columns: ['algorithm', 'layout', 'parameters', 'chosen'],
    rows: [...shown, ...others].map((standing, i) => rowOf(standing, i, request)),
    plots: [planeOf(standings, contest)],
    command: adviceCommand(request),
  };
}
