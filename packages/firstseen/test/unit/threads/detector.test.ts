// How the lines of a detector are divided among seats.

import { expect, test } from 'vitest';
import { MOST_OWNERS } from '../../../src/kernel/abi.js';
import { MOST_THREADS, seatsOf } from '../../../src/threads/crew.js';
import { ownersOfSeats } from '../../../src/threads/detector.js';

test.each([2, 3, 4, 8, MOST_THREADS])(
  'the owners of %i threads are divided among all seats, the first with the most',
  (threads) => {
    const { owners, starts } = ownersOfSeats(seatsOf(threads));
    expect(owners).toBeLessThanOrEqual(MOST_OWNERS);
    expect([starts[0], starts.at(-1), starts.length]).toEqual([0, owners, seatsOf(threads) + 1]);
    const sizes = starts.slice(1).map((end, seat) => end - (starts[seat] as number));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(0);
    expect(sizes[0]).toBe(Math.max(...sizes));
    // No thread has more than its share in one task.
    expect(sizes[0]).toBeLessThanOrEqual(owners / threads);
    expect(sizes.at(-1)).toBeLessThanOrEqual(owners / seatsOf(threads));
  },
);
