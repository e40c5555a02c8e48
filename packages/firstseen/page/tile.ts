// A card with a figure, what it is, and what belongs to it.

import { element, setText } from './dom.js';

export class Tile {
  readonly root: HTMLElement;
  readonly #value = element('dd', { class: 'figure' });
  readonly #note = element('dd', { class: 'note' });
  #meter: HTMLElement | undefined;

  constructor(label: string) {
    this.root = element('div', { class: 'card tile' }, element('dt', {}, label), this.#value, this.#note);
  }

  /** @param tone `bad` for what is alarming, `warn` for what somebody should look at */
  show(value: string, note = '', tone = ''): void {
    setText(this.#value, value);
    setText(this.#note, note);
    this.root.dataset.tone = tone;
  }

  /** Shows a share as a bar, which the figure tells too. */
  showShare(share: number): void {
    this.#meter ??= this.#addMeter();
    const steps = 100;
    this.#meter.setAttribute('value', String(Math.min(steps, Math.round(share * steps))));
  }

  #addMeter(): HTMLElement {
    const meter = element('progress', { max: '100', value: '0', 'aria-hidden': 'true' });
    this.#value.after(element('dd', { class: 'meter' }, meter));
    return meter;
  }
}

/** Tiles side by side. */
export function tilesOf(label: string, tiles: readonly Tile[]): HTMLElement {
  return element(
    'section',
    { 'aria-label': label },
    element('dl', { class: 'tiles' }, ...tiles.map(({ root }) => root)),
  );
}
