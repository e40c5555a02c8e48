// The points of a history in the browser: as many as the server keeps, however long the page is open.

import { type Measure, measures, type SpanName, spans } from '../src/serve/history/points.js';
import type { SentPoints } from '../src/serve/http/watch/messages.js';

export interface Points {
  times: number[];
  values: Record<Measure, (number | null)[]>;
}

function emptyPoints(): Points {
  const values = Object.fromEntries(measures.map((measure) => [measure, []])) as unknown as Points['values'];
  return { times: [], values };
}

function extend<T>(kept: T[], added: readonly T[], most: number): void {
  kept.push(...added);
  if (kept.length > most) kept.splice(0, kept.length - most);
}

export class PointHistory {
  #points: Record<SpanName, Points> = { recent: emptyPoints(), day: emptyPoints() };

  of(span: SpanName): Points {
    return this.#points[span];
  }

  clear(): void {
    this.#points = { recent: emptyPoints(), day: emptyPoints() };
  }

  add({ times, points, isWhole }: SentPoints): void {
    if (isWhole) this.clear();
    for (const span of Object.keys(spans) as SpanName[]) {
      const { points: most } = spans[span];
      const kept = this.#points[span];
      extend(kept.times, times[span], most);
      for (const measure of measures) extend(kept.values[measure], points[span][measure], most);
    }
  }
}
