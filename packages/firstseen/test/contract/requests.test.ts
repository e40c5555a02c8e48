// Requests that no detector can meet: error codes, and messages that list the choices.

import { describe, expect, test } from 'vitest';
import { families } from '../../src/detectors/descriptions.js';
import { Detector } from '../../src/detectors/detector.js';
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
    message: `algorithm is "cuckoo", but must be one of ${names}`,
  });
});

/** Parameters that are rates, for which 0.5 is valid. */
const rates = ['rsbf p*', 'fpbuffer q', 'pocket g'];

describe.each(families)('$name', ({ name: algorithm, parameters, layouts }) => {
  test('refuses an unknown parameter and lists its parameters', async () => {
    const settable = parameters.filter(({ derived }) => !derived);
    const names = settable.map(({ letter, name }) => (letter === name ? letter : `${letter} (${name})`));
    const known = names.length > 0 ? `takes ${names.join(', ')}` : 'takes no parameters';
    expect(await failure({ algorithm, parameters: { zeta: 1 } })).toMatchObject({
      code: 'E_PARAMETER',
      message: `${algorithm} does not take parameters.zeta; it ${known}`,
      option: 'parameters.zeta',
    });
  });

  test('takes a parameter by its letter or its name, but not by both', async () => {
    for (const { letter, name } of parameters.filter(({ derived }) => !derived)) {
      expect(name).toMatch(/^[a-z][A-Za-z]*$/);
      const byLetter = await failure({ algorithm, parameters: { [letter]: 'seven' } });
      const byName = await failure({ algorithm, parameters: { [name]: 'seven' } });
      expect(byLetter).toMatchObject({ option: `parameters.${letter}`, given: 'seven' });
      expect(byName).toMatchObject({ option: `parameters.${name}`, given: 'seven' });
      if (letter === name) continue;
      expect(await failure({ algorithm, parameters: { [letter]: 1, [name]: 1 } })).toMatchObject({
        code: 'E_PARAMETER',
        message: `parameters.${name} and parameters.${letter} are the same parameter; give one of them`,
      });
    }
  });

  test('has one meaning for each letter and name', () => {
    const keys = parameters.flatMap(({ letter, name }) => (letter === name ? [letter] : [letter, name]));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('refuses a value for a parameter that is derived from others', async () => {
    for (const { letter } of parameters.filter(({ derived }) => derived)) {
      expect(await failure({ algorithm, parameters: { [letter]: 5 } })).toMatchObject({ code: 'E_PARAMETER' });
    }
  });

  test('refuses an unknown layout and lists its layouts', async () => {
    expect(await failure({ algorithm, layout: 'spiral' })).toMatchObject({
      code: 'E_PARAMETER',
      message: `layout is "spiral", but must be ${layouts.join(' or ')} for ${algorithm}`,
    });
  });

  test.each(['seven', Number.NaN, -1, 0.5, 10 ** 12])('refuses %s for each parameter in turn', async (value) => {
    for (const { letter } of parameters.filter(({ derived }) => !derived)) {
      if (value === 0.5 && rates.includes(`${algorithm} ${letter}`)) continue;
      expect(await failure({ algorithm, parameters: { [letter]: value } })).toMatchObject({
        code: 'E_PARAMETER',
        message: expect.stringContaining(`${letter} is ${typeof value === 'string' ? `"${value}"` : value}, but must`),
      });
    }
  });

  test.each([0, 1, -0.1, 2, Number.NaN])('refuses the rate %s', async (fpr) => {
    expect(await failure({ algorithm, fpr })).toMatchObject({
      code: 'E_PARAMETER',
      message: `fpr is ${fpr}, but must be a number between 0 and 1, such as 1e-6`,
    });
  });

  test.each([-1, 0.5, 2n ** 64n, -1n, Number.NaN, 2 ** 53])('refuses the seed %s', async (seed) => {
    expect(await failure({ algorithm, seed })).toMatchObject({
      code: 'E_PARAMETER',
      message: `seed is ${seed}, but must be a whole number from 0 to 2^64 - 1`,
    });
  });
});
