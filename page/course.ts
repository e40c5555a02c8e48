// The course of a trial: some hundred points of it, however long it is.

import { type Contender, contenders, type Progress } from './messages.js';

const MAX_POINTS = 240;

/** The share of wrong answers between two points. */
export function recentErrors({ errors, records }: Progress, before: Progress | undefined, name: Contender): number {
  const wrong = ({ falsePositives, falseNegatives }: Progress['errors'][Contender]) => falsePositives + falseNegatives;
  const earlier = before ? wrong(before.errors[name]) : 0;
  return (wrong(errors[name]) - earlier) / Math.max(1, records - (before?.records ?? 0));
}

/** Both rates of a structure so far; undefined if there was nothing to get wrong. */
export function ratesOf({ records, distinct, errors }: Progress, name: Contender) {
  const { falsePositives, falseNegatives } = errors[name];
  const repeats = records - distinct;
  return { fpr: distinct > 0 ? falsePositives / distinct : 0, fnr: repeats > 0 ? falseNegatives / repeats : 0 };
}

export class Course {
  /** The points at regular distances, and at the end the latest one. */
  readonly points: Progress[] = [];
  #distance = 0;

  get latest(): Progress | undefined {
    return this.points.at(-1);
  }

  add(progress: Progress): void {
    const { points } = this;
    const before = points.at(-2);
    // The latest point is replaced until it is far enough from the one before.
    if (points.length >= 2 && progress.records - (before?.records ?? 0) < this.#distance) points.pop();
    points.push(progress);
    if (points.length <= MAX_POINTS) return;
    const thinned = points.filter((_, i) => i % 2 === 0 || i === points.length - 1);
    points.splice(0, points.length, ...thinned);
    this.#distance = (2 * progress.records) / MAX_POINTS;
  }

  /** The shares of wrong answers at each point, for each structure. */
  recent(): Record<Contender, number[]> {
    const { points } = this;
    const of = (name: Contender) => points.map((point, i) => recentErrors(point, points[i - 1], name));
    return Object.fromEntries(contenders.map((name) => [name, of(name)])) as Record<Contender, number[]>;
  }
}
