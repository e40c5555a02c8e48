// Advice for a file as a section of a report: every contestant, the limit, and what is recommended.

import { binomialInterval } from '../detectors/intervals.js';
import { formatBytes } from '../memory.js';
import { percent } from '../plan/text.js';
import { type AdviceRequest, bestOfEach, type Contest, type Standing } from './advise.js';
import type { Interval, Plot, ReportRow, ReportSection, Verdict } from './contract.js';
import { errorPlane, limitCurve } from './report/plots.js';
import { fullText, notReproducible, predictionVerdict } from './reproduce/verdict.js';

function intervalOf(events: number, of: number): Interval {
  const { low, high } = binomialInterval(of > 0 ? events / of : 0, Math.max(1, of));
  return { estimate: of > 0 ? events / of : 0, low, high };
}

function measuredOf({ measurement }: Standing): { fpr: Interval; fnr: Interval } {
  const { falsePositives, distinct, falseNegatives, duplicates } = measurement;
  return { fpr: intervalOf(falsePositives, distinct), fnr: intervalOf(falseNegatives, duplicates) };
}

function verdictOf(standing: Standing): Verdict {
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
  const results = standings.map((standing) => ({
    name: nameOf(standing),
    memoryBytes: standing.spec.detector.memoryBytes,
    ...standing.measured,
  }));
  return errorPlane(results, limitCurve(leastFnr), { id: 'advice', title: 'Error plane of the file' });
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
