// A buffer holds as many elements as it has entries, and errs by forgetting alone. With lru it forgets an element once as many
// others as it has entries came after it. With Clock an entry is gone when the hand comes by and finds no mark: an element
// that came in stays for one turn of the hand, T, one that was found for 2T less the time since the hand was there, any time
// up to T alike. The turn is as long as it takes to fill the buffer: the elements that are held are those last seen less than
// their stay ago,
//     C = a D(T) + (1 - a) mean of D(y) over y from T to 2T,
// D the different elements of a stretch and a the share of the elements that come in.

import type { DetectorSettings } from '../detectors/settings.js';
import { type Candidate, type Course, inLayouts, numberOf } from './contract.js';
import type { GapsAt, Grid } from './grid.js';
import type { StreamModel } from './stream.js';

const BISECTIONS = 50;
const ROUNDS = 12;
/** Stays between T and 2T that stand for all. */
const STAYS = [0.1, 0.3, 0.5, 0.7, 0.9];

/** How long elements stay, and how many of them so long. */
interface Stay {
  elements: number;
  weight: number;
}

function stretchOf(target: number, most: number, distinct: (stretch: number) => number): number {
  let low = 0;
  let high = most;
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (distinct(middle) < target) low = middle;
    else high = middle;
  }
  return high;
}

function lruStays(entries: number, stream: StreamModel): Stay[] {
  return [{ elements: stretchOf(entries, stream.lengthElements, stream.distinctIn), weight: 1 }];
}

function clockStays(entries: number, stream: StreamModel): Stay[] {
  let entering = 1;
  let stays: Stay[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const share = entering;
    const parts = [
      { times: 1, weight: share },
      ...STAYS.map((part) => ({ times: 1 + part, weight: (1 - share) / STAYS.length })),
    ];
    const turn = stretchOf(entries, stream.lengthElements, (stretch) =>
      parts.reduce((sum, { times, weight }) => sum + weight * stream.distinctIn(stretch * times), 0),
    );
    stays = parts.map(({ times, weight }) => ({ elements: turn * times, weight }));
    entering = stays.reduce((sum, { elements, weight }) => sum + weight * stream.fresh(elements), 0);
  }
  return stays;
}

/** Share of the duplicates in a cell of gaps that come after a stay is over. */
function shareBeyond(stream: StreamModel, from: number, to: number, stay: number): number {
  if (stay <= from) return 1;
  if (stay >= to) return 0;
  const [before, middle, after] = [from, stay, to].map((gap) => stream.fresh(gap)) as [number, number, number];
  return before > after ? (middle - after) / (before - after) : 0;
}

export interface BufferErrors {
  /** Chance that an element that is not held is reported duplicate. */
  guesses: number;
}

/** The course of a buffer that guesses of what it does not hold. */
export function bufferCourse(settings: DetectorSettings, grid: Grid, { guesses }: BufferErrors): Course {
  const { stream, positions, distinct, cells } = grid;
  const entries = numberOf(settings, 'C');
  const isClock = settings.parameters.values.replacement === 'clock';
  const stays = isClock ? clockStays(entries, stream) : lruStays(entries, stream);
  const collision = 2 ** (settings.parameters.values.counting === 'entries32' ? -32 : -64);
  const fullFrom = stretchOf(entries, stream.lengthElements, stream.distinctIn);
  return {
    load: distinct.map((elements) => Math.min(1, elements / entries)),
    falsePositive: distinct.map((elements) => Math.min(1, guesses + Math.min(entries, elements) * collision)),
    miss(i, c) {
      const position = positions[i] as number;
      // Nothing is lost before the buffer is full.
      if (position < fullFrom || (grid.at[i] as GapsAt).gaps[c] === undefined) return 0;
      const { fromElements, toElements } = cells[c] as (typeof cells)[number];
      const end = Math.min(toElements, position);
      let missed = 0;
      for (const { elements, weight } of stays) missed += weight * shareBeyond(stream, fromElements, end, elements);
      return missed * (1 - guesses);
    },
  };
}

/** Both replacements, all memory counted; Clock has more entries in the same memory. */
export function bufferCandidates(further: Candidate['parameters'] = {}): Candidate[] {
  return inLayouts(
    ['classic'],
    ['clock', 'lru'].map((replacement) => ({ replacement, ...further })),
  );
}
