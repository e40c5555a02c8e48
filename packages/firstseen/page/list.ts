// The list of detectors. The server sorts, filters and cuts it, so that the page has no more rows than it shows.

import type { ListedDetector, Sorting, WatchMessage } from '../src/serve/http/watch/messages.js';
import { button, element, nameElement, setText } from './dom.js';
import { bytes, count, percent, perSecond, UNKNOWN } from './format.js';
import { linkTo } from './link.js';

/** Rows that the server sends at most, unless it is asked for others. */
const PAGE_ROWS = 50;
const FILTER_MILLISECONDS = 250;

interface Column {
  label: string;
  sorting: Sorting;
  /** Left out on narrow screens. */
  isWide?: boolean;
  isNumber?: boolean;
  text(row: ListedDetector): string;
  /** True for a row that somebody has to look after. */
  isAlarming?(row: ListedDetector): boolean;
}

/** Tells whether a detector is full and loses keys or errs because of it. */
export function isAlarminglyFull({ fullness, whenFull }: ListedDetector): boolean {
  return fullness !== null && fullness >= 1 && whenFull !== 'forgets';
}

const columns: readonly Column[] = [
  { label: 'Name', sorting: 'name', text: ({ name }) => name },
  { label: 'Algorithm', sorting: 'algorithm', isWide: true, text: ({ algorithm }) => algorithm },
  { label: 'Memory', sorting: 'memory', isWide: true, isNumber: true, text: (row) => bytes(row.memoryBytes) },
  { label: 'Records', sorting: 'observed', isWide: true, isNumber: true, text: (row) => count(row.observed) },
  { label: 'Duplicates', sorting: 'duplicates', isWide: true, isNumber: true, text: (row) => count(row.duplicates) },
  { label: 'Records/s', sorting: 'rate', isNumber: true, text: (row) => perSecond(row.recordsPerSecond) },
  {
    label: 'Fullness',
    sorting: 'fullness',
    isNumber: true,
    text: ({ fullness }) => percent(fullness),
    isAlarming: isAlarminglyFull,
  },
  {
    label: 'Of the plan',
    sorting: 'planned',
    isWide: true,
    isNumber: true,
    text: ({ planned }) => percent(planned),
  },
  {
    label: 'Claims held',
    sorting: 'pending',
    isWide: true,
    isNumber: true,
    text: ({ pending }) => (pending === null ? UNKNOWN : count(pending)),
  },
];

export interface ListState {
  filter: string;
  sorting: Sorting;
  isDescending: boolean;
  offset: number;
}

class Row {
  readonly root: HTMLTableRowElement;
  readonly #cells: HTMLElement[];

  constructor(name: string) {
    this.#cells = columns.map(({ isWide, isNumber }, i) => {
      const attributes = { class: classOf({ isWide, isNumber }) };
      if (i > 0) return element('td', attributes);
      return element('th', { ...attributes, scope: 'row' }, nameElement(element('a', { href: linkTo(name) }, name)));
    });
    this.root = element('tr', {}, ...this.#cells);
  }

  show(row: ListedDetector): void {
    columns.slice(1).forEach(({ text, isAlarming }, i) => {
      const cell = this.#cells[i + 1] as HTMLElement;
      setText(cell, text(row));
      cell.dataset.tone = isAlarming?.(row) ? 'bad' : '';
    });
  }
}

function classOf({ isWide, isNumber }: { isWide?: boolean | undefined; isNumber?: boolean | undefined }): string {
  return `${isWide ? 'wide ' : ''}${isNumber ? 'number' : ''}`.trim();
}

export class List {
  readonly root: HTMLElement;
  readonly state: ListState = { filter: '', sorting: 'observed', isDescending: true, offset: 0 };
  readonly #onChange: () => void;
  readonly #heads: Map<Sorting, HTMLElement>;
  readonly #body = element('tbody');
  readonly #range = element('p', { class: 'range' });
  readonly #empty = element('p', { class: 'empty' });
  readonly #previous: HTMLButtonElement;
  readonly #next: HTMLButtonElement;
  #rows = new Map<string, Row>();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
    this.#heads = new Map(columns.map((column) => [column.sorting, this.#head(column)]));
    this.#previous = button('Previous', () => this.#move(-PAGE_ROWS));
    this.#next = button('Next', () => this.#move(PAGE_ROWS));
    const table = element(
      'table',
      { class: 'list' },
      element('caption', { class: 'unseen' }, 'Detectors'),
      element('thead', {}, element('tr', {}, ...this.#heads.values())),
      this.#body,
    );
    const pages = element('div', { class: 'pages' }, this.#range, this.#previous, this.#next);
    const head = element('div', { class: 'head' }, element('h2', {}, 'Detectors'), this.#filter());
    this.root = element('section', { class: 'card', 'aria-label': 'Detectors' }, head, table, this.#empty, pages);
  }

  show({ list, server }: WatchMessage): void {
    const { matched, offset, rows } = list;
    this.state.offset = offset;
    this.#showSorting(list);
    const names = rows.map(({ name }) => name);
    const isSame = names.length === this.#rows.size && [...this.#rows.keys()].every((name, i) => name === names[i]);
    if (!isSame) this.#replace(names);
    for (const row of rows) this.#rows.get(row.name)?.show(row);
    setText(
      this.#range,
      matched === 0 ? '' : `${count(offset + 1)} to ${count(offset + rows.length)} of ${count(matched)}`,
    );
    this.#previous.disabled = offset === 0;
    this.#next.disabled = offset + PAGE_ROWS >= matched;
    this.#empty.hidden = matched > 0;
    setText(
      this.#empty,
      server.detectors === 0
        ? 'No detectors yet. Plan one, and make it with the command that is printed.'
        : 'No detector has this text in its name.',
    );
  }

  /** Shows other rows, or the same in another order. What has the focus keeps it. */
  #replace(names: readonly string[]): void {
    const focused = document.activeElement;
    const rows = new Map(names.map((name) => [name, this.#rows.get(name) ?? new Row(name)]));
    this.#rows = rows;
    this.#body.replaceChildren(...[...rows.values()].map(({ root }) => root));
    if (focused instanceof HTMLElement && this.#body.contains(focused)) focused.focus({ preventScroll: true });
  }

  #filter(): HTMLElement {
    const input = element('input', {
      type: 'search',
      placeholder: 'Name or algorithm',
      autocomplete: 'off',
      spellcheck: 'false',
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    input.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        Object.assign(this.state, { filter: input.value.trim(), offset: 0 });
        this.#onChange();
      }, FILTER_MILLISECONDS);
    });
    return element('label', { class: 'filter' }, element('span', {}, 'Filter'), input);
  }

  #head({ label, sorting, isWide, isNumber }: Column): HTMLElement {
    const sort = () => {
      const isDescending = this.state.sorting === sorting ? !this.state.isDescending : isNumber === true;
      Object.assign(this.state, { sorting, isDescending, offset: 0 });
      this.#onChange();
    };
    return element('th', { scope: 'col', class: classOf({ isWide, isNumber }) }, button(label, sort));
  }

  /** Shows what the rows are sorted by, which the server says with them. */
  #showSorting({ sorting, isDescending }: Pick<WatchMessage['list'], 'sorting' | 'isDescending'>): void {
    for (const [own, head] of this.#heads) {
      if (own === sorting) head.setAttribute('aria-sort', isDescending ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    }
  }

  #move(by: number): void {
    this.state.offset = Math.max(0, this.state.offset + by);
    this.#onChange();
  }
}
