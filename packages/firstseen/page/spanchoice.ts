// The choice between the last minutes and the last day.

import type { SpanName } from '../src/serve/http/watch/messages.js';
import { button, element } from './dom.js';

const labels: Readonly<Record<SpanName, string>> = { recent: '5 minutes', day: '24 hours' };

export class SpanChoice {
  readonly root: HTMLElement;
  span: SpanName = 'recent';

  constructor(onChange: () => void) {
    const buttons = (Object.keys(labels) as SpanName[]).map((span) => {
      const made = button(
        labels[span],
        () => {
          this.span = span;
          for (const other of buttons) other.setAttribute('aria-pressed', String(other === made));
          onChange();
        },
        { 'aria-pressed': String(span === this.span) },
      );
      return made;
    });
    this.root = element('div', { class: 'segments', role: 'group', 'aria-label': 'Time shown' }, ...buttons);
  }
}
