// The history that a page keeps: as long as that of the server, however long the page is open.

import { expect, test } from 'vitest';
import { PointHistory } from '../../../page/points.js';
import { measures, type SpanPoints, spans } from '../../../src/serve/history/points.js';

/** Points with one number in all measures. */
function pointsOf(values: number[]): SpanPoints {
  return Object.fromEntries(measures.map((measure) => [measure, values])) as unknown as SpanPoints;
}

function sent(values: number[], isWhole = false) {
  const none: number[] = [];
  return { times: { recent: values, day: none }, points: { recent: pointsOf(values), day: pointsOf(none) }, isWhole };
}

test('an open page keeps the latest points only, and begins again with a whole history', () => {
  const history = new PointHistory();
  history.add(sent([1, 2, 3], true));
  for (let i = 4; i <= 1000; i++) history.add(sent([i]));
  const { times, values } = history.of('recent');
  const { points: most } = spans.recent;
  expect(times).toEqual(Array.from({ length: most }, (_, i) => 1000 - most + 1 + i));
  for (const measure of measures) expect(values[measure]).toEqual(times);
  history.add(sent([7, 8], true));
  expect(history.of('recent').times).toEqual([7, 8]);
  history.clear();
  expect(history.of('recent').times).toEqual([]);
});
