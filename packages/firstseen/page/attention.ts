// The list of what needs attention, a sentence each.

import type { Attention, AttentionItem, WatchMessage } from '../src/serve/http/watch/messages.js';
import { element, nameElement } from './dom.js';
import { count, date, missesText, percent, perSecond, rate, whenFullText } from './format.js';
import { linkTo } from './link.js';

type Of<Kind extends AttentionItem['kind']> = Extract<AttentionItem, { kind: Kind }>;

/** The sentence of each kind, without the name of the detector before it. */
const texts: { readonly [Kind in AttentionItem['kind']]: (item: Of<Kind>) => string } = {
  log: ({ problem }) =>
    `Changes are refused, or soon will be, because the log cannot be written or gets no more space: ${problem}`,
  waiting: ({ seconds }) =>
    `Changes have waited for new snapshots for ${count(Math.floor(seconds))} seconds, because the log is at twice its limit`,
  memory: ({ share }) =>
    `The detectors take ${percent(share)} of the memory that they may take; others are refused soon`,
  errors: ({ errors, commands }) =>
    `${perSecond(errors)} of ${perSecond(commands)} commands a second are answered with an error`,
  full: ({ share, whenFull, fullAt }) => {
    const trend = fullAt === null ? '' : `, at the rate of the last minutes on ${date(fullAt)}`;
    return share >= 1
      ? `full: ${whenFullText(whenFull)}`
      : `${percent(share)} full; when it is full${trend}, ${whenFullText(whenFull)}`;
  },
  forgets: ({ planned }) => `full, and forgets, with ${percent(planned)} of the distinct keys that were planned`,
  falsePositives: ({ low, plan: { falsePositiveRate: planned } }) =>
    `at least ${rate(low)} of the new keys are called duplicates; ${planned === null ? 'no rate was planned' : `plan: at most ${rate(planned)}`}`,
  falseNegatives: ({ low, plan }) =>
    `at least ${rate(low)} of the repeats are missed; plan: ${missesText(plan.falseNegatives)}`,
  refused: ({ keys, reasons }) =>
    `keys were refused in the last 5 minutes; ${count(keys)} so far (${reasons.join(', ')})`,
  ahead: ({ untilMilliseconds }) =>
    `the time of its window is ahead of the server's clock, and nothing leaves it before ${date(untilMilliseconds)}: correct the clock if it is wrong, or clear the detector`,
  shortened: ({ parts }) =>
    `the oldest keys left the window before their time in the last 5 minutes, because it was full: their repeats pass; ${count(parts)} parts of the window so far`,
  unstored: ({ keys, observed }) =>
    `keys passed and were not stored in the last 5 minutes, because there was no room: their repeats pass; ${count(keys)} of ${count(observed)} so far`,
  late: ({ late }) => `claims were committed after their leases in the last 5 minutes; ${count(late)} so far`,
};

function textOf<Kind extends AttentionItem['kind']>(item: Of<Kind>): string {
  return (texts[item.kind] as (item: Of<Kind>) => string)(item);
}

function rowOf(item: Attention['items'][number]): HTMLElement {
  const text = textOf(item);
  const tone = item.isAlarming ? 'bad' : 'warn';
  const word = element('span', { class: 'tone' }, item.isAlarming ? 'Alarming' : 'Look');
  if (!('detector' in item)) return element('li', { 'data-tone': tone }, word, ` ${text}`);
  return element(
    'li',
    { 'data-tone': tone },
    word,
    ' ',
    nameElement(element('a', { href: linkTo(item.detector) }, item.detector)),
    ` ${text}`,
  );
}

export class AttentionList {
  readonly root: HTMLElement;
  readonly #list = element('ul', { class: 'attention' });
  #shown = '';

  constructor() {
    const title = 'Needs attention';
    this.root = element('section', { class: 'card', 'aria-label': title }, element('h2', {}, title), this.#list);
    this.root.hidden = true;
  }

  /** The list stays as it is until the server has looked at all detectors. */
  show({ attention }: WatchMessage): void {
    if (attention === null) return;
    const text = JSON.stringify(attention);
    if (text === this.#shown) return;
    this.#shown = text;
    const { items, more } = attention;
    const rest = more > 0 ? [element('li', {}, `${count(more)} more`)] : [];
    const none = items.length === 0 ? [element('li', {}, 'Nothing')] : [];
    this.#list.replaceChildren(...items.map(rowOf), ...rest, ...none);
    this.root.hidden = false;
  }
}
