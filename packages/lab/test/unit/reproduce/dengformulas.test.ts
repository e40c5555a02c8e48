import { expect, test } from 'vitest';
import { bestHashes, gapThreshold } from '../../../src/reproduce/dengformulas.js';

// The values that deng-2006 names in section 4.1.
test.each([
  [1, 0.1, [2]],
  [1, 0.2, [1, 2]],
  [3, 0.1, [2, 3]],
  [3, 0.01, [4, 5]],
  [1, 0.01, [3]],
  [15, 0.01, [6]],
])('with Max %d and FPS %d, the K with the fewest misses is one of %j', (Max, fps, hashes) => {
  expect(hashes).toContain(bestHashes({ Max, fps }));
});

test('the gap up to which Max 3 is better does not grow as the rate falls', () => {
  const thresholds = [0.2, 0.1, 0.01, 0.001].map(gapThreshold);
  expect(thresholds).toEqual(thresholds.toSorted((a, b) => b - a));
  expect(Math.min(...thresholds)).toBeGreaterThan(1000);
});
