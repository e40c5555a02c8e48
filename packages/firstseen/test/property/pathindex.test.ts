// The index of paths finds what comparing each of them finds.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSamePath, PathIndex } from '../../src/io/system/identity.js';

const names = fc.constantFrom('a', 'b', 'real a', 'given a', 'c', 'null');
const known = fc.record({ path: fc.oneof(names, fc.constant(null)), realPath: fc.option(names, { nil: undefined }) });

test('finds the same paths as a comparison with each', () => {
  fc.assert(
    fc.property(fc.array(known), known, (paths, sought) => {
      const index = new PathIndex(paths);
      const expected = paths.flatMap((path, position) => (isSamePath(path, sought) ? [position] : []));
      expect(index.positionsOf(sought)).toEqual(expected);
      expect(index.has(sought)).toBe(expected.length > 0);
    }),
    { seed: 1, numRuns: 2000 },
  );
});
