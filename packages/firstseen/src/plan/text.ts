// A plan as text, and as data.

import { checkFunctions } from '../base/check.js';
import { formatCount, formatCounted } from '../base/count.js';
import { formatDuration } from '../base/duration.js';
import { invalidOption } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import { maxLateShare, type ParameterValue, slackOf, type WindowBand } from '../detectors/contract.js';
import { streamText } from './goal.js';
import type { Limit } from './moments.js';
import type { FamilyAdvice, Plan } from './plan.js';
import type { Prediction, RateByGap, RateRange, RatesBySeed } from './predict.js';
import type { StreamModel } from './stream.js';

/** Rates below this are rounding errors. */
const MIN_SHOWN = 1e-13;

/** A rate in percent with a number of significant digits. */
export function percent(rate: number, digits = 3): string {
  if (rate < MIN_SHOWN) return '0';
  const value = 100 * rate;
  return value < 0.001 ? value.toExponential(Math.max(1, digits - 2)) : String(Number(value.toPrecision(digits)));
}

function parametersText(parameters: Readonly<Record<string, ParameterValue>>): string {
  return Object.entries(parameters)
    .map(([letter, value]) => `${letter}=${typeof value === 'number' ? Number(value.toPrecision(6)) : value}`)
    .join(' ');
}

/** Returns the rows of a table with padded columns. The first columns are aligned left, the others right. */
export function table(rows: readonly (readonly string[])[], leftColumns: number): string[] {
  const widths = (rows[0] as readonly string[]).map((_, c) =>
    Math.max(...rows.map((row) => (row[c] as string).length)),
  );
  return rows.map((row) =>
    row
      .map((cell, c) => (c < leftColumns ? cell.padEnd(widths[c] as number) : cell.padStart(widths[c] as number)))
      .join('  ')
      .trimEnd(),
  );
}

/** `1,000 added elements for certain, after 1,200 only by chance (20 % slack)`, of what is counted. */
export function bandText(band: WindowBand, counted = 'element'): string {
  const [certain, chance] =
    'fromElements' in band
      ? [`${formatCount(band.fromElements)} added ${counted}s`, formatCount(band.toElements)]
      : [formatDuration(band.fromMilliseconds / 1000), formatDuration(band.toMilliseconds / 1000)];
  if (slackOf(band) === 0)
    return 'fromElements' in band ? `exactly ${formatCounted(band.fromElements, counted)}` : `exactly ${certain}`;
  return `${certain} for certain, after ${chance} only by chance (${percent(slackOf(band), 2)} % slack)`;
}

/** Returns the row on what the recommended window drops after its end. */
function lateRows({ settings: { parameters }, prediction: { lateDuplicateRate } }: FamilyAdvice): string[] {
  const { band } = parameters;
  if (band === undefined || lateDuplicateRate === undefined) return [];
  if (slackOf(band) === 0) return ['dropped after the window: none'];
  const shareText = (rate: number) => `${percent(rate)} % (${rateOfMillion(rate)} in a million)`;
  return [
    `dropped after the window: ${shareText(lateDuplicateRate)} of the elements on this stream; of those of a key that comes all the time up to ${shareText(maxLateShare(band))}`,
  ];
}

/**
 * Returns rows on the sharpness of the windows of the families that have one. The witness of a run has another rate for
 * them.
 */
function bandRows({ families, recommended }: Plan): string[] {
  const bands = families.flatMap(({ algorithm, settings: { parameters } }) =>
    parameters.band === undefined ? [] : [`window of ${algorithm}: ${bandText(parameters.band)}`],
  );
  if (bands.length === 0) return [];
  const meaning = 'FNR is the share of all repeats that pass; a run with a window counts only the repeats in it';
  return [meaning, ...bands, ...lateRows(recommended)];
}

/** The window that is asked for, and how much longer an element may be remembered. */
function windowRow({ windowElements, windowSlack }: Plan): [string, string][] {
  const size = windowElements === undefined ? [] : [formatCounted(windowElements, 'element')];
  const slack = windowSlack === undefined ? [] : [`at most ${percent(windowSlack, 2)} % slack`];
  const asked = [...size, ...slack];
  return asked.length === 0 ? [] : [['window', asked.join(', ')]];
}

function verdictOf(advice: FamilyAdvice, { fpr, windowElements, windowSlack }: Plan): string {
  const { refusesAfterElements } = advice.prediction;
  const hasWindow = windowElements !== undefined || windowSlack !== undefined;
  if (hasWindow && !advice.settings.family.hasWindow) return 'has no window';
  if (refusesAfterElements !== undefined) return `full after ${formatCount(refusesAfterElements)} distinct`;
  return advice.isPossible ? '' : `above ${percent(fpr)} %`;
}

function familyRows(plan: Plan): string[] {
  const header = ['  algorithm', 'layout', 'parameters', 'FPR %', 'FNR %', 'state bytes', ''];
  const rows = plan.families.map((advice) => {
    const isRecommended = advice === plan.recommended;
    const { layout, parameters, prediction } = advice;
    return [
      `${isRecommended ? '*' : ' '} ${advice.algorithm}`,
      layout,
      parametersText(parameters),
      percent(prediction.fpr),
      percent(prediction.fnr),
      formatCount(advice.stateBytes),
      isRecommended ? '' : verdictOf(advice, plan),
    ];
  });
  return table([header, ...rows], 3);
}

/** There are too many powers of two for a page, so a column combines this many. */
const OCTAVES_PER_COLUMN = 4;
/** Columns with less than this share of the duplicates are not shown. */
const MIN_SHARE = 0.001;

/** Gaps as long as this are shown as powers of two. */
const LONG_ELEMENTS = 2 ** 20;

/** Gaps beyond what is known of the stream are marked. */
function gapText(elements: number, { knownElements = Number.POSITIVE_INFINITY }: StreamModel): string {
  const octaves = Math.log2(elements);
  const text = elements > LONG_ELEMENTS && Number.isInteger(octaves) ? `2^${octaves}` : formatCount(elements);
  return elements > knownElements ? `${text} (?)` : text;
}

interface GapColumn {
  toElements: number;
  share: number;
  missed: number;
}

function gapColumns(rates: readonly RateByGap[]): GapColumn[] {
  const columns: GapColumn[] = [];
  for (const [i, { toElements, share, fnr }] of rates.entries()) {
    if (i % OCTAVES_PER_COLUMN === 0) columns.push({ toElements, share: 0, missed: 0 });
    const column = columns.at(-1) as GapColumn;
    column.toElements = toElements;
    column.share += share;
    column.missed += share * fnr;
  }
  return columns;
}

/** Returns the rates by gap, one row per family. Gaps that hardly any duplicate has are not shown. */
function gapRows({ families, recommended, stream }: Plan): string[] {
  const byFamily = families.map(({ prediction }) => gapColumns(prediction.byGap));
  const first = gapColumns(recommended.prediction.byGap);
  const shownColumns = first.flatMap(({ share }, c) => (share >= MIN_SHARE ? [c] : []));
  const cellsOf = (text: (column: GapColumn) => string, columns: GapColumn[]) =>
    shownColumns.map((c) => text(columns[c] as GapColumn));
  const header = ['gap up to', ...cellsOf(({ toElements }) => gapText(toElements, stream), first)];
  const shares = ['share of duplicates %', ...cellsOf(({ share }) => percent(share), first)];
  const rows = families.map(({ algorithm }, f) => [
    algorithm,
    ...cellsOf(({ share, missed }) => percent(missed / share), byFamily[f] as GapColumn[]),
  ]);
  return table([header, shares, ...rows], 1);
}

function ratesText({ fpr, fnr }: { fpr: number; fnr: number }): string {
  return `${percent(fpr + fnr)} % (${percent(fpr)} + ${percent(fnr)})`;
}

/** Tells if nothing was counted of the stream, so that it is a model that follows from hints. */
function isAssumed({ stream, measured }: Plan): boolean {
  return measured === undefined && stream.novelty === undefined && stream.knownElements === undefined;
}

/** Returns the row that calls a stream without a sample an assumption. */
function assumptionRow(plan: Plan): [string, string][] {
  const text = 'this is an assumption: on another stream, the rates are others, and a structure may be below the limit';
  return isAssumed(plan) ? [['', text]] : [];
}

/** The limits are shown with what they assume. */
function limitRows(plan: Plan): [string, string][] {
  const { limit, limitAtAnyFpr, recencyLimit, recencyLimitAtAnyFpr, stream } = plan;
  if (!limit || !limitAtAnyFpr) {
    const knownText = formatCounted(stream.knownElements ?? 0, 'element');
    return [['limit', `unknown: nothing is known of the stream beyond ${knownText}`]];
  }
  const row = (knows: string, atTarget: Limit, atAnyFpr: Limit) =>
    `${isAssumed(plan) ? 'on such a stream, ' : ''}no structure that goes by ${knows} has FPR + FNR below ${ratesText(atTarget)} at the target, or ${ratesText(atAnyFpr)} at any FPR`;
  const recency = 'how long ago an element came';
  if (!recencyLimit || !recencyLimitAtAnyFpr)
    return [['limit', row(`${recency}, and by nothing else,`, limit, limitAtAnyFpr)]];
  return [
    ['limit', row(`${recency} and how often`, limit, limitAtAnyFpr)],
    ['', row('how long ago alone', recencyLimit, recencyLimitAtAnyFpr)],
  ];
}

/** Returns the row on the method by which the rates were found. */
function ratesRow({ measured, stream }: Plan): [string, string][] {
  if (measured) {
    const { elements, oneIn } = measured;
    const part =
      oneIn === 1
        ? 'all of them'
        : `1 of ${formatCount(oneIn)} distinct ones, in 1/${formatCount(oneIn)} of the memory`;
    return [['rates', `measured on ${formatCounted(elements, 'element')} of the stream, ${part}`]];
  }
  return stream.knownElements === undefined
    ? [['rates', 'computed']]
    : [['rates', `computed, and extrapolated from the first ${formatCounted(stream.knownElements, 'element')}`]];
}

/** A plan that was read from JSON has no functions. @throws FirstseenError E_PARAMETER unless the value is a plan. */
function checkPlan(plan: unknown): void {
  const { stream, families, recommended } = (plan ?? {}) as Partial<Plan>;
  if (typeof stream?.distinctIn === 'function' && Array.isArray(families) && recommended !== undefined) return;
  const remedy = 'pass what plan returned';
  throw invalidOption({ option: 'plan', given: plan, expected: 'a plan', remedy });
}

/**
 * The plan as text.
 * @param useText says how to use the recommendation; by default a call of `create`
 * @throws FirstseenError E_PARAMETER when it is not a plan, or `useText` is not a function.
 */
export function planText(plan: Plan, useText: (plan: Plan) => string = createText): string {
  checkPlan(plan);
  checkFunctions({ useText });
  const { memoryBytes, fpr } = plan;
  const facts = [
    ['memory', formatBytes(memoryBytes)],
    ['target FPR', `${fpr}: at most ${rateOfMillion(fpr)} in a million new records are lost as false positives`],
    ['stream', streamText(plan.stream)],
    ...assumptionRow(plan),
    ...ratesRow(plan),
    ...windowRow(plan),
    ...limitRows(plan),
    [
      '',
      `no structure remembers more than ${formatCounted(plan.maxRememberedElements, 'element')} without a miss at the target`,
    ],
  ] as [string, string][];
  return [
    ...facts.map(([label, text]) => `${label.padEnd(12)}${text}`),
    '',
    ...familyRows(plan),
    '',
    ...seedRows(plan),
    `FNR in % by gap${plan.stream.knownElements === undefined ? '' : ', with (?) where the sample knows no gaps'}:`,
    ...gapRows(plan),
    '',
    ...bandRows(plan),
    `recommended: ${plan.recommended.algorithm}; ${plan.why}`,
    `  ${useText(plan)}`,
    '',
  ].join('\n');
}

function rateOfMillion(fpr: number): string {
  return String(Number((fpr * 1e6).toPrecision(3)));
}

/** Returns rows on the ranges of measured rates over the seeds. */
function seedRows({ families }: Plan): string[] {
  const rangeText = ({ low, high }: RateRange) => `${percent(low)} to ${percent(high)} %`;
  const rows = families.flatMap(({ algorithm, prediction: { bySeed } }) =>
    bySeed === undefined ? [] : [`  ${algorithm}: FPR ${rangeText(bySeed.fpr)}, FNR ${rangeText(bySeed.fnr)}`],
  );
  const seeds = families.find(({ prediction }) => prediction.bySeed !== undefined)?.prediction.bySeed?.seeds;
  return rows.length === 0
    ? []
    : [`means of ${seeds} seeds that chose no parameters, from the lowest to the highest:`, ...rows, ''];
}

/** The call that creates the recommended detector. */
function createText(plan: Plan): string {
  const { algorithm, layout, parameters } = plan.recommended;
  const members = Object.entries(parameters).map(
    ([letter, value]) => `${JSON.stringify(letter)}: ${JSON.stringify(value)}`,
  );
  const shown = `{ ${members.join(', ')} }`;
  return `create({ memory: ${plan.memoryBytes}, algorithm: '${algorithm}', layout: '${layout}', parameters: ${shown} })`;
}

/** Rounds to six significant digits. */
function rounded(rate: number): number {
  return Number(rate.toPrecision(6));
}

function adviceData({ algorithm, layout, parameters, settings, stateBytes, isPossible, prediction }: FamilyAdvice) {
  return {
    algorithm,
    layout,
    parameters,
    resolved: settings.parameters.values,
    state_bytes: stateBytes,
    ...(settings.parameters.band === undefined ? {} : { window_slack: rounded(slackOf(settings.parameters.band)) }),
    is_possible: isPossible,
    fpr: rounded(prediction.fpr),
    fnr: rounded(prediction.fnr),
    ...lateData(settings.parameters.band, prediction),
    load: rounded(prediction.load),
    ...(prediction.bySeed === undefined ? {} : { by_seed: seedData(prediction.bySeed) }),
    ...(prediction.refusesAfterElements === undefined
      ? {}
      : { refuses_after_elements: prediction.refusesAfterElements }),
    by_gap: prediction.byGap.map(({ fromElements, toElements, share, fnr }) => ({
      from_elements: fromElements,
      to_elements: toElements,
      share: rounded(share),
      fnr: rounded(fnr),
    })),
    over_time: prediction.overTime.map(({ positionElements, load, fpr, fnr }) => ({
      position_elements: positionElements,
      load: rounded(load),
      fpr: rounded(fpr),
      fnr: rounded(fnr),
    })),
  };
}

/** The rate of what a window drops after its end, and the highest share of the records of a key that comes all the time. */
function lateData(band: WindowBand | undefined, { lateDuplicateRate }: Prediction) {
  if (band === undefined || lateDuplicateRate === undefined) return {};
  return { late_duplicate_rate: rounded(lateDuplicateRate), most_late_share_of_key: rounded(maxLateShare(band)) };
}

function seedData({ seeds, fpr, fnr }: RatesBySeed) {
  const range = ({ low, high }: RateRange) => ({ low: rounded(low), high: rounded(high) });
  return { seeds, fpr: range(fpr), fnr: range(fnr) };
}

function limitData(name: string, limit: Limit | undefined) {
  return limit === undefined ? {} : { [name]: { fpr: rounded(limit.fpr), fnr: rounded(limit.fnr) } };
}

/** The plan as data, with names in the style of the command's JSON. */
export function planData(plan: Plan) {
  const { stream } = plan;
  return {
    memory_bytes: plan.memoryBytes,
    fpr: plan.fpr,
    ...(plan.windowElements === undefined ? {} : { window_elements: plan.windowElements }),
    ...(plan.windowSlack === undefined ? {} : { window_slack: plan.windowSlack }),
    stream: {
      description: stream.description,
      length_elements: stream.lengthElements,
      distinct_elements: stream.distinctIn(stream.lengthElements),
      ...(stream.knownElements === undefined ? {} : { known_elements: stream.knownElements }),
    },
    rates: plan.measured ? 'measured' : 'computed',
    ...(plan.measured ? { measured_elements: plan.measured.elements, measured_one_in: plan.measured.oneIn } : {}),
    ...limitData('limit', plan.limit),
    ...limitData('limit_at_any_fpr', plan.limitAtAnyFpr),
    ...limitData('recency_limit', plan.recencyLimit),
    ...limitData('recency_limit_at_any_fpr', plan.recencyLimitAtAnyFpr),
    most_remembered_elements: plan.maxRememberedElements,
    recommended: plan.recommended.algorithm,
    is_auto: plan.isAuto,
    why: plan.why,
    fewest_errors: plan.fewestErrors.algorithm,
    families: plan.families.map(adviceData),
  };
}
