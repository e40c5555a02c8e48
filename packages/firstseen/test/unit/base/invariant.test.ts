import { expect, test } from 'vitest';
import { assertInvariant } from '../../../src/base/invariant.js';

test('a rule that holds is nothing', () => {
  expect(assertInvariant(true, 'numbers rise', {})).toBe(undefined);
});

test('a rule that is broken is an error that says what must hold, the values, and what to do', () => {
  const values = { number: 7, before: 9n, name: 'a', lists: [1, 2], none: undefined };
  expect(() => assertInvariant(false, 'numbers rise', values)).toThrow(
    expect.objectContaining({
      code: 'E_INVARIANT',
      message:
        'numbers rise, but number is 7, before is 9, name is "a", lists is [1, 2], none is undefined; stop, keep the files as they are, and ' +
        'report this message at https://github.com/firstseen/firstseen/issues: it is a defect of firstseen, unless memory or a disk is damaged. ' +
        'Nothing was written after it, and what was saved before is as it was',
    }),
  );
});
