// Advice for a file: the recommendation and the error plane, then every contestant.

import { formatBytes, formatCounted, percent } from 'firstseen/internal';
import type { Plot, PredictionKind, ReportRow, ReportSection, RowVerdict } from '../contract.js';
import { errorPlane, limitCurve } from '../report/plots.js';
import { intervalOf } from '../reproduce/outcome.js';
import {
  type AdviceRequest,
  bestOfEach,
  betterThanRecommended,
  type Contest,
  type Standing,
  sumOf,
} from './contest.js';

function measuredOf({ measurement }: Standing): ReportRow['measured'] {
  const { falsePositives, distinct, falseNegatives, duplicates } = measurement;
  const fpr = intervalOf([{ events: falsePositives, of: distinct }]);
  const fnr = intervalOf([{ events: falseNegatives, of: duplicates }]);
  return { ...(fpr ? { fpr } : {}), ...(fnr ? { fnr } : {}) };
}

/** A predicted rate is off if it is outside the measured interval by more than this share of the measured rate, */
const MAX_OFF = 0.15;
/** and by more than 0.05 percentage points. */
const MAX_DIFFERENCE = 0.0005;

/** Returns how far the predicted rates are outside the measured intervals. */
function offTexts(measured: ReportRow['measured'], predicted: Standing['predicted']): string[] {
  return (['fpr', 'fnr'] as const).flatMap((rate) => {
    const [expected, found] = [predicted[rate], measured[rate]];
    if (expected === undefined || found === undefined) return [];
    const difference = Math.max(found.low - expected, expected - found.high);
    if (difference <= Math.max(MAX_OFF * found.estimate, MAX_DIFFERENCE)) return [];
    return [`${percent(Math.abs(expected - found.estimate))} points of ${rate.toUpperCase()}`];
  });
}

function verdictOf(standing: Standing): RowVerdict<PredictionKind> {
  const { refusedAtElements } = standing.measurement;
  if (refusedAtElements !== undefined) {
    return { kind: 'full', text: `after ${formatCounted(refusedAtElements, 'element')}` };
  }
  if (standing.predicted.fpr === undefined) return { kind: 'not predicted', text: '' };
  const off = offTexts(measuredOf(standing), standing.predicted);
  return off.length === 0 ? { kind: 'as predicted', text: '' } : { kind: 'off by', text: off.join(', ') };
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

function planeOf(standings: readonly Standing[], { minFnr }: Contest): Plot {
  const results = standings.map((standing) => ({
    name: nameOf(standing),
    memoryBytes: standing.spec.detector.memoryBytes,
    ...standing.measured,
  }));
  return errorPlane(results, limitCurve(minFnr), { id: 'advice', title: 'Error plane of the file' });
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

/** A command, and what it does and needs. */
interface Use {
  lead: string;
  command: string;
}

function useOf(standing: Standing, request: AdviceRequest): Use {
  const { algorithm, layout, parameters } = standing.spec.detector;
  const given = Object.entries(parameters).map(([letter, value]) => `--param "${letter}=${value}"`);
  const { lead, flags } = inputOf(standing, request);
  const detector = [`--algorithm ${algorithm}`, `--layout ${layout}`, `--memory ${request.memory}`, ...given];
  return { lead, command: ['npx firstseen', ...detector, flags].join(' ') };
}

/** Returns the uses of the recommended detector, and of one with fewer errors if there is one. */
export function usesOf(standings: readonly Standing[], request: AdviceRequest): Use[] {
  const recommended = standings.find(({ origin }) => origin === 'recommended');
  const better = betterThanRecommended(standings, request.fpr);
  const uses = recommended ? [useOf(recommended, request)] : [];
  if (!better) return uses;
  const sum = `FPR + FNR ${percent(sumOf(better))} %`;
  const { lead, command } = useOf(better, request);
  return [...uses, { lead: `${nameOf(better)}, ${parametersOf(better)}, had fewer errors: ${sum}. ${lead}`, command }];
}

/** Returns a text on the number of elements in the file, from a detector that refused none. */
export function countsText(standings: readonly Standing[], { path }: AdviceRequest): string {
  const counts = standings.map(({ measurement }) => measurement);
  const { elements, distinct } = counts.reduce((most, next) => (next.elements > most.elements ? next : most));
  const share = elements > 0 ? `, ${percent(distinct / elements)} % of them new` : '';
  return `${path}: ${elements.toLocaleString('en-US')} elements${share}`;
}

/** The recommendation, the limit and how often the planner was wrong, as sentences. */
export function adviceNotes(standings: readonly Standing[], contest: Contest, request: AdviceRequest): string[] {
  const best = standings.find(({ origin }) => origin === 'recommended');
  const describe = (standing: Standing) =>
    `${nameOf(standing)}, ${standing.spec.detector.layout}, ${parametersOf(standing)}`;
  const verdicts = standings.filter(({ predicted }) => predicted.fpr !== undefined).map(verdictOf);
  const off = verdicts.filter(({ kind }) => kind === 'off by').length;
  const target = request.fpr === undefined ? '' : ` with an FPR of at most ${percent(request.fpr)} %`;
  const { limit } = contest;
  const memory = formatBytes(standings[0]?.spec.detector.memoryBytes ?? 0);
  return [
    best
      ? `Recommended: ${describe(best)}: FPR + FNR ${percent(sumOf(best))} % measured.`
      : `No family keeps to an FPR of ${percent(request.fpr ?? 1)} % in ${memory}.`,
    `No structure of ${memory} that goes by how long ago and how often elements came has FPR + FNR below ${percent(limit.fpr + limit.fnr)} % on this stream${target}, if its keys look random.`,
    `${verdicts.length - off} of ${verdicts.length} detectors are as predicted: within ${percent(MAX_OFF)} % of the measured rates or ${percent(MAX_DIFFERENCE)} points.`,
  ];
}

/** The error plane, and the table of the detectors. */
export function adviceSections(
  standings: readonly Standing[],
  contest: Contest,
  request: AdviceRequest,
): [plane: ReportSection, table: ReportSection] {
  const best = bestOfEach(standings);
  const automatic = standings.filter((standing) => !best.includes(standing) && standing.origin === 'by itself');
  const base = { notes: [], columns: ['algorithm', 'layout', 'parameters', 'chosen'], command: adviceCommand(request) };
  return [
    {
      ...base,
      id: 'advice-plane',
      title: 'Both rates of every detector',
      rows: [],
      plots: [planeOf(standings, contest)],
    },
    {
      ...base,
      id: 'advice',
      title: `${request.path} in ${request.memory}`,
      rows: [...best, ...automatic].map((standing, i) => rowOf(standing, i, request)),
      plots: [],
    },
  ];
}
