// Requests that no detector can meet: error codes, and messages that list the choices.

import { describe, expect, test } from 'vitest';
import { Detector } from '../../src/detectors/detector.js';
import { families } from '../../src/detectors/registry.js';
import type { DetectorOptions } from '../../src/detectors/settings.js';

function failure(options: unknown): Promise<unknown> {
  return Detector.create(options as DetectorOptions).then(
    () => 'no error',
    (error: unknown) => error,
  );
}

test('an unknown algorithm is refused with a list of the names', async () => {
  const names = families.map(({ name }) => name).join(', ');
  expect(await failure({ algorithm: 'cuckoo' })).toMatchObject({
    code: 'E_ALGORITHM',
    message: `there is no algorithm "cuckoo"; choose one of ${names}`,
  });
});

/** Parameters that are rates, for which 0.5 is a valid value. */
const rates = ['rsbf p*', 'fpbuffer q'];

describe.each(families)('$name', ({ name: algorithm, parameters, layouts }) => {
  test('refuses an unknown parameter and lists its parameters', async () => {
    const settable = parameters.filter(({ derived }) => !derived).map(({ letter }) => letter);
    const known = settable.length > 0 ? `takes ${settable.join(', ')}` : 'takes none';
    expect(await failure({ algorithm, parameters: { zeta: 1 } })).toMatchObject({
      code: 'E_PARAMETER',
      message: `there is no parameter "zeta" to give to ${algorithm}, which ${known}`,
    });
  });

  test('refuses a value for a parameter that is derived from others', async () => {
    for (const { letter } of parameters.filter(({ derived }) => derived)) {
      expect(await failure({ algorithm, parameters: { [letter]: 5 } })).toMatchObject({ code: 'E_PARAMETER' });
    }
  });

  test('refuses an unknown layout and lists its layouts', async () => {
    expect(await failure({ algorithm, layout: 'spiral' })).toMatchObject({
      code: 'E_PARAMETER',
      message: `layout is "spiral", but that of ${algorithm} must be ${layouts.join(' or ')}`,
    });
  });

  test.each(['seven', Number.NaN, -1, 0.5, 10 ** 12])('refuses %s for each parameter in turn', async (value) => {
    for (const { letter } of parameters.filter(({ derived }) => !derived)) {
      if (value === 0.5 && rates.includes(`${algorithm} ${letter}`)) continue;
      expect(await failure({ algorithm, parameters: { [letter]: value } })).toMatchObject({
        code: 'E_PARAMETER',
        message: expect.stringContaining(`${letter} is ${value}, but must`),
      });
    }
  });

  test.each([0, 1, -0.1, 2, Number.NaN])('refuses the rate %s', async (fpr) => {
    expect(await failure({ algorithm, fpr })).toMatchObject({
      code: 'E_PARAMETER',
      message: `fpr is ${fpr}, but a rate of false positives is a number between 0 and 1, such as 1e-6`,
    });
  });

  test.each([-1, 0.5, 2n ** 64n, -1n, Number.NaN, 2 ** 53])('refuses the seed %s', async (seed) => {
    expect(await failure({ algorithm, seed })).toMatchObject({
      code: 'E_PARAMETER',
      message: `seed is ${seed}, but must be a whole number from 0 to 2^64 - 1`,
    });
  });
});
