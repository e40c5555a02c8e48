import { expect, test } from 'vitest';
import { allDistinct, fingerprintOf } from '../../support/streams.js';

test.each([0, 1, 2 ** 31 - 2, 2 ** 32 - 3, 2 ** 40, 2 ** 52])(
  'the elements of streams from number %i on are the fingerprints of bigints',
  (first) => {
    const elements = allDistinct(500, first);
    expect([...elements]).toEqual(Array.from({ length: 500 }, (_, i) => fingerprintOf(first + i)));
  },
);
