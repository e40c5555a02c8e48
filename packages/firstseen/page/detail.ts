// One detector in detail.

import type { DetailedDetector, MeasuredRate, WatchMessage } from '../src/serve/http/watch/messages.js';
import { element, nameElement } from './dom.js';
import { bytes, count, date, missesText, percent, perSecond, rate, UNKNOWN, whenFullText } from './format.js';
import { isAlarminglyFull } from './list.js';
import { distinctLine, duplicatesLine } from './overview.js';
import { lineOf, MIN_COUNT, Plot, type PlotOptions } from './plot.js';
import type { PointHistory } from './points.js';
import { SpanChoice } from './spanchoice.js';
import { Tile, tilesOf } from './tile.js';
import type { View } from './view.js';

/** What the axes of plots reach at least. */
const MIN_RATE = 1e-9;
const MIN_SHARE = 0.01;
const NOT_MEASURED = 'not measured: create with witness';

function estimateText(measured: MeasuredRate | undefined): string {
  return measured?.estimate === null ? 'nothing to measure yet' : rate(measured?.estimate);
}

function intervalText(measured: MeasuredRate | undefined): string {
  return measured === undefined ? NOT_MEASURED : `95 % interval ${rate(measured.low)} to ${rate(measured.high)}`;
}

function parameterText(value: number | string): string {
  if (typeof value === 'string') return value;
  return Number.isInteger(value) ? count(value) : String(Number(value.toPrecision(3)));
}

/** Something that a detector is. */
interface Fact {
  name: string;
  value: string;
  description: string;
}

const layoutTexts: Readonly<Record<DetailedDetector['layout'], string>> = {
  blocked: 'what belongs to a key is in few adjacent cache lines',
  classic: 'what belongs to a key may be anywhere in the memory',
};
const FINGERPRINT_TEXT =
  'the hash of 64 bits by which keys are told apart; keyed with a secret, strangers cannot compute it';

/** The plots of a detector, of which each is made when there is something to show. */
const plots = {
  records: { title: 'Records', lines: [distinctLine, duplicatesLine], format: perSecond, least: MIN_COUNT },
  falsePositives: {
    title: 'Rate of false positives',
    lines: [lineOf('falsePositives', { label: 'Measured', color: '--duplicate' })],
    format: rate,
    least: MIN_RATE,
  },
  falseNegatives: {
    title: 'Rate of false negatives',
    lines: [lineOf('falseNegatives', { label: 'Measured', color: '--missed' })],
    format: rate,
    least: MIN_SHARE,
  },
  fullness: {
    title: 'Fullness',
    lines: [lineOf('fullness', { label: 'Of what the memory holds', color: '--distinct', isFilled: true })],
    format: percent,
    least: MIN_SHARE,
  },
  pending: {
    title: 'Claims held',
    lines: [lineOf('pending', { label: 'Held', color: '--missed', isFilled: true })],
    format: count,
    least: MIN_COUNT,
  },
} as const satisfies Record<string, PlotOptions>;
type PlotName = keyof typeof plots;

/** The plot of false positives has the plan as a line. */
function optionsOf(name: PlotName, { plan }: DetailedDetector): PlotOptions {
  const options: PlotOptions = plots[name];
  const planned = plan.falsePositiveRate;
  if (name !== 'falsePositives' || planned === null) return options;
  const line = {
    label: 'Plan, at most',
    color: '--muted',
    isDashed: true,
    values: ({ times }: { times: readonly number[] }) => times.map(() => planned),
  };
  return { ...options, lines: [...options.lines, line] };
}

function plotsOf({ witness, fullness, claims }: DetailedDetector): PlotName[] {
  return [
    'records',
    ...(witness ? (['falsePositives', 'falseNegatives'] as const) : []),
    ...(fullness === null ? [] : (['fullness'] as const)),
    ...(claims ? (['pending'] as const) : []),
  ];
}

export class Detail implements View {
  readonly title: string;
  readonly root: HTMLElement;
  readonly #history: PointHistory;
  readonly #span = new SpanChoice(() => this.#showPlots());
  readonly #records = new Tile('Records/s');
  readonly #distinct = new Tile('Distinct/s');
  readonly #duplicates = new Tile('Duplicates/s');
  readonly #falsePositives = new Tile('False positives');
  readonly #falseNegatives = new Tile('False negatives');
  readonly #fullness = new Tile('Fullness');
  readonly #planned = new Tile('Of the plan');
  readonly #refused = new Tile('Refused keys');
  readonly #lost = new Tile('Left early');
  readonly #window = new Tile('Window');
  readonly #claims = new Tile('Claims held');
  readonly #ended = new Tile('Claims late and expired');
  readonly #facts = element('dl', { class: 'facts' });
  readonly #missing: HTMLElement;
  readonly #content: HTMLElement;
  readonly #place = element('div', { class: 'plots' });
  readonly #plots = new Map<PlotName, Plot>();

  constructor(name: string, history: PointHistory) {
    this.title = name;
    this.#history = history;
    const removed = [nameElement(name), '. It may have been removed.'];
    this.#missing = element('p', { class: 'notice', hidden: true }, 'There is no detector ', ...removed);
    const tiles = [
      ...[this.#records, this.#distinct, this.#duplicates, this.#falsePositives, this.#falseNegatives],
      ...[this.#fullness, this.#planned, this.#refused, this.#lost, this.#window, this.#claims, this.#ended],
    ];
    const facts = element(
      'section',
      { class: 'card', 'aria-label': 'What it is' },
      element('h2', {}, 'What it is'),
      this.#facts,
    );
    this.#content = element('div', { class: 'view' }, tilesOf('Summary', tiles), this.#place, facts);
    const head = element('div', { class: 'head' }, element('h1', {}, nameElement(name)), this.#span.root);
    const back = element('p', { class: 'back' }, element('a', { href: '#/' }, 'All detectors'));
    this.root = element('div', { class: 'view' }, back, head, this.#missing, this.#content);
  }

  show({ detector }: WatchMessage): void {
    this.#missing.hidden = detector !== null;
    this.#content.hidden = detector === null;
    if (detector === null) return;
    this.#showRecords(detector);
    this.#showRates(detector);
    this.#showFullness(detector);
    this.#showLosses(detector);
    this.#showClaims(detector);
    this.#showFacts(detector);
    this.#makePlots(detector);
    this.#showPlots();
  }

  close(): void {
    for (const plot of this.#plots.values()) plot.close();
  }

  #showRecords({ observed, duplicates, recordsPerSecond, duplicatesPerSecond }: DetailedDetector): void {
    const distinct = recordsPerSecond === null ? null : recordsPerSecond - (duplicatesPerSecond ?? 0);
    this.#records.show(perSecond(recordsPerSecond), `${count(observed)} so far`);
    this.#distinct.show(perSecond(distinct), `${count(observed - duplicates)} so far`);
    this.#duplicates.show(perSecond(duplicatesPerSecond), `${count(duplicates)} so far`);
  }

  #showRates({ witness, plan }: DetailedDetector): void {
    const { falsePositiveRate: planned, falseNegatives } = plan;
    const [positives, negatives] = [witness?.falsePositiveRate, witness?.falseNegativeRate];
    const plannedText = planned === null ? 'no plan was asked for' : `plan: at most ${rate(planned)}`;
    const toneOf = (measured: MeasuredRate | undefined) => (measured?.isAlarming ? 'bad' : '');
    this.#falsePositives.show(estimateText(positives), `${intervalText(positives)}; ${plannedText}`, toneOf(positives));
    this.#falseNegatives.show(
      estimateText(negatives),
      `${intervalText(negatives)}; plan: ${missesText(falseNegatives)}`,
      toneOf(negatives),
    );
  }

  #showFullness(detector: DetailedDetector): void {
    const { fullness, whenFull, planned, plannedElements, distinct, refused, fullAt } = detector;
    if (fullness === null || whenFull === null) this.#fullness.show(UNKNOWN, 'its load settles by itself');
    else {
      const trend = fullAt === null ? '' : `; at the rate of the last minutes, full on ${date(fullAt)}`;
      const note = `of what the memory holds; when it is full, ${whenFullText(whenFull)}${trend}`;
      this.#fullness.show(percent(fullness), note, isAlarminglyFull(detector) ? 'bad' : '');
      this.#fullness.showShare(fullness);
    }
    if (planned === null || plannedElements === null) this.#planned.show(UNKNOWN, 'no number of keys was planned');
    else {
      const more = planned > 1 ? ', more than planned' : '';
      const note = `${count(distinct)} of ${count(plannedElements)} distinct keys${more}`;
      this.#planned.show(percent(planned), note, planned > 1 ? 'warn' : '');
    }
    const keys = refused.reduce((sum, [, one]) => sum + one, 0);
    const reasons = refused.map(([reason, one]) => `${count(one)} ${reason}`).join(', ');
    this.#refused.show(count(keys), reasons || 'since the server started', keys > 0 ? 'bad' : '');
  }

  #showLosses({ shortened, unstored, isLosing }: DetailedDetector): void {
    this.#lost.root.hidden = shortened === null && unstored === null;
    const passed = unstored === null ? '' : `; ${count(unstored)} keys had no room and were not stored`;
    const lately = isLosing ? ', in the last 5 minutes too' : '';
    this.#lost.show(
      count(shortened ?? 0),
      `parts of its window, for want of room${passed}${lately}`,
      isLosing ? 'bad' : '',
    );
  }

  #showClaims({ window, claims }: DetailedDetector): void {
    this.#window.show(window ?? 'None', window === null ? 'the whole stream' : 'repeats within it are found');
    const tiles = [this.#claims, this.#ended];
    for (const { root } of tiles) root.hidden = claims === undefined;
    if (claims === undefined) return;
    this.#claims.show(count(claims.pending), `${count(claims.committed)} committed, ${count(claims.aborted)} aborted`);
    this.#ended.show(`${count(claims.late)} / ${count(claims.expired)}`, 'commits after the lease / leases that ended');
  }

  #showFacts({ algorithm, rule, layout, fingerprint, isKeyed, memoryBytes, parameters }: DetailedDetector): void {
    const facts: readonly Fact[] = [
      { name: 'Algorithm', value: algorithm, description: rule.replaceAll('`', '') },
      { name: 'Layout', value: layout, description: layoutTexts[layout] },
      { name: 'Memory', value: bytes(memoryBytes), description: 'bytes of its table, which were asked for' },
      { name: 'Fingerprint', value: isKeyed ? `${fingerprint}, keyed` : fingerprint, description: FINGERPRINT_TEXT },
      ...parameters.map(({ letter, value, description }) => ({
        ...{ name: letter, value: parameterText(value), description },
      })),
    ];
    const text = JSON.stringify(facts);
    if (this.#facts.dataset.text === text) return;
    this.#facts.dataset.text = text;
    const pairs = facts.map(({ name, value, description }) => {
      const note = element('dd', { class: 'note' }, description);
      return element('div', {}, element('dt', {}, name), element('dd', {}, value), note);
    });
    this.#facts.replaceChildren(...pairs);
  }

  /** A detector of this name may have been made again with other options. */
  #makePlots(detector: DetailedDetector): void {
    const wanted = plotsOf(detector);
    if (wanted.length === this.#plots.size && wanted.every((name) => this.#plots.has(name))) return;
    this.close();
    this.#plots.clear();
    for (const name of wanted) this.#plots.set(name, new Plot(optionsOf(name, detector)));
    this.#place.replaceChildren(...[...this.#plots.values()].map(({ root }) => root));
  }

  #showPlots(): void {
    const points = this.#history.of(this.#span.span);
    for (const plot of this.#plots.values()) plot.show(points, this.#span.span);
  }
}
