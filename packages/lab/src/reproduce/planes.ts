// Every family in the same memory over the same stream: the error plane, with the limit. No paper has it.

import type { LayoutName, ParameterValue } from 'firstseen';
import { familyNamed, ownParameters, resolveSettings } from 'firstseen/internal';
import { families } from 'firstseen/plan';
import type { Plot, ReportRow, RowVerdict } from '../contract.js';
import { MB } from '../published/contract.js';
import { errorPlane, limitCurve } from '../report/plots.js';
import type { PlotView, RowSpec, SectionSpec } from './contract.js';
import type { Outcome } from './outcome.js';
import { parametersText } from './parameters.js';
import { memoryText } from './text.js';
import type { Trial, TrialStream } from './trial.js';
import { fullText, notReproducible, predictionVerdict } from './verdict.js';

/** Shown where other sections show their paper. */
export const PLANE_PAPER = 'Beyond the papers';

/** The highest FPR allowed in the planner's choices. */
export const PLANE_FPR = 0.1;

const BILLION = 1_000_000_000;

/** A detector as the planner chooses it for a stream. */
export interface PlannedDetector {
  algorithm: string;
  layout: LayoutName;
  parameters: Readonly<Record<string, ParameterValue>>;
}

export interface Plane {
  id: string;
  stream: TrialStream;
  memoryBytes: number;
  title: string;
  /** A note of this plane only. */
  note?: string;
  /** The choice of `firstseen plan` for each family, given the stream, the memory and the rate. */
  planned: readonly PlannedDetector[];
}

const uniformPlane: Plane = {
  id: 'plane-uniform',
  stream: { kind: 'independent', lengthElements: BILLION, distinctShare: 0.6 },
  memoryBytes: 256 * MB,
  title: '1 billion uniform draws, 60 % distinct',
  planned: [
    { algorithm: 'bloom', layout: 'classic', parameters: { k: 3 } },
    { algorithm: 'sbf', layout: 'blocked', parameters: { K: 2, Max: 1, P: 1, victims: 'adjacent' } },
    { algorithm: 'rsbf', layout: 'blocked', parameters: { k: 2, variant: 'table' } },
    { algorithm: 'bsbf', layout: 'blocked', parameters: { k: 2 } },
    { algorithm: 'bsbfsd', layout: 'blocked', parameters: { k: 2 } },
    { algorithm: 'rlbsbf', layout: 'blocked', parameters: { k: 2 } },
    { algorithm: 'buffer', layout: 'classic', parameters: { replacement: 'clock' } },
    { algorithm: 'fpbuffer', layout: 'classic', parameters: { replacement: 'clock', q: 0.0001 } },
    { algorithm: 'sqf', layout: 'classic', parameters: { r: 8, "r'": 4, k: 8, quotient: 'modulo' } },
    { algorithm: 'dsqf', layout: 'classic', parameters: { r: 16, "r'": 8, k: 4 } },
    { algorithm: 'qht', layout: 'classic', parameters: { s: 4, k: 2, eviction: 'lru' } },
    { algorithm: 'apbf', layout: 'classic', parameters: { k: 4, l: 6, g: 29_220_640, refresh: 'no' } },
    { algorithm: 'pocket', layout: 'blocked', parameters: { r: 8, k: 78 } },
  ],
};

const recencyPlane: Plane = {
  id: 'plane-recency',
  stream: { kind: 'recency', lengthElements: BILLION, distinctShare: 0.6, windowElements: 50_000_000 },
  memoryBytes: 64 * MB,
  title: '1 billion elements, 60 % distinct, repeats of the last 50 million',
  note: 'Predictions and the limit assume a stream without a beginning. This stream has one, and its first repeats are nearer. If a detector remembers about as many elements as the largest gap, as qht, apbf and pocket do here, few gaps cause all misses, and predictions are less accurate.',
  planned: [
    { algorithm: 'bloom', layout: 'blocked', parameters: { k: 1 } },
    { algorithm: 'sbf', layout: 'blocked', parameters: { K: 2, Max: 1, P: 3, victims: 'adjacent' } },
    { algorithm: 'rsbf', layout: 'blocked', parameters: { k: 3, variant: 'table' } },
    { algorithm: 'bsbf', layout: 'blocked', parameters: { k: 4 } },
    { algorithm: 'bsbfsd', layout: 'blocked', parameters: { k: 2 } },
    { algorithm: 'rlbsbf', layout: 'blocked', parameters: { k: 5 } },
    { algorithm: 'buffer', layout: 'classic', parameters: { replacement: 'clock' } },
    { algorithm: 'fpbuffer', layout: 'classic', parameters: { replacement: 'clock', q: 0.0001 } },
    { algorithm: 'sqf', layout: 'classic', parameters: { r: 8, "r'": 4, k: 4, quotient: 'modulo' } },
    { algorithm: 'dsqf', layout: 'classic', parameters: { r: 16, "r'": 8, k: 4 } },
    { algorithm: 'qht', layout: 'classic', parameters: { s: 10, k: 16, eviction: 'lru' } },
    { algorithm: 'apbf', layout: 'classic', parameters: { k: 4, l: 6, g: 7_305_153, refresh: 'no' } },
    { algorithm: 'pocket', layout: 'blocked', parameters: { r: 8, k: 78 } },
  ],
};

export const planes: readonly Plane[] = [uniformPlane, recencyPlane];

const choices = ['planned', 'by itself'] as const;
type Choice = (typeof choices)[number];

/** The form of a choice in row ids. */
function choiceId(choice: Choice): string {
  return choice.replace(' ', '-');
}

function trialOf({ stream, memoryBytes }: Plane, { algorithm, layout, parameters }: PlannedDetector): Trial {
  return { stream, identity: 'hashed', algorithm, memoryBytes, layout, parameters };
}

function judge([outcome]: readonly Outcome[], predicted: ReportRow['predicted']): RowVerdict {
  const { fpr, fnr, measurements, scale } = outcome as Outcome;
  const refused = measurements.find(({ refusedAtElements }) => refusedAtElements !== undefined);
  if (refused) return notReproducible(fullText((refused.refusedAtElements as number) / scale));
  return predictionVerdict({ ...(fpr ? { fpr } : {}), ...(fnr ? { fnr } : {}) }, predicted);
}

function rowOf(plane: Plane, detector: PlannedDetector, choice: Choice): RowSpec {
  const { algorithm, layout, parameters } = detector;
  const settings = resolveSettings({
    algorithm: familyNamed(algorithm).name,
    layout,
    memory: plane.memoryBytes,
    parameters,
  });
  const shownValues = choice === 'planned' ? parameters : ownParameters(settings);
  return {
    id: [plane.id, algorithm, choiceId(choice)].join('/'),
    labels: [algorithm, layout, parametersText(shownValues), choice],
    published: {},
    trials: [trialOf(plane, detector)],
    judge,
  };
}

/** The families with their default parameters. */
const byThemselves: readonly PlannedDetector[] = families.map(({ name: algorithm, layout }) => ({
  algorithm,
  layout,
  parameters: {},
}));

function detectorsOf(plane: Plane, choice: Choice): readonly PlannedDetector[] {
  return choice === 'planned' ? plane.planned : byThemselves;
}

async function planePlot(plane: Plane, choice: Choice, { outcomeOf, minFnrOf }: PlotView): Promise<Plot[]> {
  const outcomes = detectorsOf(plane, choice).flatMap((detector) => outcomeOf(trialOf(plane, detector)) ?? []);
  const whole = outcomes.filter(({ measurements }) =>
    measurements.every(({ refusedAtElements }) => refusedAtElements === undefined),
  );
  const [first] = whole;
  if (!first) return [];
  const results = whole.flatMap(({ trial: { algorithm: name, memoryBytes }, fpr, fnr }) =>
    fpr && fnr ? [{ name, memoryBytes, fpr: fpr.estimate, fnr: fnr.estimate }] : [],
  );
  const subject = choice === 'planned' ? 'planned for the stream' : 'by themselves';
  return [
    errorPlane(results, limitCurve(await minFnrOf(first)), {
      id: `${plane.id}-${choiceId(choice)}`,
      title: `Error plane of all families in ${memoryText(plane.memoryBytes)}, ${subject}: ${plane.title}`,
    }),
  ];
}

const NOTES = [
  `This comparison is in no paper: every family in the same memory over the same stream, twice. "Planned" uses the parameters that firstseen plan finds for the stream and an FPR of at most ${100 * PLANE_FPR} %; some families cannot meet this limit. "By itself" uses the family's defaults, which assume nothing about the stream; for most families this means few false positives and many misses.`,
  'The dashed line of a plot is the limit: the lowest FNR that any structure of the same size can have at each FPR, for keys that look random. Detectors near the line use their memory well.',
  'No paper prints these rates. A row counts as reproduced if both rates match the prediction of firstseen plan. They match if the prediction is in the measured interval, or outside it by at most a tenth of the rate.',
];

function planeSection(plane: Plane): SectionSpec {
  return {
    id: plane.id,
    paper: PLANE_PAPER,
    title: `All families in ${memoryText(plane.memoryBytes)}: ${plane.title}`,
    notes: [...NOTES, ...(plane.note === undefined ? [] : [plane.note])],
    columns: ['algorithm', 'layout', 'parameters', 'chosen'],
    rows: choices.flatMap((choice) => detectorsOf(plane, choice).map((detector) => rowOf(plane, detector, choice))),
    trials: [],
    plots: async (view) => (await Promise.all(choices.map((choice) => planePlot(plane, choice, view)))).flat(),
  };
}

export const planeSections: readonly SectionSpec[] = planes.map(planeSection);
