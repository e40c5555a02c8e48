// A buffer holds as many elements as it has entries. It errs only by forgetting. With lru, it forgets an element after as many other
// distinct elements as it has entries. With Clock, an entry is removed when the hand reaches it and finds no mark. A new element
// stays for one turn of the hand, T. An element that is found again stays for 2T minus the time since the hand passed it, which is
// uniformly distributed between 0 and T. A turn is as long as it takes to fill the buffer: the buffer holds the elements that were
// last seen less than their stay ago,
// where D is the number of distinct elements in a stretch, and a the share of elements that enter.

import { bisect } from '../base/bisection.js';
import type { Steps } from '../base/steps.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { type Candidate, type Course, inLayouts, numberOf } from './contract.js';
import type { GapsAt, Grid } from './grid.js';
import type { StreamModel } from './stream.js';

const BISECTIONS = 50;
const ROUNDS = 12;
/** Stays between T and 2T, as fractions of T after the first, that represent all. */
const STAYS = [0.1, 0.3, 0.5, 0.7, 0.9];

/** The number of elements for which an element stays, and the share of elements that stay so long. */
interface Stay {
  elements: number;
  weight: number;
}

function stretchOf(target: number, most: number, distinct: (stretch: number) => number): number {
  return bisect([0, most], BISECTIONS, (stretch) => distinct(stretch) < target)[1];
}

function lruStays(entries: number, stream: StreamModel): Stay[] {
  return [{ elements: stretchOf(entries, stream.lengthElements, stream.distinctIn), weight: 1 }];
}

function clockStays(entries: number, stream: StreamModel): Stay[] {
  let enteringShare = 1;
  let stays: Stay[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const share = enteringShare;
    const parts = [
      { times: 1, weight: share },
      ...STAYS.map((part) => ({ times: 1 + part, weight: (1 - share) / STAYS.length })),
    ];
    const turn = stretchOf(entries, stream.lengthElements, (stretch) =>
      parts.reduce((sum, { times, weight }) => sum + weight * stream.distinctIn(stretch * times), 0),
    );
    stays = parts.map(({ times, weight }) => ({ elements: turn * times, weight }));
    enteringShare = stays.reduce((sum, { elements, weight }) => sum + weight * stream.fresh(elements), 0);
  }
  return stays;
}

/** Returns the share of the duplicates in a cell of gaps that arrive after a stay is over. */
function shareBeyond(stream: StreamModel, from: number, to: number, stay: number): number {
  if (stay <= from) return 1;
  if (stay >= to) return 0;
  const [before, middle, after] = [from, stay, to].map((gap) => stream.fresh(gap)) as [number, number, number];
  return before > after ? (middle - after) / (before - after) : 0;
}

export interface BufferErrors {
  /** Chance that an element that is not held is reported as a duplicate. */
  guesses: number;
}

/** The course of a buffer that guesses about elements that it does not hold. */
export function* bufferCourse(settings: DetectorSettings, grid: Grid, { guesses }: BufferErrors): Steps<Course> {
  const { stream, positions, distinct, cells } = grid;
  const entries = numberOf(settings, 'C');
  const isClock = settings.parameters.values.replacement === 'clock';
  const stays = isClock ? clockStays(entries, stream) : lruStays(entries, stream);
  yield;
  const collision = 2 ** (settings.parameters.values.counting === 'entries32' ? -32 : -64);
  const fullFrom = stretchOf(entries, stream.lengthElements, stream.distinctIn);
  return {
    load: distinct.map((elements) => Math.min(1, elements / entries)),
    falsePositive: distinct.map((elements) => Math.min(1, guesses + Math.min(entries, elements) * collision)),
    miss(i, c) {
      const position = positions[i] as number;
      // Nothing is forgotten before the buffer is full.
      if (position < fullFrom || (grid.at[i] as GapsAt).gaps[c] === undefined) return 0;
      const { fromElements, toElements } = cells[c] as (typeof cells)[number];
      const end = Math.min(toElements, position);
      let missedShare = 0;
      for (const { elements, weight } of stays)
        missedShare += weight * shareBeyond(stream, fromElements, end, elements);
      return missedShare * (1 - guesses);
    },
  };
}

/** Both replacements with their overhead included; Clock has more entries in the same memory. */
export function bufferCandidates(further: Candidate['parameters'] = {}): Candidate[] {
  return inLayouts(
    ['classic'],
    ['clock', 'lru'].map((replacement) => ({ replacement, ...further })),
  );
}
