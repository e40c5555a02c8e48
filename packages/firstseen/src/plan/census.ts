// The memory of an ideal structure along a traced stream. The elements seen so far are counted by how long ago they last came and
// how often they had come, with their share of the next duplicates. These are counts of what happened, in the order in which it
// happened, so the limits that follow do not assume that a stream is stationary.

import type { Limit, Moment } from './moments.js';
import type { IdealMemory } from './stream.js';
import { cellOf, endOf, type Trace } from './trace.js';

/** The limits cover this number of octaves at the end of a stream, in steps. */
const OCTAVES = 10;
const STEPS_PER_OCTAVE = 4;
/** Cells of ages that count as one where elements are also distinguished by how often they came. */
const CELLS_TOGETHER = 4;
/** Elements that came 2^(c - 1) + 1 to 2^c times have the class c; those that came more often have the last. */
const COUNT_CLASSES = 8;

function classOf(occurrences: number): number {
  return Math.min(COUNT_CLASSES - 1, Math.ceil(Math.log2(occurrences)));
}

/**
 * Elements and repeats by age, over a stretch of the stream. An element whose age goes from x to y is in each cell for as long as
 * its age is there, so sums over the ages at which elements enter and leave suffice.
 */
class AgeTally {
  /** Ages at the end less those at the beginning: their number and their sum by cell. */
  readonly #counts: Float64Array;
  readonly #sums: Float64Array;
  readonly #repeats: Float64Array;

  constructor(cells: number) {
    this.#counts = new Float64Array(cells);
    this.#sums = new Float64Array(cells);
    this.#repeats = new Float64Array(cells);
  }

  #add(age: number, sign: number): void {
    const cell = cellOf(age);
    this.#counts[cell] = (this.#counts[cell] as number) + sign;
    this.#sums[cell] = (this.#sums[cell] as number) + sign * age;
  }

  enter(age: number): void {
    if (age > 0) this.#add(age, -1);
  }

  leave(age: number): void {
    if (age > 0) this.#add(age, 1);
  }

  repeat(cell: number): void {
    this.#repeats[cell] = (this.#repeats[cell] as number) + 1;
  }

  /** The elements at a time, on average over a number of elements, and all repeats, by groups of cells. */
  classes(stretchElements: number, weight: number, together: number): AgeClass[] {
    const groups = Array.from({ length: Math.ceil(this.#counts.length / together) }, () => ({
      elements: 0,
      repeats: 0,
    }));
    let older = 0;
    for (let cell = this.#counts.length - 1; cell > 0; cell--) {
      const from = endOf(cell - 1);
      const [count, sum] = [this.#counts[cell] as number, this.#sums[cell] as number];
      const time = older * (endOf(cell) - from) + (sum - count * from);
      const group = groups[Math.floor(cell / together)] as AgeClass;
      group.elements += Math.max(0, (weight * time) / stretchElements);
      group.repeats += weight * (this.#repeats[cell] as number);
      older += count;
    }
    return groups;
  }
}

interface AgeClass {
  elements: number;
  repeats: number;
}

/** The tallies of a stretch: of all elements, and by how often they had come. */
class Stretch {
  news = 0;
  readonly #all: AgeTally;
  readonly #byCount: AgeTally[];

  constructor(
    readonly from: number,
    readonly to: number,
    cells: number,
  ) {
    this.#all = new AgeTally(cells);
    this.#byCount = Array.from({ length: COUNT_CLASSES }, () => new AgeTally(cells));
  }

  tallies(occurrences: number): readonly AgeTally[] {
    return [this.#all, this.#byCount[classOf(occurrences)] as AgeTally];
  }

  moments(totals: Totals, weight: number): Record<keyof IdealMemory, Moment> {
    const length = this.to - this.from;
    const fresh = Math.min(length, this.news * weight);
    const weights: Limit = {
      fpr: fresh / Math.max(1, totals.distinct),
      fnr: (length - fresh) / Math.max(1, totals.duplicates),
    };
    const momentOf = (tallies: readonly AgeTally[], together: number): Moment => {
      // Nobody spends bits on a class that never repeats.
      const classes = tallies
        .flatMap((tally) => tally.classes(length, weight, together))
        .filter(({ repeats }) => repeats > 0);
      const shares = sharesOf(
        Float64Array.from(classes, ({ repeats }) => repeats),
        length - fresh,
      );
      return { weights, elements: Float64Array.from(classes, ({ elements }) => elements), share: shares };
    };
    return { recency: momentOf([this.#all], 1), frequency: momentOf(this.#byCount, CELLS_TOGETHER) };
  }
}

/**
 * The shares of the duplicates. Those that no followed element accounts for are of elements so common that they are not among the
 * followed ones; remembering them takes almost nothing, and they belong to no class. If a followed element is so common that there
 * are too many repeats, all count less.
 */
function sharesOf(repeats: Float64Array, duplicates: number): Float64Array {
  const total = repeats.reduce((sum, count) => sum + count, 0);
  const whole = Math.max(total, duplicates);
  return whole > 0 ? repeats.map((count) => count / whole) : repeats;
}

interface Totals {
  distinct: number;
  duplicates: number;
}

/** The moments of a traced stream. */
export function idealMemoryOf(trace: Trace): IdealMemory {
  const { elements, weight, fingerprints, occurrences, cells } = trace;
  const distinct = Math.min(elements, fingerprints.length * weight);
  const totals = { distinct, duplicates: elements - distinct };
  const steps = STEPS_PER_OCTAVE * OCTAVES;
  const edges = Array.from({ length: steps + 1 }, (_, step) =>
    Math.round(elements * 2 ** ((step - steps) / STEPS_PER_OCTAVE)),
  );
  const cellCount = cellOf(elements) + 1;
  const lasts = new Float64Array(fingerprints.length);
  const counts = new Uint32Array(fingerprints.length);
  let seenKeys = 0;
  let stretch = new Stretch(0, edges[0] as number, cellCount);
  const moments: Record<keyof IdealMemory, Moment>[] = [];
  const turn = (to: number) => {
    const next = new Stretch(stretch.to, to, cellCount);
    for (let key = 0; key < seenKeys; key++) {
      const age = stretch.to - (lasts[key] as number);
      for (const tally of stretch.tallies(counts[key] as number)) tally.leave(age);
      for (const tally of next.tallies(counts[key] as number)) tally.enter(age);
    }
    if (stretch.from > 0 && stretch.to > stretch.from) moments.push(stretch.moments(totals, weight));
    stretch = next;
  };
  let step = 1;
  for (let i = 0; i < occurrences.length; i++) {
    const position = trace.positionOf(i);
    for (; position > stretch.to && step <= steps; step++) turn(edges[step] as number);
    const key = occurrences[i] as number;
    if (cells[i] === 0) {
      stretch.news++;
      seenKeys++;
    } else {
      const tallies = stretch.tallies(counts[key] as number);
      for (const tally of tallies) {
        tally.leave(Math.max(1, position - (lasts[key] as number)));
        tally.repeat(cells[i] as number);
      }
    }
    lasts[key] = position;
    counts[key] = (counts[key] as number) + 1;
  }
  for (; step <= steps; step++) turn(edges[step] as number);
  turn(elements);
  return { recency: moments.map(({ recency }) => recency), frequency: moments.map(({ frequency }) => frequency) };
}
