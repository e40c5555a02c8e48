import { expect, test } from 'vitest';
import { type DetectorOptions, ownParameters, resolveSettings } from '../../../src/detectors/settings.js';
import { partsOf } from '../../reference/signatures.js';

const sqf = (options: DetectorOptions) => resolveSettings({ algorithm: 'sqf', ...options });
const values = (options: DetectorOptions) => sqf(options).parameters.values;

function failure(options: DetectorOptions): unknown {
  try {
    return sqf(options).parameters.values;
  } catch (error) {
    return error;
  }
}

test('the example of dutta-2013, section 3.1, has quotient 10 and signature 0111', () => {
  const settings = sqf({ memory: 1024, fingerprint: 'identity', parameters: { p: 8, r: 4, "r'": 2, k: 1 } });
  expect(partsOf(settings, 0b10100111n)).toEqual({ quotient: 10n, signature: 0b0111 });
});

test('r of 2, r of 1 reduced bit and the highest bit are the defaults of sqf', () => {
  expect(values({ memory: '64MiB' })).toMatchObject({ p: 28, q: 26, r: 2, "r'": 1, Omega: 2, k: 4, R_T: 2 ** 26 });
});

test('the p bits come from a hash if keys are hashed, and from the fingerprint if it is not seeded', () => {
  expect(values({}).address).toBe('mixed');
  expect(values({ fingerprint: 'rabin' }).address).toBe('plain');
  expect(values({ fingerprint: 'identity' }).address).toBe('plain');
  expect(values({ fingerprint: 'identity', parameters: { address: 'mixed' } }).address).toBe('mixed');
});

test("r, r' and Omega are each derived from the others", () => {
  expect(values({ parameters: { r: 7 } })).toMatchObject({ r: 7, "r'": 3, Omega: 0b1110000 });
  expect(values({ parameters: { "r'": 3 } })).toMatchObject({ r: 6, "r'": 3, Omega: 0b111000 });
  expect(values({ parameters: { Omega: 0b1010 } })).toMatchObject({ r: 4, "r'": 2, Omega: 0b1010 });
  expect(values({ parameters: { Omega: 2 ** 9 } })).toMatchObject({ r: 10, "r'": 1 });
  expect(values({ parameters: { Omega: '0,5', r: 8 } })).toMatchObject({ r: 8, "r'": 2, Omega: 0b100001 });
});

test.each([
  [{ Omega: 3, "r'": 1 }, /parameters.Omega is 3, but must be a selection of r' = 1 of the r = 2 bits/],
  [{ Omega: 16, r: 4 }, /parameters.Omega is 16, but must be a selection of r' = 1 of the r = 4 bits/],
  [{ Omega: 3, r: 2 }, /parameters.r' is 2, but must be a whole number from 1 to 1/],
  [{ Omega: '1,1' }, /parameters.Omega is "1,1", but must be a mask/],
  [{ Omega: '1,40' }, /parameters.Omega is "1,40", but must be a mask/],
  [{ "r'": 4, r: 4 }, /parameters.r' is 4, but must be a whole number from 1 to 3/],
])('%j is refused', (parameters, message) => {
  expect(failure({ parameters })).toMatchObject({ code: 'E_PARAMETER', message: expect.stringMatching(message) });
});

test("a target takes the shortest signature with r = 2 r' that meets it", () => {
  // 4 C(7,3) / 2^14 = 0.0085, and 4 C(6,3) / 2^12 = 0.0195.
  expect(values({ fpr: 0.01 })).toMatchObject({ r: 14, "r'": 7, FPR: (4 * 35) / 2 ** 14 });
  expect(values({ fpr: 0.02 })).toMatchObject({ r: 12, "r'": 6, FPR: (4 * 20) / 2 ** 12 });
  expect(values({ fpr: 0.01, parameters: { k: 1 } })).toMatchObject({ r: 10, "r'": 5, FPR: 10 / 2 ** 10 });
  expect(values({ fpr: 0.01, parameters: { r: 4 } })).toMatchObject({ r: 4, "r'": 2 });
});

test('an unreachable target is refused with the lowest possible rate', () => {
  expect(failure({ fpr: 1e-6 })).toMatchObject({
    code: 'E_PARAMETER',
    message: expect.stringMatching(/at least 1.2e-5/),
  });
});

test.each([{}, { quotient: 'modulo' }, { Omega: '0,2,3' }, { p: 20, r: 9, k: 3 }])(
  'the settings resolved from %j resolve to themselves',
  (parameters) => {
    const settings = sqf({ memory: 100_001, parameters });
    expect(sqf({ memory: 100_001, parameters: ownParameters(settings) })).toEqual(settings);
  },
);
