// Advice for a file as a section of a report: every contestant, the limit, and what is recommended.

import { binomialInterval } from '../detectors/intervals.js';
import { formatBytes } from '../memory.js';
import { percent } from '../plan/text.js';
import { type AdviceRequest, bestOfEach, type Contest, type Standing } from './advise.js';
import type { Interval, Plot, ReportRow, ReportSection, Verdict } from './contract.js';
import { errorPlane } from './report/plots.js';

/** A prediction is off where it lies outside the measured interval by more than this share of the measured rate. */
const MOST_OFF = 0.1;
/** Rates of false positives for which the limit is drawn. */
const LIMIT_POINTS = 60;

function intervalOf(events: number, of: number): Interval {
  const { low, high } = binomialInterval(of > 0 ? events / of : 0, Math.max(1, of));
  return { estimate: of > 0 ? events / of : 0, low, high };
}

function measuredOf({ measurement }: Standing): { fpr: Interval; fnr: Interval } {
  const { falsePositives, distinct, falseNegatives, duplicates } = measurement;
  return { fpr: intervalOf(falsePositives, distinct), fnr: intervalOf(falseNegatives, duplicates) };
}

/** In words: `FPR 1.2 %, predicted 0.8 %`, for each rate whose prediction is off. */
function offTexts(standing: Standing): string[] {
  const measured = measuredOf(standing);
  return (['fpr', 'fnr'] as const).flatMap((rate) => {
    const predicted = standing.predicted[rate];
    if (predicted === undefined) return [];
    const { estimate, low, high } = measured[rate];
    const slack = MOST_OFF * estimate;
    if (predicted >= low - slack && predicted <= high + slack) return [];
    return [`${rate.toUpperCase()} ${percent(estimate)} %, predicted ${percent(predicted)} %`];
  });
}

function verdictOf(standing: Standing): Verdict {
  const { refusedAtElements } = standing.measurement;
  if (refusedAtElements !== undefined) {
    return { kind: 'not reproducible', text: `full after ${refusedAtElements.toLocaleString('en-US')} elements` };
  }
  if (standing.predicted.fpr === undefined) return { kind: 'not reproducible', text: 'nothing was predicted' };
  const off = offTexts(standing);
  if (off.length === 0) return { kind: 'reproduced', text: 'as predicted' };
  return { kind: 'differs', text: off.join('; ') };
}

function nameOf({ spec }: Standing): string {
  return spec.identity === 'identifier' ? `${spec.detector.algorithm}, identifiers` : spec.detector.algorithm;
}

function parametersOf({ spec }: Standing): string {
  const parameters = Object.entries(spec.detector.parameters).map(([letter, value]) => `${letter}=${value}`);
  return parameters.length > 0 ? parameters.join(' ') : 'its own';
}

function rowOf(standing: Standing, i: number, { path, memory }: AdviceRequest): ReportRow {
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
    command: `npx firstseen lab advise ${path} --memory ${memory}`,
    elementsPerSecond: measurement.elementsPerSecond,
  };
}

function planeOf(standings: readonly Standing[], { leastFnr }: Contest): Plot {
  const limit = Array.from({ length: LIMIT_POINTS }, (_, i) => {
    const fpr = 10 ** (-6 * (1 - i / (LIMIT_POINTS - 1)));
    return { fpr, fnr: leastFnr(fpr) };
  });
  const results = standings.map((standing) => ({
    name: nameOf(standing),
    memoryBytes: standing.spec.detector.memoryBytes,
    ...standing.measured,
  }));
  return errorPlane(results, limit, { id: 'advice', title: 'Error plane of the file' });
}

/** The command that makes what is recommended. */
export function commandFor({ spec }: Standing, { path, memory }: AdviceRequest): string {
  const { algorithm, layout, parameters } = spec.detector;
  const given = Object.entries(parameters).map(([letter, value]) => `--param "${letter}=${value}"`);
  const identity = spec.identity === 'identifier' ? ['--fingerprint rabin'] : [];
  return [
    'npx firstseen',
    `--algorithm ${algorithm}`,
    `--layout ${layout}`,
    `--memory ${memory}`,
    ...given,
    ...identity,
    path,
  ].join(' ');
}

/** What is best, by how much, and where the planner was wrong, in sentences. */
export function adviceNotes(standings: readonly Standing[], contest: Contest, request: AdviceRequest): string[] {
  const [best, next] = bestOfEach(standings);
  const { limit } = contest;
  const sum = ({ measured }: Standing) => `${percent(measured.fpr + measured.fnr)} %`;
  const off = standings.filter((standing) => verdictOf(standing).kind === 'differs').length;
  const predicted = standings.filter(({ predicted: { fpr } }) => fpr !== undefined).length;
  const target = request.fpr === undefined ? '' : ` with no more than ${percent(request.fpr)} % of false positives`;
  return [
    `No structure of ${formatBytes(best?.spec.detector.memoryBytes ?? 0)} has FPR + FNR below ${percent(limit.fpr + limit.fnr)} % on this stream${target}, its keys being as good as random.`,
    ...(best
      ? [
          `Recommended: ${nameOf(best)}, ${best.spec.detector.layout}, ${parametersOf(best)}: FPR + FNR ${sum(best)} measured${next ? `; the next family is ${nameOf(next)} with ${sum(next)}` : ''}.`,
        ]
      : []),
    `The planner's predictions were off for ${off} of ${predicted} detectors.`,
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
    command: `npx firstseen lab advise ${request.path} --memory ${request.memory}`,
  };
}
