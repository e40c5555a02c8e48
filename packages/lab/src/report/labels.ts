// Names of series beside their points, if there is room.

import { textWidth } from './legend.js';
import type { PlacedSeries } from './marks.js';

/** A name beside a point: offsets in pixels from it. */
export interface PointLabel {
  name: string;
  x: number;
  y: number;
  dx: number;
  dy: number;
  textAnchor: 'start' | 'middle' | 'end';
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface LabelSpace {
  /** Convert a value to pixels. */
  toX: (value: number) => number;
  toY: (value: number) => number;
  frame: Box;
  fontSize: number;
}

/** A series with more points has no label in the plot, only an entry in the legend. */
const MAX_POINTS = 3;
const POINT_RADIUS = 6;

/** Positions of a name relative to its point, the best first. */
const PLACES = [
  { dx: 9, dy: 0, textAnchor: 'start' },
  { dx: -9, dy: 0, textAnchor: 'end' },
  { dx: 0, dy: -13, textAnchor: 'middle' },
  { dx: 0, dy: 13, textAnchor: 'middle' },
  { dx: 8, dy: -10, textAnchor: 'start' },
  { dx: 8, dy: 10, textAnchor: 'start' },
  { dx: -8, dy: -10, textAnchor: 'end' },
  { dx: -8, dy: 10, textAnchor: 'end' },
] as const;

/** Labels inside the frame that overlap no other label and no point. A name without room has no label. */
export function labelPoints(placedSeries: readonly PlacedSeries[], space: LabelSpace): PointLabel[] {
  const takenBoxes: Box[] = placedSeries.flatMap(({ points }) => points.map((point) => pointBox(point, space)));
  const labels: PointLabel[] = [];
  for (const { series, points } of placedSeries) {
    const isCloud = series.kind === 'line' || series.role !== undefined || points.length > MAX_POINTS;
    if (isCloud || labels.some(({ name }) => name === series.name)) continue;
    const label = firstFree(series.name, points, takenBoxes, space);
    if (label === undefined) continue;
    labels.push(label);
    takenBoxes.push(labelBox(label, space));
  }
  return labels;
}

function firstFree(
  name: string,
  points: PlacedSeries['points'],
  takenBoxes: readonly Box[],
  space: LabelSpace,
): PointLabel | undefined {
  const candidates = points.flatMap((point) => PLACES.map((place) => ({ name, ...point, ...place })));
  return candidates.find((label) => {
    const box = labelBox(label, space);
    return isInside(box, space.frame) && !takenBoxes.some((takenBox) => overlap(box, takenBox));
  });
}

function pointBox({ x, y }: { x: number; y: number }, { toX, toY }: LabelSpace): Box {
  const [left, top] = [toX(x), toY(y)];
  return {
    left: left - POINT_RADIUS,
    right: left + POINT_RADIUS,
    top: top - POINT_RADIUS,
    bottom: top + POINT_RADIUS,
  };
}

function labelBox({ name, x, y, dx, dy, textAnchor }: PointLabel, { toX, toY, fontSize }: LabelSpace): Box {
  const width = textWidth(name, fontSize);
  const left = toX(x) + dx - { start: 0, middle: width / 2, end: width }[textAnchor];
  const middle = toY(y) + dy;
  return { left, right: left + width, top: middle - fontSize / 2, bottom: middle + fontSize / 2 };
}

function isInside(box: Box, frame: Box): boolean {
  return box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
